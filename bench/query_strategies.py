#!/usr/bin/env python3
"""Compares strategies of choosing rows for review on tables of ADBench, with true answers.

Half of a table (at most 6000 rows) is for training with 10 labeled anomalies, the other half for testing. Answers come in rounds of 20,
20 and 60 rows; the model is trained again after each round (`fit --answers --update`). Strategies:

    top          the unreviewed rows with the highest scores
    uncertainty  the unreviewed rows nearest to rank alpha x rows, where alpha is the true fraction of anomalies
    random       random unreviewed rows
    half         half of them top, half uncertainty
    spread       half of them uncertainty, half random
    thirds       a third each of top, uncertainty and random
    tenth        as uncertainty, with 0.1 in place of alpha
    band         rows at ranks that grow by a constant factor, from 1% to 40% of the rows
    halfband     half of them band, half random
    find, learn  puad query --goal find, --goal learn

Kinds are clusters of the training anomalies (k-means on standardized columns; as many as there are eights of them, 3 to 10). Those among the
answers or the first labels are counted. Needs scikit-learn.

Prints one line of CSV for each strategy, table, draw and round. With --report FILE it prints means over tables instead.

    query_strategies.py [--tables a,b] [--draws N] [--first N] [--strategies a,b] > strategies.csv"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

import numpy
from sklearn.cluster import KMeans

PUAD, DATA = os.environ.get("PUAD", "build/puad"), os.environ.get("PUAD_DATA", "../shared/data")
TABLES = "annthyroid,cardio,satellite,pendigits,Cardiotocography,fault,campaign,mnist,thyroid,Waveform"
ROUNDS = (20, 20, 60)
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def puad(*arguments):
    done = subprocess.run([PUAD, *map(str, arguments), "--threads", "1", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def load(name):
    file = next(file for file in os.listdir(os.path.join(DATA, "adbench")) if file.split("_", 1)[1] == name + ".npz")
    with numpy.load(os.path.join(DATA, "adbench", file)) as arrays:
        return arrays["X"].astype(float), arrays["y"].astype(int)


def scores(model, data):
    rows = [line.split(",") for line in puad("score", model, data).splitlines()]
    place = rows[0].index("score")
    return numpy.array([float(row[place]) for row in rows[1:]])


def judge(found, truth):
    order = numpy.argsort(-found, kind="stable")
    hits = truth[order]
    ranks = numpy.arange(1, len(hits) + 1)
    precision = (numpy.cumsum(hits) / ranks)[hits == 1].mean()
    below = len(hits) - ranks - (hits.sum() - numpy.cumsum(hits))
    return below[hits == 1].mean() / (hits == 0).sum(), precision


def band(rows, count):
    """Different ranks, from 1% to 40% of the rows."""
    return numpy.unique((rows * 0.01 * 40 ** (numpy.arange(count) / count)).astype(int))


def kinds_of(values, truth, seed):
    """The kind of each anomaly; -1 for normal rows."""
    anomalies, kinds = numpy.flatnonzero(truth == 1), numpy.full(len(truth), -1)
    spread = values.std(0)
    standard = (values - values.mean(0)) / numpy.where(spread > 0, spread, 1)
    kinds[anomalies] = KMeans(min(10, max(3, len(anomalies) // 8)), n_init=3, random_state=seed).fit_predict(standard[anomalies])
    return kinds


def choose(strategy, model, data, free, count, share, files, seed):
    if strategy in ("find", "learn"):
        text = puad("query", model, data, "--goal", strategy, "--top", count, "--seed", seed, *(f"--answers={file}" for file in files))
        return numpy.array([int(line.split(",")[0]) for line in text.splitlines()[1:]])
    if strategy == "random":
        return numpy.random.default_rng(seed).permutation(free)[:count]
    order = free[numpy.argsort(-scores(model, data)[free], kind="stable")]
    middle = int((0.1 if strategy == "tenth" else share) * len(order))
    near = order[numpy.argsort(numpy.abs(numpy.arange(len(order)) - middle), kind="stable")]
    if strategy == "top":
        return order[:count]
    if strategy in ("uncertainty", "tenth"):
        return near[:count]
    if strategy in ("band", "halfband"):
        near = order[band(len(order), count if strategy == "band" else count // 2)]
        rest = numpy.random.default_rng(seed).permutation(numpy.setdiff1d(free, near))
        return numpy.concatenate([near, rest[: count - len(near)]])
    if strategy in ("spread", "thirds"):
        top = order[: count // 3] if strategy == "thirds" else order[:0]
        near = near[~numpy.isin(near, top)][: count // 3 if strategy == "thirds" else count // 2]
        taken = numpy.concatenate([top, near])
        rest = numpy.random.default_rng(seed).permutation(numpy.setdiff1d(free, taken))
        return numpy.concatenate([taken, rest[: count - len(taken)]])
    top = order[: count - count // 2]
    return numpy.concatenate([top, near[~numpy.isin(near, top)][: count // 2]])


def run(name, seed, strategy, writer):
    values, truth = load(name)
    draws = numpy.random.default_rng([seed, 5])
    order = draws.permutation(len(truth))[:6000]
    values, truth = values[order], truth[order]
    half = len(truth) // 2
    labels = numpy.zeros(half, int)
    labels[draws.permutation(numpy.flatnonzero(truth[:half] == 1))[:10]] = 1
    numpy.savez(path("train.npz"), X=values[:half], y=labels)
    numpy.savez(path("new.npz"), X=values[half:])
    kinds = kinds_of(values[:half], truth[:half], seed)
    puad("fit", path("train.npz"), "-o", path("0.st"), "--seed", seed)
    model, files, asked, found = path("0.st"), [], numpy.flatnonzero(labels), 0
    for turn, count in enumerate(ROUNDS):
        free = numpy.setdiff1d(numpy.arange(half), asked)
        chosen = choose(strategy, model, path("train.npz"), free, count, truth[:half].mean(), files, 10 * seed + turn)
        asked, found = numpy.concatenate([asked, chosen]), found + int(truth[chosen].sum())
        files.append(path(f"{turn}.csv"))
        with open(files[-1], "w") as file:
            file.write("row,label\n" + "".join(f"{row},{1 if truth[row] else -1}\n" for row in chosen))
        puad("fit", path("train.npz"), "-o", path(f"{turn + 1}.st"), "--update", model, "--seed", seed, *(f"--answers={file}" for file in files))
        model = path(f"{turn + 1}.st")
        writer.writerow([strategy, name, seed, sum(ROUNDS[: turn + 1]), found, len({*kinds[asked]} - {-1}), *(f"{value:.4f}" for value in judge(scores(model, path("new.npz")), truth[half:]))])
        sys.stdout.flush()


def report(file):
    with open(file, newline="") as lines:
        rows = list(csv.DictReader(lines))
    runs = {(row["strategy"], row["table"], row["draw"]) for row in rows if row["answers"] == "100"}
    strategies = sorted({run[0] for run in runs})
    common = [run[1:] for run in runs if run[0] == strategies[0] and all((name, *run[1:]) in runs for name in strategies)]
    print(f"{len(common)} draws of {len({table for table, _ in common})} tables")
    for name in strategies:
        words = []
        for answers in ("20", "40", "100"):
            some = [row for row in rows if row["strategy"] == name and row["answers"] == answers and (row["table"], row["draw"]) in common]
            words.append(f"{answers}: {numpy.mean([float(row['auroc']) for row in some]):.3f} / {numpy.mean([float(row['precision']) for row in some]):.3f}, "
                         f"found {numpy.mean([float(row['found']) for row in some]):.1f}, "
                         f"kinds {numpy.mean([float(row['kinds']) for row in some]):.2f}")
        print(f"{name:12} " + "; ".join(words))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", default=TABLES)
    options.add_argument("--draws", type=int, default=2)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--strategies", default="top,uncertainty,random,half,find,learn")
    options.add_argument("--report")
    asked = options.parse_args()
    if asked.report:
        return report(asked.report)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["strategy", "table", "draw", "answers", "found", "kinds", "auroc", "precision"])
    for seed in range(asked.first, asked.first + asked.draws):
        for name in asked.tables.split(","):
            for strategy in asked.strategies.split(","):
                run(name, seed, strategy, writer)


main()
