#!/usr/bin/env python3
"""Effect of labels that are not a random sample of the anomalies, on tables of ADBench.

Half of a table (at most 6000 rows, 10000 if fewer than 5% are anomalies) is for training, the other half for testing. How obvious a
training anomaly is, is its rank by the cross-validated score of a classifier that knows the truth (ExtraTrees, 5 folds). 10, 50 or 200
labels are drawn without replacement with a weight of exp(6 rank) (rising), exp(-6 rank) (falling) or 1 (random). Needs scikit-learn.
Prints the CSV of docs/results/biased_labels.csv.

    biased_labels.py [--tables a,b] [--draws N] > biased_labels.csv"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

PUAD, DATA = os.environ.get("PUAD", "build/puad"), os.environ.get("PUAD_DATA", "../shared/data")
WEIGHTS = {"random": 0, "rising": 6, "falling": -6}
COLUMNS = ("version,table,labels,labeling,draw,auroc,auroc_low,auroc_high,alpha,alpha_low,alpha_high,alpha_found,flagged_0.1,false_0.1,"
           "recall_0.1").split(",")
folder = tempfile.TemporaryDirectory()


def puad(*arguments):
    done = subprocess.run([PUAD, *map(str, arguments), "--threads", "1", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def path(name):
    return os.path.join(folder.name, name)


def run(values, labels, truth, new, new_truth, seed):
    numpy.savez(path("train.npz"), X=values, y=labels)
    numpy.savez(path("new.npz"), X=new)
    puad("fit", path("train.npz"), "-o", path("m.safetensors"), "--calibrate", "--seed", seed, "--force")
    rows = [line.split(",") for line in puad("score", path("m.safetensors"), path("new.npz"), "--fdr", "0.1").splitlines()]
    score, decision = ([float(row[rows[0].index(name)]) for row in rows[1:]] for name in ("score", "flag"))
    flagged = numpy.array(decision) == 1
    table = json.loads(puad("operate", path("m.safetensors"), "--json"))
    return {"auroc": roc_auc_score(new_truth, score), "auroc_low": table["auroc"]["low"], "auroc_high": table["auroc"]["high"],
            "alpha": truth[labels == 0].mean(), "alpha_low": table["alpha_low"], "alpha_high": table["alpha_high"], "alpha_found": table["alpha"],
            "flagged_0.1": int(flagged.any()), "false_0.1": (new_truth[flagged] == 0).mean() if flagged.any() else None,
            "recall_0.1": flagged[new_truth == 1].mean()}


def draws_of(name, file, seed):
    with numpy.load(os.path.join(DATA, "adbench", file)) as arrays:
        values, truth = arrays["X"].astype(float), arrays["y"].astype(int)
    draws = numpy.random.default_rng([seed, 77])
    order = draws.permutation(len(truth))[: 6000 if truth.mean() > 0.05 else 10000]
    values, truth, half = values[order], truth[order], len(order) // 2
    anomalies = numpy.flatnonzero(truth[:half] == 1)
    if len(anomalies) < 20 or truth[half:].sum() < 15 or half < 250:
        return
    oracle = cross_val_predict(ExtraTreesClassifier(200, random_state=0, n_jobs=1), values[:half], truth[:half], cv=5, method="predict_proba")[:, 1]
    rank = oracle[anomalies].argsort().argsort() / (len(anomalies) - 1)
    for count in (10, 50, 200):
        for labeling, slope in WEIGHTS.items() if len(anomalies) >= 1.5 * count else ():
            weight = numpy.exp(slope * rank)
            labels = numpy.zeros(half, int)
            labels[draws.choice(anomalies, count, replace=False, p=weight / weight.sum())] = 1
            yield {"table": name, "labels": count, "labeling": labeling, "draw": seed} | run(values[:half], labels, truth[:half], values[half:], truth[half:], seed)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", default="")
    options.add_argument("--draws", type=int, default=3)
    asked = options.parse_args()
    files = {file.split("_", 1)[1][:-4]: file for file in sorted(os.listdir(os.path.join(DATA, "adbench"))) if file.endswith(".npz")}
    version = subprocess.run([PUAD, "--version"], capture_output=True, text=True).stdout.split()[1]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in asked.tables.split(",") if asked.tables else files:
        for seed in range(asked.draws):
            for row in draws_of(name, files[name], seed):
                row["version"] = version
                writer.writerow(["" if row[c] is None else f"{row[c]:.5g}" if isinstance(row[c], float) else row[c] for c in COLUMNS])
                sys.stdout.flush()


main()
