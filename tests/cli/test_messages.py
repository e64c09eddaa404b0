#!/usr/bin/env python3
"""Messages as commands print them: one per line, at most 100 characters after "puad COMMAND: note:", and the exit status of each kind of mistake."""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.path.abspath(os.environ["PUAD"])
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
printed = []
draw = random.Random(4)


def puad(*words, code=0):
    done = subprocess.run([PUAD, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    for line in done.stderr.splitlines():
        text = re.sub(r"^puad \w+: (error|warning|note): ", "", line)
        assert len(text) <= 100, f"puad {' '.join(words)}: {len(text)} characters: {text}"
        printed.append(line)
    return done


def table(path, rows=600, label="1", scale=1.0, columns=("id", "amount", "hour", "place", "day", "y"), labeled=0.5, odd=20):
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        for i in range(rows):
            far = i % odd == 0
            cells = {"id": f"A{i}", "amount": f"{draw.gauss(9 if far else 1, 1) * scale:.3f}", "hour": f"{draw.gauss(3 if far else 14, 2):.2f}",
                     "place": draw.choice(["home", "office", "abroad"]), "day": f"2026-{1 + i % 12:02d}-{1 + i % 28:02d}",
                     "y": label if far and draw.random() < labeled else ""}
            file.write(",".join(cells.get(name, str(i)) for name in columns) + "\n")


def series(path, rows=900):
    with open(path, "w") as file:
        file.write("time,load,label\n")
        for i in range(rows):
            file.write(f"2026-01-{1 + i // 96:02d} {i % 96 // 4:02d}:{i % 4 * 15:02d}:00,{draw.gauss(50 if 300 < i < 320 else 1, 1):.3f},{1 if 300 < i < 310 else ''}\n")


@test
def training_scoring_and_deciding_print_short_lines():
    table("train.csv")
    table("new.csv", labeled=0)
    puad("data", "train.csv")
    puad("fit", "train.csv", "--label-column", "y", "-o", "plain.st")
    puad("fit", "train.csv", "--label-column", "y", "--id-column", "id", "--calibrate", "-o", "m.st")
    for more in (["--fdr", "0.1"], ["--fdr", "0.01", "--kind"], ["--fdr", "0.1", "--p-values", "plain"], ["--flag-rate", "0.05"], ["--flag-rate", "0.0001"],
                 ["--fdr", "0.1", "--alpha", "0.05"], ["--threshold", "1"]):
        puad("score", "m.st", "new.csv", *more, "-o", "scores.csv")
    puad("query", "m.st", "train.csv", "-o", "ask.csv")
    puad("query", "m.st", "new.csv", "--audit", "12", "--fdr", "0.05", "-o", "audit.csv")
    with open("audit.csv") as file, open("answered.csv", "w") as out:
        header, *rows = file.read().splitlines()
        at = header.split(",").index("label")
        out.write(header + "\n")
        for row in rows:
            cells = row.split(",")
            cells[at] = "1" if float(cells[header.split(",").index("amount")]) > 5 else "-1"
            out.write(",".join(cells) + "\n")
    for rate in "0.05", "0.5":
        puad("score", "m.st", "new.csv", "--answers", "answered.csv", "--fdr", rate, "-o", "scores.csv")
    puad("operate", "m.st", "new.csv", "--answers", "answered.csv")
    puad("operate", "m.st")
    puad("prior", "train.csv", "--label-column", "y", code=0)
    puad("report", "train.csv", "new.csv", "--label-column", "y", "-o", "r.html")
    puad("fit", "train.csv", "--label-column", "y", "--update", "m.st", "-o", "m2.st")
    assert len(printed) > 60


@test
def warnings_are_short():
    with open("leak.csv", "w") as out, open("train.csv") as file:
        for i, line in enumerate(file):
            out.write(line.rstrip() + (",shut,counter,opened\n" if not i else f",{'yes' if line.rstrip().endswith('1') else 'no'},{i},{1700000000 + 60 * i}\n"))
    puad("fit", "leak.csv", "--label-column", "y", "-o", "leak.st")
    puad("data", "leak.csv")
    table("cents.csv", scale=100)
    table("less.csv", columns=("id", "hour", "place", "day", "extra"))
    for path in "cents.csv", "less.csv":
        puad("score", "m.st", path, "--fdr", "0.1", "-o", "scores.csv")
    table("few.csv", labeled=0.1)
    puad("fit", "few.csv", "--label-column", "y", "-o", "few.st")
    puad("fit", "train.csv", "--label-column", "y", "--alpha", "0.4", "-o", "x.st")
    puad("fit", "train.csv", "--label-column", "y", "--alpha", "0", "-o", "x.st")
    puad("fit", "train.csv", "--label-column", "y", "--epochs", "2", "--method", "pusvdd", "-o", "x.st")
    names = {word for line in printed if ": warning: " in line for word in line.split()}
    assert {"'shut':", "'counter':", "'opened':", "'amount':"} <= names, names
    series("load.csv")
    puad("fit", "load.csv", "--time-column", "time", "--label-column", "label", "-o", "s.st")
    puad("score", "s.st", "load.csv", "-o", "scores.csv")


@test
def the_status_is_two_if_the_command_line_asks_for_what_is_not_there():
    wrong = [("fit", "train.csv"), ("fit", "train.csv", "--label-column", "z", "-o", "x.st"), ("fit", "train.csv", "-o", "x.st"),
             ("score", "plain.st", "new.csv", "--fdr", "0.1"), ("operate", "m.st", "--fdr", "0.1"), ("scroe",), ("fit", "train.csv", "--nothing", "-o", "x"),
             ("fit", "train.csv", "--label-column", "y", "--alpha", "7", "-o", "x.st"), ("fit", "few2.csv", "--label-column", "y", "--calibrate", "-o", "x.st"),
             ("fit", "train.csv", "--label-column", "y", "--method", "none", "-o", "x.st"), ("score", "m.st"), ("query", "s.st", "load.csv", "--answers", "ask.csv"),
             ("fit", "train.csv", "--label-column", "y", "-o", "train.csv"), ("report", "--model", "m.st", "new.csv", "--compare"), ("score", "new.csv", "m.st"), ("score", "m.st", "m.st")]
    table("few2.csv", rows=200, odd=70, labeled=1)
    for words in wrong:
        puad(*words, code=2)


@test
def the_status_is_one_if_a_file_or_a_computation_is_wrong():
    with open("broken.st", "wb") as out, open("m.st", "rb") as file:
        out.write(file.read()[:5000])
    with open("mixed.csv", "w") as out, open("train.csv") as file:
        lines = file.read().splitlines()
        out.write("\n".join(lines[:50] + [lines[50].rsplit(",", 1)[0] + ",perhaps"] + lines[51:]) + "\n")
    table("other.csv", columns=("name", "size"))
    with open("quote.csv", "w") as out:
        out.write('a,b\n1,"2\n3,4\n')
    for words in (("score", "none.st", "new.csv"), ("score", "broken.st", "new.csv"), ("fit", "none.csv", "-o", "x.st"), ("fit", "quote.csv", "-o", "x.st"),
                  ("fit", "mixed.csv", "--label-column", "y", "-o", "x.st"), ("score", "m.st", "other.csv"), ("fit", "train.csv", "--label-column", "y", "-o", "none/x.st"),
                  ("inspect", "new.csv")):
        puad(*words, code=1)


finish()
