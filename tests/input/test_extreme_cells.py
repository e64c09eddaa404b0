#!/usr/bin/env python3
"""A fill value such as 1e36 changes the score of its own row and nothing else, in training files and in files to score."""
import os, random, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
draw = random.Random(0)


def rows_of(count, shift):
    return [[draw.gauss(shift, 1), draw.gauss(-shift, 2), draw.gauss(0, 1)] for _ in range(count)]


def write(name, rows, labels=None):
    path = os.path.join(folder.name, name)
    with open(path, "w") as file:
        file.write("a,b,c" + ",label\n" * (labels is not None) + "\n" * (labels is None))
        for i, row in enumerate(rows):
            file.write(",".join(map(repr, row)) + (f",{labels[i]}" if labels else "") + "\n")
    return path


training = rows_of(300, 0) + rows_of(20, 6)
labels = [0] * 300 + [1] * 20
test_rows = rows_of(50, 0) + rows_of(10, 6)


def fit(method, rows, name):
    model = os.path.join(folder.name, name)
    subprocess.run([PUAD, "fit", write(name + ".csv", rows, labels), "--label-column", "label", "--method", method, "--epochs", "5", "--threads",
                    "1", "--quiet", "--force", "-o", model], check=True, capture_output=True)
    return model


def score(model, rows):
    done = subprocess.run([PUAD, "score", model, write("rows.csv", rows)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [line.split(",")[1] for line in done.stdout.splitlines()[1:]], done.stderr


def auroc(scores):
    normal, odd = [float(s) for s in scores[:50]], [float(s) for s in scores[50:]]
    return sum((o > n) + (o == n) / 2 for o in odd for n in normal) / len(odd) / len(normal)


@test
def an_extreme_cell_to_score_changes_its_own_row_only():
    for method in "pusvdd", "puae", "pu", "if":
        model = fit(method, training, "plain")
        plain, told = score(model, test_rows)
        assert "column 'b'" not in told, told
        for value in 1e36, -1e36, 1e300:
            wild = [list(row) for row in test_rows]
            wild[7][1] = value
            found, told = score(model, wild)
            assert [s for i, s in enumerate(found) if i != 7] == [s for i, s in enumerate(plain) if i != 7], method
            assert abs(float(found[7])) < 1e30, (method, found[7])
            assert "1 row" in told and "row 7, column 'b'" in told, told


@test
def an_extreme_cell_of_the_training_data_does_not_ruin_its_column():
    for method in "pusvdd", "puae", "if":
        wild = [list(row) for row in training]
        wild[11][0] = wild[12][1] = 1e36
        before, after = (auroc(score(fit(method, rows, "m"), test_rows)[0]) for rows in (training, wild))
        assert after > before - 0.05, (method, before, after)


finish()
