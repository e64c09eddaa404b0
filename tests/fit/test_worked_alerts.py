#!/usr/bin/env python3
"""Answers about the rows with the highest scores do not lower the accuracy of the default."""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
RNG = np.random.default_rng(4)
COUNT, COLUMNS = 3000, 6
TRUTH = RNG.random(COUNT) < 0.12
OBVIOUS = TRUTH & (RNG.random(COUNT) < 0.5)  # far from all other rows; the other anomalies are among them
ROWS = RNG.normal(0, 1, (COUNT, COLUMNS))
ROWS[OBVIOUS, 0] += 6
ROWS[TRUTH & ~OBVIOUS] = ROWS[TRUTH & ~OBVIOUS] * 0.4 + [0, 0, 1.2, -1.2, 0, 0]
TRAIN = np.arange(COUNT) < 2000


def path(name):
    return os.path.join(folder.name, name)


def puad(*arguments):
    done = subprocess.run([PUAD, *arguments, "-q"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def precision(*options):
    """Average precision, in the rows that are not for training, of a model that is trained with these options."""
    puad("fit", path("train.npz"), "--force", "-o", path("m.safetensors"), *options)
    found = np.array([float(row["score"]) for row in csv.DictReader(puad("score", path("m.safetensors"), path("test.npz")).splitlines())])
    hits = TRUTH[~TRAIN][np.argsort(-found, kind="stable")]
    return (np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean()


@test
def answers_about_the_top_of_the_list_do_not_lower_average_precision():
    labels = np.zeros(TRAIN.sum(), int)
    labels[np.flatnonzero(TRUTH[TRAIN])[:10]] = 1
    np.savez(path("train.npz"), X=ROWS[TRAIN], y=labels)
    np.savez(path("test.npz"), X=ROWS[~TRAIN])
    before = precision()
    asked = list(csv.DictReader(puad("query", path("m.safetensors"), path("train.npz"), "-n", "60").splitlines()))
    with open(path("answers.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, asked[0])
        writer.writeheader()
        for row in asked:
            writer.writerow({**row, "label": 1 if TRUTH[TRAIN][int(row["row"])] else -1})
    assert TRUTH[TRAIN][[int(row["row"]) for row in asked]].sum() > 30
    after = precision("--answers", path("answers.csv"))
    print(f"average precision {before:.3f} before, {after:.3f} after")
    assert after > before - 0.02, (before, after)


finish()
