"""What the checks on real tables share: draws of training and new rows, and calls of the program."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import numpy

PUAD, DATA = os.environ.get("PUAD", "build/puad"), os.environ.get("PUAD_DATA", "../shared/data")
THREADS = os.environ.get("PUAD_THREADS", "0")
folder = tempfile.TemporaryDirectory()


def need(path):
    """Ends the test as skipped where the data are not there."""
    if not os.path.isdir(os.path.join(DATA, path)):
        print(f"skipped: no {path} in {DATA}")
        sys.exit(77)


def load(name):
    with numpy.load(os.path.join(DATA, "tabular", name + ".npz")) as file:
        return file["X"].astype(numpy.float64), file["y"].astype(int)


def path(name):
    return os.path.join(folder.name, name)


def save(name, values, labels=None):
    numpy.savez(path(name), X=values, **({} if labels is None else {"y": labels}))
    return path(name)


def draw(name, seed, labeled=0.5, train=0.5, most=None):
    """Half of the rows to train on, of whose anomalies `labeled` are labeled (at most `most`); the other half is new.
    Returns training values and labels, the truth of its rows, new values and their truth."""
    values, truth = load(name)
    draws = numpy.random.default_rng([seed, 20240])
    order = draws.permutation(len(truth))
    cut = int(train * len(truth))
    old, new = order[:cut], order[cut:]
    anomalies = numpy.flatnonzero(truth[old] == 1)  # in random order already
    count = int(labeled * len(anomalies)) if most is None else min(most, int(labeled * len(anomalies)))
    labels = numpy.zeros(len(old), int)
    labels[anomalies[:count]] = 1
    return values[old], labels, truth[old], values[new], truth[new]


def hidden_share(labels, truth):
    unlabeled = labels == 0
    return (truth[unlabeled] == 1).mean()


def puad(*arguments, check=True):
    done = subprocess.run([PUAD, *map(str, arguments)], capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"puad {' '.join(map(str, arguments))}: {done.stderr}")
    return done


def fit(data, model, *arguments):
    puad("fit", data, "--quiet", "--threads", THREADS, *arguments, "-o", path(model))
    return path(model)


def score(model, data, *arguments):
    """Columns of the output as arrays; and what was said."""
    done = puad("score", model, data, "--threads", THREADS, *arguments)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    columns = {name: numpy.array([row[i] for row in rows[1:]]) for i, name in enumerate(rows[0])}
    for name in columns.keys() - {"kind", "file", "id"}:
        columns[name] = numpy.array([float(cell or "nan") for cell in columns[name]])
    return columns, done.stderr


def with_nan(value):
    """null, where labels do not identify a value, as NaN."""
    if isinstance(value, dict):
        return {key: with_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_nan(item) for item in value]
    return numpy.nan if value is None else value


def operate(model, *arguments):
    found = json.loads(puad("operate", model, "--json", "--threads", THREADS, *arguments).stdout)
    if found["best_f1_index"] is None:
        found["best_f1_index"] = len(found["points"]) // 2
    return with_nan(found)


def auroc(scores, truth):
    order = numpy.argsort(scores, kind="stable")
    ordered = scores[order]
    rank = numpy.empty(len(scores))
    rank[order] = numpy.arange(1, len(scores) + 1)
    values, inverse, counts = numpy.unique(ordered, return_inverse=True, return_counts=True)
    last = numpy.cumsum(counts)
    rank[order] = (last - (counts - 1) / 2)[inverse]
    positives = (truth == 1).sum()
    return (rank[truth == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives))
