#!/usr/bin/env python3
"""Each table is opened once by fit, score and data, however it is written; a pipe is read as it comes. Threads are started once."""
import datetime
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test

PUAD = os.environ["PUAD"]
FIT = ["--threads", "2", "--quiet", "-o", "m.st"]
folder = tempfile.TemporaryDirectory()


def table(name, rows=300, first=0, delimiter=",", mark=".", before="", encoding="utf-8", opener=open):
    draw = random.Random(first + 1)
    lines = [["id", "when", "x", "y", "state", "label"]]
    for i in range(first, first + rows):
        odd = i % 20 == 0
        numbers = [f"{draw.gauss(6 * odd, 1):.4f}".replace(".", mark), f"{draw.gauss(0, 1):.4f}".replace(".", mark)]
        day = (datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=i)).isoformat(" ")
        lines.append([f"r{i}", day, *numbers, draw.choice("abc"), "1" if i % 40 == 0 else "0"])
    text = before + "".join(delimiter.join(line) + "\n" for line in lines)
    with opener(os.path.join(folder.name, name), "wb") as file:
        file.write(text.encode(encoding))
    return name


def calls(names, *command):
    """The system calls of these names that succeed."""
    if not shutil.which("strace") or os.environ.get("SANITIZE", "OFF") != "OFF":
        skip("strace is not installed, or a sanitizer is at work")
    done = subprocess.run(["strace", "-f", "-e", f"trace={names}", "-o", "trace", PUAD, *command], capture_output=True,
                          text=True, cwd=folder.name)
    assert done.returncode == 0, done.stderr
    with open(os.path.join(folder.name, "trace")) as file:
        return [line for line in file if "= -1" not in line]


def opens(names, *command):
    """How often a command opens each of the files."""
    lines = calls("open,openat", *command)
    return [sum(f'"{name}"' in line or f'/{name}"' in line for line in lines) for name in names]


FILES = {
    "plain.csv": {},
    "comma.csv": {"delimiter": ";", "mark": ","},
    "titles.csv": {"before": "Report of a plant\n\n"},
    "packed.csv.gz": {"opener": gzip.open},
    "wide.csv": {"encoding": "utf-16"},
}


@test
def fit_and_score_open_a_table_once_and_data_twice():
    for name, form in FILES.items():
        table(name, **form)
        assert opens([name], "fit", name, "--label-column", "label", *FIT) == [1], name
        assert opens([name], "score", "m.st", name, "-o", "out.csv") == [1], name
        assert opens([name], "data", name, "--label-column", "label") == [2], name  # to describe it, and for the checks of fit


@test
def columns_that_are_loaded_again_do_not_open_the_file_again():
    table("late.csv", 4000)
    with open(os.path.join(folder.name, "late.csv"), "a") as file:
        for i in range(3000):
            file.write(f"late{i},03.04.2024,many,few{i % 3},d,0\n")
    assert opens(["late.csv"], "fit", "late.csv", "--label-column", "label", *FIT) == [1]


@test
def a_time_series_is_opened_once():
    table("series.csv", 400)
    assert opens(["series.csv"], "fit", "series.csv", "--time-column", "when", "--window", "8", "--ignore", "id,label", *FIT) == [1]
    assert opens(["series.csv"], "score", "m.st", "series.csv", "-o", "out.csv") == [1]


@test
def each_of_several_files_is_opened_once():
    names = [table(f"part{i}.csv", 200, 200 * i) for i in range(3)]
    assert opens(names, "fit", *names, "--label-column", "label", *FIT) == [1, 1, 1]
    assert opens(names, "score", "m.st", *names, "-o", "out.csv") == [1, 1, 1]


@test
def more_files_than_can_be_kept_open_are_still_read():
    os.makedirs(os.path.join(folder.name, "many"), exist_ok=True)
    for i in range(100):
        table(f"many/part{i:03}.csv", 20, 20 * i)
    done = subprocess.run([PUAD, "fit", "many", "--label-column", "label", "--threads", "2", "-o", "m.st"], cwd=folder.name,
                          capture_output=True, text=True)
    assert done.returncode == 0 and re.search(r"\b2000 training rows\b", done.stderr), done.stderr


@test
def rows_of_anomalies_and_normals_have_files_that_are_opened_once():
    names = [table("rows.csv", 300), table("bad.csv", 40, 300), table("good.csv", 40, 400)]
    assert opens(names, "fit", "rows.csv", "--anomalies", "bad.csv", "--normals", "good.csv", "--ignore", "label", *FIT) == [1, 1, 1]


def threads_started(*command):
    return sum("clone" in line for line in calls("clone,clone3", *command))


@test
def fit_starts_the_threads_that_read_and_train_once():
    table("plain.csv", 1200)
    fit = ["fit", "plain.csv", "--label-column", "label", "--threads", "4", "--quiet", "-o", "m.st"]
    for more in [], ["--calibrate"], ["--method", "puae", "--steps", "5"], ["--method", "puae", "--steps", "5", "--calibrate"]:
        assert threads_started(*fit, *more) == 3, more
    score = ["--threads", "4", "--quiet", "-o", "out.csv"]
    assert threads_started("score", "m.st", "plain.csv", *score) == 3
    assert threads_started("score", "m.st", table("long.csv", 9000), *score) == 6, "a large block is formatted by threads of the program"
    assert threads_started(*fit, "--update", "m.st", "-o", "m2.st") == 3


@test
def fit_of_a_time_series_starts_the_threads_that_read_and_train_once():
    table("series.csv", 3000)
    fit = ["fit", "series.csv", "--time-column", "when", "--window", "8", "--method", "if", "--ignore", "id,label", "--threads", "4", "--quiet"]
    for more in [], ["--calibrate"]:
        assert threads_started(*fit, *more, "-o", "m.st") == 3, more


@test
def a_pipe_gives_the_scores_of_the_file():
    table("plain.csv")
    for command in (["fit", "INPUT", "--label-column", "label", *FIT], ["score", "m.st", "INPUT"]):
        results = []
        for source in ("plain.csv", "-"):
            with open(os.path.join(folder.name, "plain.csv"), "rb") as file:
                cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
                done = subprocess.run([PUAD, *[source if c == "INPUT" else c for c in command]], stdin=cat.stdout,
                                      capture_output=True, cwd=folder.name)
                cat.stdout.close()
                cat.wait()
            assert done.returncode == 0, done.stderr
            results.append(done.stdout)
        assert results[0] == results[1]


finish()
