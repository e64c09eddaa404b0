#!/usr/bin/env python3
"""Rows to score come in blocks, in constant memory however long the input is, and the same from a file or a pipe."""
import json, os, subprocess, sys, tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

ROWS = os.path.join(os.environ["BUILD"], "tests", "helper-rows")
SANITIZE = os.environ.get("SANITIZE") == "ON"
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


draw = np.random.default_rng(0)
table = draw.normal(size=(5000, 8)) * 100
header = ",".join(f"c{i}" for i in range(8)) + ",kind\n"
block = "".join(",".join(f"{v:.6f}" for v in row) + f",k{i % 3}\n" for i, row in enumerate(table))
with open(path("train.csv"), "w") as file:
    file.write(header + block)


def walk(source, *arguments, feed=None):
    process = subprocess.Popen([ROWS, path("train.csv"), source, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if feed:
        feed(process.stdin)
    process.stdin.close()
    out = process.stdout.read()
    assert process.wait() == 0
    return json.loads(out)


@test
def training_rows_come_back_with_mean_zero():
    expected = 5000  # numbers sum to nearly 0, and each row has one category
    for arguments in ("1000", "1"), ("7", "2"), ("100000", "3"):
        found = walk(path("train.csv"), *arguments)
        assert found["rows"] == 5000 and abs(found["sum"] - expected) < 0.01, found


@test
def a_long_pipe_takes_no_more_memory_than_a_short_one():
    repeats = 10 if SANITIZE else 400

    def feed(stream):
        stream.write(header.encode())
        for _ in range(repeats):
            stream.write(block.encode())

    found = walk("-", "1000", "2", feed=feed)
    assert found["rows"] == 5000 * repeats, found
    if not SANITIZE:
        assert found["peak_kib"] < 100 * 1000, found
        assert found["grown_kib"] < 4000, found


@test
def arrays_come_in_the_same_blocks():
    np.save(path("train.npy"), table)
    done = subprocess.run([ROWS, path("train.npy"), path("train.npy"), "13", "1"], capture_output=True, check=True)
    found = json.loads(done.stdout)
    assert found["rows"] == 5000 and abs(found["sum"]) < 0.01, found
    np.save(path("other.npy"), table[:, :5])
    done = subprocess.run([ROWS, path("train.npy"), path("other.npy"), "13", "1"], capture_output=True)
    assert done.returncode == 1 and has(done.stderr, b"5 columns", b"8")


finish()
