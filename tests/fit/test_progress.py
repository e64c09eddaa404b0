#!/usr/bin/env python3
"""Progress: whole epochs over both phases with the time that is left, lines that fit the terminal, and nothing with --quiet."""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test
from terminal import in_terminal

PUAD = os.path.abspath(os.environ["PUAD"])
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
draw = random.Random(1)
with open("train.csv", "w") as file:
    file.write("a,b,c,label\n")
    for i in range(3000):
        file.write(",".join(f"{draw.gauss(3 if i % 20 == 0 else 0, 1):.3f}" for _ in range(3)) + f",{int(i % 40 == 0)}\n")
FIT = ["fit", "train.csv", "--label-column", "label", "--method", "pusvdd", "--epochs", "6", "--pretrain-epochs", "4", "--alpha", "0.05",
       "--threads", "1", "-o", "m.safetensors"]


@test
def a_pipe_gets_plain_lines_of_whole_epochs_over_both_phases():
    said = subprocess.run([PUAD, *FIT], capture_output=True, text=True).stderr
    steps = [(int(a), int(b)) for a, b in re.findall(r"^training (\d+)/(\d+), ", said, re.M)]
    assert steps and steps[-1] == (10, 10) and all(b == 10 for _, b in steps), said
    assert [a for a, _ in steps] == sorted(a for a, _ in steps) and "\r" not in said, said
    assert "pretraining, loss" in said and "validation" in said, said


@test
def a_terminal_gets_one_line_that_is_not_cut():
    for columns in (80, 50, 120):
        _, shown = in_terminal([PUAD, *FIT], columns)
        frames = [frame.split("\x1b[K")[0] for frame in shown.split("\r") if frame.startswith("training ")]
        assert frames and max(map(len, frames)) < columns, (columns, frames)
        assert re.match(r"training (\[#+\] )?10/10  \d+:\d\d", frames[-1]), frames[-1]


@test
def a_report_shows_the_same():
    words = ["report", *FIT[1:-1], "page.html"]
    said = subprocess.run([PUAD, *words], capture_output=True, text=True).stderr
    assert re.search(r"^training 10/10, ", said, re.M), said


def left(shown):
    """Pairs of elapsed seconds and the estimated total of lines such as "scoring  0:12, 0:05 left (70%)"."""
    found = re.findall(r"(\d+):(\d+), (\d+):(\d+) left \(\d+%\)", shown)
    return [(60 * int(a) + int(b), 60 * int(a) + int(b) + 60 * int(c) + int(d)) for a, b, c, d in found]


@test
def reading_scoring_and_cross_fitting_estimate_the_time_left_within_a_factor_of_two():
    with open("train.csv") as file:
        header, *rows = file.read().splitlines()
    with open("many.csv", "w") as file:
        file.write(header + "\n")
        for i in range(300):
            file.write("\n".join(row.rsplit(",", 1)[0] + f"{i}," for row in rows) + "\n")
    with open("wide.csv", "w") as file:
        file.write(",".join(f"{name}{k}" for k in range(9) for name in header.split(",")[:3]) + ",label\n")
        for row in rows * 8:
            file.write(",".join([row.rsplit(",", 1)[0]] * 9) + f"{draw.random():.3f}," + row.rsplit(",", 1)[1] + "\n")
    subprocess.run([PUAD, "fit", "train.csv", "--label-column", "label", "--threads", "1", "-q", "-o", "m.st"], check=True)
    for words in (["score", "m.st", "many.csv", "-o", "s.csv"], ["query", "m.st", "many.csv", "--audit", "9", "-o", "a.csv"],
                  ["report", "--model", "m.st", "many.csv", "-o", "r.html"], ["fit", "wide.csv", "--label-column", "label", "--calibrate", "-o", "w.st"]):
        begin = time.monotonic()
        _, shown = in_terminal([PUAD, *words, "--threads", "1"])
        took = time.monotonic() - begin
        totals = left(shown)
        assert totals or took < 8, (words, took, shown)
        ahead = [total for passed, total in totals if passed >= 3]  # the total of one activity: reading, or training, or ranking
        assert all(total <= 2 * took + 2 for total in ahead), (words, took, totals)
        if words[0] == "score":
            assert all(total >= took / 2 - 2 for total in ahead), (words, took, totals)


@test
def quiet_is_quiet():
    done = subprocess.run([PUAD, *FIT, "-q"], capture_output=True, text=True)
    assert done.stdout == "" and "training" not in done.stderr, done.stderr


finish()
