#!/usr/bin/env python3
"""fit with --answers and --update: answered rows, an id column called label, files read once, rows held out of a longer file."""
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
FAST = ["--method", "if", "--threads", "1", "--quiet"]


def run(*command, code=0, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder.name, **more)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def path(name):
    return os.path.join(folder.name, name)


def write(name, rows, seed, labeled=True, header=("label", "x", "y", "state")):
    """The id column is called label; one row in ten is an anomaly, half of them labeled."""
    draw = random.Random(seed)
    with open(path(name), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for i in range(rows):
            odd = i % 10 == 0
            writer.writerow([f"{name[0]}{i}", draw.gauss(6 if odd else 0, 1), draw.gauss(0, 1), int(labeled and i % 20 == 0)])


LABELED = 50
ANSWERS = (4, 6)  # anomalies and normal rows of ask.csv
READ = ["--label-column", "state", "--id-column", "label"]
write("train.csv", 1000, 1)
run(PUAD, "fit", "train.csv", *READ, *FAST, "--calibrate", "-o", "m.st")


@test
def an_id_column_may_be_called_label():
    asked = run(PUAD, "query", "m.st", "train.csv", "-n", "10", "--quiet").stdout.splitlines()
    assert asked[0] == "row,label,score,label,x,y", asked[0]
    with open(path("ask.csv"), "w") as file:
        file.write(asked[0] + "\n")
        for i, line in enumerate(asked[1:]):
            cells = line.split(",")
            cells[3] = "1" if i < ANSWERS[0] else "-1"
            file.write(",".join(cells) + "\n")
    found = json.loads(run(PUAD, "fit", "train.csv", "--answers", "ask.csv", "--update", "m.st", "--method", "if", "--threads", "1", "--quiet",
                           "--json", "-o", "m2.st").stdout)
    assert (found["anomalies"], found["normals"]) == ANSWERS, found  # the other labels are held out: the forest uses none


@test
def answers_about_rows_of_a_pipe_are_taken():
    given = f"--answers ask.csv {' '.join(READ + FAST)} --json"
    piped, file = (json.loads(run("bash", "-c", f"'{PUAD}' fit {source} {given} -o {model}").stdout)
                   for source, model in (("<(cat train.csv)", "p.st"), ("train.csv", "f.st")))
    for found in (piped, file):
        assert (found["rows"], found["anomalies"], found["normals"]) == (1000, LABELED + ANSWERS[0], ANSWERS[1]), found
    scores = [run(PUAD, "score", model, "train.csv", "--quiet").stdout for model in ("p.st", "f.st")]
    assert scores[0] == scores[1]


@test
def fit_from_labels_opens_the_file_and_the_model_once():
    if not shutil.which("strace") or os.environ.get("SANITIZE") == "ON":
        skip("strace is not installed, or a sanitizer is at work")
    run("strace", "-f", "-e", "trace=open,openat", "-o", "trace", PUAD, "fit", "train.csv", "--answers", "ask.csv", "--update", "m.st",
        *FAST, "-o", "m3.st")
    lines = open(path("trace")).read().splitlines()
    for name in ("train.csv", "m.st"):
        opened = [line for line in lines if f'"{name}"' in line and "= -1" not in line]
        assert len(opened) == 1, (name, opened)


@test
def new_rows_are_held_out_first_if_anomalies_are_in_a_separate_file():
    write("bad.csv", 40, 3, labeled=False)
    run(PUAD, "fit", "train.csv", "--anomalies", "bad.csv", *READ, *FAST, "--calibrate", "-o", "a.st")
    with open(path("train.csv")) as file:
        lines = file.read().splitlines()
    write("more.csv", 400, 5, labeled=False)
    with open(path("more.csv")) as file:
        added = file.read().splitlines()[1:]
    with open(path("longer.csv"), "w") as file:
        file.write("\n".join(lines + added) + "\n")
    run(PUAD, "fit", "longer.csv", "--anomalies", "bad.csv", "--update", "a.st", *FAST, "-o", "b.st")
    import struct
    bytes_ = open(path("b.st"), "rb").read()
    size = struct.unpack("<Q", bytes_[:8])[0]
    header = json.loads(bytes_[8:8 + size])
    begin, end = header["calibration.rows"]["data_offsets"]
    rows = struct.unpack(f"<{(end - begin) // 4}I", bytes_[8 + size + begin:8 + size + end])
    unlabeled = header["calibration.unlabeled"]["shape"][0]
    fresh = [row for row in rows[:unlabeled] if 1000 <= row < 1400]
    assert len(fresh) >= 75, (len(fresh), unlabeled)


finish()
