#!/usr/bin/env python3
"""The pages docs/reference/output*.md name exactly the columns and JSON keys that the commands print; every format has the same rows; -o writes
what is printed."""
import csv
import fileinput
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
PAGES = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "reference", name) for name in ("output.md", "output-inspect.md")]
folder = tempfile.TemporaryDirectory()
draws = numpy.random.default_rng(5)
ROWS, ANOMALIES, LABELS = 1500, 150, 60


def at(name):
    return os.path.join(folder.name, name)


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True, cwd=folder.name, stdin=subprocess.DEVNULL)
    assert done.returncode == code, f"puad {' '.join(arguments)}: {done.returncode}: {done.stderr}"
    return done.stdout


values = draws.normal(size=(ROWS, 3))
values[:ANOMALIES] += 5
with open(at("train.csv"), "w") as train, open(at("test.csv"), "w") as rows:
    for file, label in (train, lambda i: "1" if i < LABELS else ""), (rows, lambda i: "1" if i < ANOMALIES else "0"):
        file.write("name,a,b,c,shop,label\n")
        for i, row in enumerate(values):
            file.write(f"N{i:05},{row[0]:.4f},{row[1]:.4f},{row[2]:.4f},{'web' if i % 3 else 'home'},{label(i)}\n")
with open(at("raw.csv"), "w") as raw:  # with a time, and a label column by its values
    raw.write("when,a,state\n")
    for i, row in enumerate(values):
        raw.write(f"2024-05-{1 + i // 60:02} 00:{i % 60:02}:00,{row[0]:.4f},{'fraud' if i < ANOMALIES else 'fine'}\n")
READ = ("--label-column", "label", "--id-column", "name", "--threads", "1", "-q")
first_fit = puad("fit", "train.csv", *READ, "--calibrate", "--method", "if", "--json", "-o", "m.st")
puad("fit", "train.csv", *READ, "--calibrate", "-o", "c.st")
puad("fit", "train.csv", *READ, "--window", "8", "-o", "w.st")
asked = puad("query", "c.st", "train.csv", "-q", "-n", "9")
with open(at("ask.csv"), "w") as file:
    filled = list(csv.reader(io.StringIO(asked)))
    for i, cells in enumerate(filled):
        if i:
            cells[filled[0].index("label")] = "-1"
        file.write(",".join(cells) + "\n")
update = puad("fit", "train.csv", "--answers", "ask.csv", "--update", "c.st", "-q", "--threads", "1", "--json", "-o", "u.st")
network = puad("fit", "train.csv", *READ, "--method", "pusvdd", "--steps", "40", "--force", "--json", "-o", "n.st")
puad("score", "c.st", "test.csv", "-q", "--fdr", "0.1", "--kind", "--explain", "2", "--summary", "summary.json", "-o", "scores.csv")


def header(text):
    return set(next(csv.reader(io.StringIO(text))))


def keys(text, depth=2, prefix=""):
    """Keys of an object, "a.b" for those of objects and of the rows of lists inside it."""
    found = set()
    for name, value in (json.loads(text) if isinstance(text, str) else text).items():
        if prefix + name in ("columns.texts_most", "classes"):  # whose keys are data
            found.add(prefix + name)
            continue
        found.add(prefix + name)
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            if isinstance(row, dict) and depth > 1:
                found |= keys(row, depth - 1, prefix + name + ".")
    return found


def documented():
    """Names in the lists of the page by the heading above them."""
    out, heading = {}, None
    for line in fileinput.input(PAGES):
        if found := re.match(r"#+ (.*)", line):
            heading = found[1].strip()
        elif line.startswith("- `"):
            out.setdefault(heading, set()).update(re.findall(r"`([^`]+)`", line.split(":")[0]))
    return out


def json_of(*arguments):
    return keys(puad(*arguments, "--json"))


INPUT_COLUMNS = {"name", "a", "b", "c", "shop"}
printed = {
    "puad fit --json": keys(first_fit) | keys(update, 3) | keys(network),
    "puad score": header(open(at("scores.csv")).read()) - INPUT_COLUMNS,
    "puad score --summary": keys(open(at("summary.json")).read()),
    "puad query": header(asked) - INPUT_COLUMNS,
    "puad query --audit": header(puad("query", "c.st", "test.csv", "--label-column", "label", "-q", "--audit", "30")) - INPUT_COLUMNS,
    "puad operate --json": json_of("operate", "c.st", "-q"),
    "puad operate --format csv": header(puad("operate", "c.st", "--format", "csv", "-q")),
    "puad prior --json": json_of("prior", "train.csv", *READ),
    "puad eval --json": json_of("eval", "c.st", "test.csv", "--label-column", "label", "--by", "shop", "-q") | json_of("eval", "w.st", "test.csv", "--label-column", "label", "-q"),
    "puad eval --format csv": header(puad("eval", "c.st", "test.csv", "--label-column", "label", "--format", "csv", "-q")),
    "puad inspect --json": json_of("inspect", "c.st") | json_of("inspect", "n.st"),
    "puad data --json": json_of("data", "train.csv", "--label-column", "label", "-q") | json_of("data", "raw.csv", "-q"),
    "puad data --format csv": header(puad("data", "train.csv", "--label-column", "label", "--format", "csv", "-q")),
    "puad list --json": json_of("list"),
}
if __name__ == "__main__" and os.environ.get("SHOW"):
    for name, found in printed.items():
        print(f"## {name}\n{sorted(found)}\n")


@test
def the_page_names_what_is_printed():
    page = documented()
    for name, found in printed.items():
        assert page.get(name) == found, f"{name}: not on the page: {sorted(found - page.get(name, set()))}; not printed: {sorted(page.get(name, set()) - found)}"


@test
def every_object_has_the_schema_and_one_line():
    for arguments in (("operate", "c.st", "--json"), ("prior", "train.csv", *READ, "--json"), ("inspect", "c.st", "--json"), ("list", "--json"),
                      ("data", "train.csv", "--format", "json"), ("score", "c.st", "test.csv", "-q", "-n", "3", "--format", "json")):
        text = puad(*arguments)
        assert json.loads(text)["schema"] == 1 and (text.count("\n") == 1 or "score" in arguments), arguments
    assert json.loads(first_fit)["schema"] == json.load(open(at("summary.json")))["schema"] == 1


@test
def every_format_has_the_same_rows():
    for command in (("operate", "c.st"), ("eval", "c.st", "test.csv", "--label-column", "label", "-q"), ("data", "train.csv"), ("list", "methods"),
                    ("score", "c.st", "test.csv", "-q", "-n", "7")):
        comma = list(csv.DictReader(io.StringIO(puad(*command, "--format", "csv"))))
        tab = list(csv.DictReader(io.StringIO(puad(*command, "--format", "tsv")), delimiter="\t"))
        lines = [json.loads(line) for line in puad(*command, "--format", "jsonl").splitlines()]
        assert comma == tab and len(comma) == len(lines) > 0, command
        for row, line in zip(comma, lines):
            simple = {name: value for name, value in line.items() if name != "schema" and not isinstance(value, (dict, list, bool))}
            for name, value in simple.items():
                assert row[name] == "" if value is None else row[name] == value if isinstance(value, str) else float(row[name]) == value, (command, name)


@test
def an_output_file_has_what_is_printed_and_nothing_after_a_failure():
    for command in (("operate", "c.st"), ("list", "networks", "--format", "csv"), ("query", "c.st", "train.csv", "-q"), ("inspect", "c.st", "--json")):
        shown = puad(*command)
        assert puad(*command, "-o", "out.txt") == "" and open(at("out.txt")).read() == shown, command
    puad("operate", "none.st", "-o", "never.txt", code=1)
    assert "c.st" in puad("inspect", "c.st", "-o", "out.txt") + open(at("out.txt")).read()
    puad("operate", "c.st", "-o", "c.st", code=2)
    assert not [name for name in os.listdir(folder.name) if "never" in name]


finish()
