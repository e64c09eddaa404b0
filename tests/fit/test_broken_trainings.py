#!/usr/bin/env python3
"""Trainings that cannot work, or hardly: each is caught, with a message that says what to do. A useless model is not written;
a doubtful one is, with a warning."""
import csv
import os
import subprocess
import sys
import tempfile

import numpy

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
passed = failed = 0
draws = numpy.random.default_rng(0)
HEADER = ["a", "b", "c", "label"]


def rows(count=300, anomalies=30, columns=3):
    """Good ones, as texts; anomalies first and labeled."""
    values = draws.normal(size=(count, columns))
    values[:anomalies] += 3
    return [[*(f"{v:.4f}" for v in row), "1" if i < anomalies else "0"] for i, row in enumerate(values)]


def write(name, table, header=HEADER):
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        csv.writer(file).writerows(([header] if header else []) + table)


def broken(what, table, *words, options=(), code=1, header=HEADER, kept=False):
    """`words` must be in the message; `kept`: the model is doubtful, not useless, so it is written."""
    global passed, failed
    if isinstance(table, bytes):
        with open(os.path.join(folder.name, "t.csv"), "wb") as file:
            file.write(table)
    else:
        write("t.csv", table, header)
    model = os.path.join(folder.name, "m.safetensors")
    done = subprocess.run([PUAD, "fit", "t.csv", "--label-column", "label", "--epochs", "12", "-o", model,
                           *(() if "--method" in options else ("--method", "pusvdd")), *options],
                          capture_output=True, text=True, cwd=folder.name)
    said = "\n".join(line for line in done.stderr.splitlines() if not line.startswith(("training", "pretraining")))
    missing = [word for word in words if word not in said]
    fine = done.returncode == code and not missing and os.path.exists(model) == kept
    passed, failed = passed + fine, failed + (not fine)
    if not fine or "-v" in sys.argv:
        print(f"{'' if fine else 'FAILED '}{what}: exit {done.returncode}, missing {missing}, said: {said}")
    if os.path.exists(model):
        os.remove(model)


good = rows()
unlabeled = [row[:3] + ["0"] for row in good]
broken("constant data", [["1", "2", "3", row[3]] for row in good], "--delimiter", "--categorical")
broken("one row, many times", [["1.5", "x", "3", "1" if i < 30 else "0"] for i in range(300)], "--delimiter", "--categorical")
broken("two different rows, many times", [["1" if i < 30 else "2", str(i % 1), "3", "1" if i < 30 else "0"] for i in range(300)],
       "warning", "2 distinct", "--ignore", code=0, kept=True)
broken("no unlabeled rows", [row[:3] + ["1"] for row in good], "300 rows", "--unlabeled")
broken("every row labeled one way or the other", [row[:3] + ["1" if i < 30 else "-1"] for i, row in enumerate(good)],
       "300 rows", "--unlabeled")
broken("no labeled anomalies for a method that needs them", unlabeled, "no labeled anomalies", "--method", code=0, kept=True)
broken("two labels", [row[:3] + ["1" if i < 2 else "0"] for i, row in enumerate(good)], "warning", "2 labeled", code=0, kept=True)
broken("learning rate 100", good, "learning rate", "--lr", options=("--lr", "100", "--set", "depth=3", "--set", "decay=1e-3"))
broken("learning rate 100, reconstruction", good, "learning rate", options=("--lr", "100", "--method", "puae", "--set", "depth=3", "--set", "decay=1e-3"))
broken("a learning rate that maps all rows to one point", good, "warning", "--force", "1 distinct",
       options=("--method", "deepsvdd", "--lr", "1", "--batch", "16", "--epochs", "3", "--set", "depth=3", "--set", "decay=1e-3"))
broken("a loss that never falls", good, "warning", "epoch 0 of 3", code=0, kept=True,
       options=("--method", "ae", "--lr", "1e-12", "--epochs", "3"))
broken("an alpha far too large", good, "warning", "100%", "--alpha auto", code=0, kept=True,
       options=("--alpha", "0.6", "--epochs", "3"))
broken("missing values", [row if i % 3 == 0 else ["", *row[1:]] for i, row in enumerate(good)], "200 of 300 values", "--ignore", code=0, kept=True)
broken("huge values", [["1e300" if i % 50 == 0 else row[0], *row[1:]] for i, row in enumerate(good)], "'a'", "6 of 300", "--ignore", code=0, kept=True)
broken("infinite values", [["inf" if i % 50 == 0 else row[0], *row[1:]] for i, row in enumerate(good)], "'a'", "6 of 300", "--ignore", code=0, kept=True)
broken("an empty file", b"", "t.csv", "empty")
broken("a header and no rows", [], "t.csv", "no rows")
broken("one column all missing, no other", [["", row[3]] for row in good], "--delimiter", "--categorical", header=["a", "label"])
broken("label column missing", good, "'label'", "t.csv", code=2, header=["a", "b", "c", "d"])
broken("alpha 0", good, "alpha is 0", "--alpha auto", code=0, kept=True, options=("--alpha", "0"))
broken("alpha 1", good, "--alpha", "below 1", code=2, options=("--alpha", "1"))
broken("alpha beyond 1", good, "--alpha", "below 1", code=2, options=("--alpha", "5"))
broken("alpha from four labels", [row[:3] + ["1" if i < 4 else "0"] for i, row in enumerate(good)], "at least 5", "--alpha",
       options=("--alpha", "auto"))
broken("text everywhere", [[f"note {i}", f"remark {i}x", f"so or {i}", row[3]] for i, row in enumerate(good)],
       "--delimiter", "--categorical")
broken("labels that mean nothing", [row[:3] + ["maybe"] for row in good], "'maybe'", "--positive")
broken("one row", good[:1], "--delimiter", "--categorical")
broken("cut in the middle of a quoted cell", b'a,b,label\n1,2,0\n"3,4,1\n', "t.csv", "quote")
broken("rows of different lengths", [row + ["9"] if i == 40 else row for i, row in enumerate(good)], "line 42", "cells")
broken("a picture, not a table", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "t.csv")
broken("zero epochs", good, "not trained", "--epochs", "--force", options=("--epochs", "0"))
broken("labels with the signs turned round", [row[:3] + ["1" if row[3] == "0" else "0"] for row in good], "270 of 300", "--positive",
       code=0, kept=True)
broken("nothing held out", good[:60], "--calibrate", "of 30", "50", code=2, options=("--calibrate",))
broken("kept all the same", good, "not trained", code=0, kept=True, options=("--epochs", "0", "--force"))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
