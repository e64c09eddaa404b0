#!/usr/bin/env python3
"""The self-supervised heads from the command line: fit, inspect, score with reasons, resume, export, and what they refuse."""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def run(*arguments):
    return subprocess.run([PUAD, *arguments], capture_output=True, text=True)


def write(name, columns, rows=240):
    """Columns rise and fall together; in the anomalies, an eighth of the rows, the last two do not."""
    draw = random.Random(4)
    with open(path(name), "w") as file:
        file.write(",".join(f"c{i}" for i in range(columns)) + ",label\n")
        for i in range(rows):
            place = draw.gauss(0, 1)
            values = [place * (1 + c % 3) + draw.gauss(0, 0.1) for c in range(columns)]
            if i % 8 == 0:
                values[-2:] = [4 - v for v in values[-2:]]
            file.write(",".join(f"{v:.4f}" for v in values) + f",{int(i % 16 == 0)}\n")


def fit(method, data, *more):
    return run("fit", path(data), "--label-column", "label", "--method", method, "--alpha", "0.1", "--threads", "1", "--quiet",
               "-o", path("m.safetensors"), *more)


@test
def models_score_explain_and_describe_themselves():
    write("train.csv", 6)
    for method, head in (("icl", "icl"), ("puicl", "icl"), ("puneutral", "neutral"), ("semineutral", "neutral")):
        done = fit(method, "train.csv", "--steps", "60", "--force")
        assert done.returncode == 0, done.stderr
        said = run("inspect", path("m.safetensors")).stdout
        assert method in said and head in said, said
        done = run("score", path("m.safetensors"), path("train.csv"), "--explain", "2", "--quiet")
        lines = done.stdout.splitlines()
        assert done.returncode == 0 and len(lines) == 241 and lines[0].startswith("row,score"), done.stderr
        assert all(float(line.split(",")[1]) >= 0 for line in lines[1:]), "a score is a loss, never below 0"
        assert "c5" in done.stdout or "c4" in done.stdout, done.stdout[:300]
        done = run("export", path("m.safetensors"), "-o", path("m.onnx"))
        assert done.returncode == 0 and os.path.getsize(path("m.onnx")) > 1000, done.stderr


@test
def positive_unlabeled_learning_finds_the_hidden_ones():
    write("train.csv", 6)
    write("test.csv", 6, 160)
    assert fit("puicl", "train.csv").returncode == 0
    scores = [float(line.split(",")[1]) for line in run("score", path("m.safetensors"), path("test.csv"), "--quiet").stdout.splitlines()[1:]]
    odd, plain = scores[::8], [s for i, s in enumerate(scores) if i % 8]
    better = sum(a > b for a in odd for b in plain) / (len(odd) * len(plain))
    assert better > 0.9, better


@test
def rows_unsupported_by_a_head_are_rejected_with_the_reason():
    write("two.csv", 2)
    done = fit("purot", "two.csv")
    assert done.returncode in (1, 2) and "32x32 images" in done.stderr, done.stderr
    done = fit("icl", "two.csv", "--network", "conv32")
    assert done.returncode in (1, 2) and has(done.stderr, "icl", "mlp", "conv32"), done.stderr
    done = fit("icl", "two.csv", "--ignore", "c0", "--force")
    assert done.returncode in (1, 2) and "icl" in done.stderr, done.stderr
    done = fit("neutral", "two.csv", "--ignore", "c0", "--force", "--steps", "5")
    assert done.returncode == 0, done.stderr


finish()
