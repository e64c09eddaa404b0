#!/usr/bin/env python3
"""Tables with more rows than are kept: fit, report and a fit from an earlier model use a sample, in constant memory."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test

PUAD = os.environ["PUAD"]
ROWS = 20000
folder = tempfile.TemporaryDirectory()


def puad(*command, text=None):
    done = subprocess.run([PUAD, *command], input=text, capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == 0, done.stderr
    return done


def rows(count, labeled=100):
    """x and y of normal rows are near 0, of each 50th row near 4; the first `labeled` of these are labeled."""
    draw = random.Random(1)
    lines = ["id,x,y,label"]
    for i in range(count):
        odd = i % 50 == 7
        shift = 4 if odd else 0
        lines.append(f"r{i},{draw.gauss(shift, 1):.3f},{draw.gauss(-shift, 1):.3f},{int(odd and i < 50 * labeled)}")
    return "\n".join(lines) + "\n"


TABLE = rows(ROWS)
with open(os.path.join(folder.name, "train.csv"), "w") as file:
    file.write(TABLE)
FIT = ["--label-column", "label", "--id-column", "id"]


@test
def a_file_and_a_pipe_give_the_same_sample_and_model():
    made = json.loads(puad("fit", "train.csv", *FIT, "--max-rows", "3000", "--json", "-o", "a.st").stdout)
    assert (made["rows"], made["rows_read"], made["anomalies"]) == (3100, ROWS, 100), made
    puad("fit", "-", *FIT, "--max-rows", "3000", "--threads", "1", "-o", "b.st", text=TABLE)
    assert puad("score", "a.st", "train.csv").stdout == puad("score", "b.st", "train.csv").stdout


@test
def the_note_names_the_option_and_both_counts():
    told = puad("fit", "train.csv", *FIT, "--max-rows", "3000", "-o", "a.st").stderr
    assert "--max-rows" in told and "3100" in told and str(ROWS) in told, told
    assert "--max-rows" not in puad("fit", "train.csv", *FIT, "-o", "all.st").stderr
    made = json.loads(puad("fit", "train.csv", *FIT, "--json", "-o", "all.st").stdout)
    assert made["rows"] == made["rows_read"] == ROWS, made


@test
def rows_are_held_out_of_the_sample_and_again_by_an_update():
    puad("fit", "train.csv", *FIT, "--max-rows", "3000", "--calibrate=0.4", "-o", "a.st")
    flagged = puad("score", "a.st", "train.csv", "--fdr", "0.2").stdout
    assert flagged.count(",1\n") > 100
    told = puad("fit", "train.csv", *FIT, "--max-rows", "3000", "--calibrate=0.4", "--update", "a.st", "-o", "c.st")
    assert "held out" not in told.stderr, told.stderr  # else: other rows were held out


@test
def answers_are_about_rows_of_the_file():
    puad("fit", "train.csv", *FIT, "--max-rows", "3000", "-o", "a.st")
    asked = puad("query", "a.st", "train.csv", *FIT, "-n", "5").stdout.splitlines()
    place = asked[0].split(",").index("label")
    with open(os.path.join(folder.name, "answers.csv"), "w") as file:
        file.write("\n".join([asked[0]] + [",".join([*line.split(",")[:place], "1", *line.split(",")[place + 1:]])
                                           for line in asked[1:]]) + "\n")
    made = json.loads(puad("fit", "train.csv", *FIT, "--answers", "answers.csv", "--max-rows", "3000", "--json", "-o",
                           "b.st").stdout)
    assert (made["rows"], made["anomalies"]) == (ROWS, 105), made  # answers need all rows


@test
def a_report_ranks_all_rows_of_a_sampled_table():
    told = puad("report", "train.csv", *FIT, "--max-rows", "3000", "-o", "page.html").stderr
    assert "--max-rows" in told and f"{ROWS - 100} rows ranked" in told, told


@test
def memory_does_not_grow_with_the_table():
    if os.environ.get("SANITIZE") == "ON":
        skip("sanitizers keep freed memory")
    head, *lines = rows(20000, 50).splitlines()
    text = "\n".join(lines) + "\n"

    def peak(times, limit):
        """Largest resident size in kilobytes of a fit through a pipe."""
        command = [PUAD, "fit", "-", *FIT[:2], "--ignore", "id", "--max-rows", limit, "--threads", "1", "-q", "-o", "d.st",
                   "--method", "if"]
        child = subprocess.Popen(["/usr/bin/env", "python3", "-c",
                                  "import resource,subprocess,sys;"
                                  "code=subprocess.run(sys.argv[1:]).returncode;"
                                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);sys.exit(code)",
                                  *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder.name)
        child.stdin.write(head + "\n")
        for _ in range(times):
            child.stdin.write(text)
        out = child.communicate()[0]
        assert child.returncode == 0
        return int(out)

    small, large, whole = peak(5, "2000"), peak(50, "2000"), peak(50, "0")
    assert large < small + 3000, (small, large)
    assert whole > large + 9000, (large, whole)


finish()
