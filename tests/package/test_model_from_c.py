#!/usr/bin/env python3
"""A model trained from C tells the program how its file was read, as one trained by the program does."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

PUAD = os.environ["PUAD"]
HELPER = os.path.join(os.environ["BUILD"], "tests", "helper-fit_dataset")
folder = tempfile.TemporaryDirectory()


def run(*command, code=0):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def rows_of(delimiter, name):
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["who", "size", "speed", "state"])
        for i in range(240):
            writer.writerow([f"w{i}", i * 7 % 31, i * 13 % 17, "bad" if i % 12 == 0 else "0"])


def facts(model):
    return json.loads(run(PUAD, "inspect", model, "--json").stdout)


rows_of(";", "t.csv")
run(HELPER, "t.csv", "c.st", "state", "bad", "who", "semicolon")
run(PUAD, "fit", "t.csv", "--label-column", "state", "--positive", "bad", "--id-column", "who", "--delimiter", "semicolon",
    "--method", "puae", "--epochs", "2", "--threads", "1", "--quiet", "-o", "program.st")


@test
def both_keep_the_same_input():
    assert facts("c.st")["input"] == facts("program.st")["input"] == {
        "label-column": "state", "id-column": "who", "positive": ["bad"], "delimiter": "semicolon"}


@test
def fit_uses_its_label_column():
    run(PUAD, "fit", "t.csv", "--update", "c.st", "--epochs", "2", "--threads", "1", "--quiet", "-o", "again.st")
    again = facts("again.st")
    assert again["facts"]["anomalies"] == 20, again["facts"]
    assert again["facts"]["row_shape"] == [1, 1, 2], again["facts"]


@test
def query_and_score_read_the_file_as_in_training():
    asked = list(csv.DictReader(run(PUAD, "query", "c.st", "t.csv", "--top", "10").stdout.splitlines()))
    assert len(asked) == 10 and all(row["who"].startswith("w") for row in asked)
    assert not any(int(row["who"][1:]) % 12 == 0 for row in asked)  # rows with a label are not asked about
    assert run(PUAD, "score", "c.st", "t.csv").stdout.startswith("row,score,who\n0,")


@test
def a_custom_delimiter_is_stored_too():
    rows_of("~", "odd.csv")
    run(HELPER, "odd.csv", "odd.st", "state", "bad", "who", "~")
    assert run(PUAD, "query", "odd.st", "odd.csv").stdout.startswith("row,who,score,label,")
    assert has(run(PUAD, "score", "odd.st", "odd.csv", "--delimiter", "~~", code=2).stderr, "delimiter", "~~")


finish()
