#!/usr/bin/env python3
"""puad prior on mixtures whose alpha is known, as CSV and NPZ, and where it must refuse."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()


def prior(*arguments, code=0):
    done = subprocess.run([PUAD, "prior", *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def mixture(labeled, unlabeled, hidden, shift, seed=0, columns=6):
    """Labeled anomalies first, then hidden ones, then normal rows."""
    draws = numpy.random.default_rng(seed)
    values = draws.normal(size=(labeled + unlabeled, columns))
    values[: labeled + hidden, :4] += shift
    labels = numpy.zeros(labeled + unlabeled, dtype=int)
    labels[:labeled] = 1
    return values, labels


def save_npz(name, values, labels):
    path = os.path.join(folder.name, name)
    numpy.savez(path, X=values, y=labels)
    return path


@test
def the_interval_contains_the_truth_for_an_npz():
    found = json.loads(prior(save_npz("a.npz", *mixture(150, 3000, 300, 2.0)), "--json").stdout)
    assert found["alpha_low"] <= 0.1 <= found["alpha_high"], found
    assert abs(found["alpha"] - 0.1) < 0.03, found
    assert found["alpha_kind"] == "alpha_U" and not found["refused"]
    assert abs(found["alpha_all"] - (found["alpha"] * 3000 + 150) / 3150) < 1e-9
    assert found["anomalies"] == 150 and found["unlabeled"] == 3000 and found["rows"] == 3150


@test
def labeled_normals_of_a_csv_are_left_out():
    values, labels = mixture(100, 1500, 75, 2.5, seed=1)
    path = os.path.join(folder.name, "a.csv")
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["a", "b", "c", "d", "e", "f", "label"])
        for row, label in zip(values, labels):
            rows.writerow([*map(repr, map(float, row)), label])
        for row in numpy.random.default_rng(1).normal(size=(200, 6)):
            rows.writerow([*map(repr, map(float, row)), -1])
    found = json.loads(prior(path, "--label-column", "label", "--json").stdout)
    assert found["normals"] == 200 and found["unlabeled"] == 1500, found
    assert found["alpha_low"] <= 0.05 <= found["alpha_high"], found
    text = prior(path, "--label-column", "label").stdout
    assert "alpha_U" in text and "alpha_all" in text and "sample" in text, text


@test
def the_same_seed_gives_the_same_answer_for_any_number_of_threads():
    path = save_npz("b.npz", *mixture(60, 800, 80, 2.0))
    answers = []
    for threads in "1", "2", "3":
        answer = json.loads(prior(path, "--json", "--threads", threads, "--seed", "4").stdout)
        del answer["seconds"]
        answers.append(answer)
    assert answers[0] == answers[1] == answers[2], answers


@test
def anomalies_like_normal_rows_are_refused():
    path = save_npz("c.npz", *mixture(200, 2000, 200, 0.05))
    done = prior(path, "--json", code=1)
    found = json.loads(done.stdout)
    assert found["refused"] and found["reason"], found
    assert done.stderr


@test
def few_labels_are_refused():
    done = prior(save_npz("d.npz", *mixture(4, 1000, 50, 3.0)), code=1)
    assert "4 labeled" in done.stderr and "5" in done.stderr, done.stderr
    done = prior(save_npz("e.npz", *mixture(1, 1000, 50, 3.0)), "--json", code=1)
    assert json.loads(done.stdout)["alpha"] is None


@test
def ten_labels_suffice_for_distinct_anomalies():
    found = json.loads(prior(save_npz("g.npz", *mixture(10, 1000, 50, 3.0)), "--json").stdout)
    assert found["alpha_low"] <= 0.05 <= found["alpha_high"] < 0.3, found


@test
def the_evidence_is_drawn():
    plot = os.path.join(folder.name, "alpha.svg")
    prior(save_npz("f.npz", *mixture(60, 800, 80, 2.0)), "--plot", plot)
    text = open(plot).read()
    assert text.startswith("<") and "unlabeled" in text and "anomalies" in text


@test
def a_file_without_labels_exits_with_status_2():
    path = os.path.join(folder.name, "plain.npz")
    numpy.savez(path, X=numpy.random.default_rng(0).normal(size=(30, 2)))
    assert "plain.npz" in prior(path, code=2).stderr


finish()
