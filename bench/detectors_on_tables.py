#!/usr/bin/env python3
"""Every detector on real tables, compared with scikit-learn's isolation forest on the same rows.

Each table (an NPZ file with X and y) is split 70/30, stratified; 30% of the training anomalies, but at least 3, are labeled, the rest are
hidden in the unlabeled part. Prints the mean AUROC on the test part for each table and method, as Markdown; --csv stores every run, and
runs in the file are not repeated.

    bench/detectors_on_tables.py --csv tables.csv
    bench/detectors_on_tables.py --methods pusvdd,puae --fit "--lr 1e-3" --seeds 100,101 --csv tried.csv
    bench/detectors_on_tables.py --methods pnusvdd,pnuae --normals --fit "--set weight=prior" --seeds 100,101 --csv tried.csv
"""
import argparse
import concurrent.futures
import csv
import os
import re
import shlex
import subprocess
import tempfile

import numpy
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

METHODS = "if,ae,dae,deepsvdd,loe,abc,deepsad,soel,pu,puae,pudae,pusvdd,puloe"
SKLEARN = "scikit-learn if"


def split(path, seed, with_normals=False):
    """(training rows, their labels, test rows, truth)"""
    with numpy.load(path) as file:
        values, truth = file["X"].astype(numpy.float32), file["y"].astype(int)
    draw = numpy.random.default_rng(seed)
    train = numpy.zeros(len(truth), bool)
    for kind in (0, 1):
        rows = draw.permutation(numpy.flatnonzero(truth == kind))
        train[rows[:round(0.7 * len(rows))]] = True
    anomalies = draw.permutation(numpy.flatnonzero(train & (truth == 1)))
    labels = numpy.zeros(len(truth), int)
    labels[anomalies[:max(3, round(0.3 * len(anomalies)))]] = 1
    order = draw.permutation(numpy.flatnonzero(train))
    if with_normals:
        labels[draw.permutation(numpy.flatnonzero(train & (truth == 0)))[:(labels == 1).sum()]] = -1
    return values[order], labels[order], values[~train], truth[~train]


def run(job):
    table, seed, methods, how = job
    rows, labels, test, truth = split(os.path.join(how.data, table + ".npz"), seed, how.normals)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        train_file, test_file, model = (os.path.join(folder, name) for name in ("train.npz", "test.npz", "m"))
        numpy.savez(train_file, X=rows, y=labels)
        numpy.savez(test_file, X=test)
        for method in methods:
            if method == SKLEARN:
                scores = -IsolationForest(random_state=seed).fit(rows[labels == 0]).score_samples(test)
            else:
                fit = [how.puad, "fit", train_file, "--method", method, "--seed", str(seed), "--threads", "1", "--quiet", "--force",
                       *shlex.split(how.fit), "-o", model]
                made = subprocess.run(fit, capture_output=True, text=True)
                if not os.path.exists(model):
                    raise SystemExit(f"{table}, {method}, seed {seed}: {made.stderr}")
                printed = subprocess.run([how.puad, "score", model, test_file, "--quiet"], check=True, capture_output=True, text=True)
                scores = [float(line.split(",")[1]) for line in printed.stdout.splitlines()[1:]]
                os.remove(model)
            found.append((table, seed, method, setting(how), roc_auc_score(truth, scores)))
    return found


def setting(how):
    """The configuration of the runs, as stored in the file."""
    return how.fit + " with labeled normals" * how.normals


def known(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        return {(r["table"], int(r["seed"]), r["method"], r["fit"]): float(r["auroc"]) for r in csv.DictReader(file)}


def keep(path, results):
    if not path:
        return
    with open(path + ".part", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "seed", "method", "fit", "auroc"])
        writer.writerows((*key, f"{value:.6f}") for key, value in sorted(results.items()))
    os.replace(path + ".part", path)


def show(results, tables, seeds, methods, fit):
    def mean(table, method):
        return numpy.mean([results[table, seed, method, "" if method == SKLEARN else fit] for seed in seeds])

    print("| table | " + " | ".join(methods) + " |\n|---|" + "---|" * len(methods))
    for table in tables:
        print(f"| {table} | " + " | ".join(f"{mean(table, method):.3f}" for method in methods) + " |")
    print("| **mean** | " + " | ".join(f"{numpy.mean([mean(t, method) for t in tables]):.4f}" for method in methods) + " |")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--puad", default="build/puad")
    ask.add_argument("--data", default=os.path.join(os.environ.get("PUAD_DATA", "../shared/data"), "tabular"), help="folder of the tables")
    ask.add_argument("--tables", help="names separated by commas; default all")
    ask.add_argument("--methods", default=METHODS)
    ask.add_argument("--seeds", default="0,1,2,3,4")
    ask.add_argument("--fit", default="", help="more options of puad fit")
    ask.add_argument("--normals", action="store_true", help="label as many normal rows as anomalies")
    ask.add_argument("--jobs", type=int, default=os.cpu_count())
    ask.add_argument("--csv", help="file that stores every run")
    how = ask.parse_args()
    if not os.path.isdir(how.data):
        raise SystemExit(f"no tables in {how.data}: --data names their folder")
    tables = how.tables.split(",") if how.tables else sorted((name[:-4] for name in os.listdir(how.data) if name.endswith(".npz")),
                                                             key=lambda name: int(re.match(r"\d*", name)[0] or 0))
    methods, seeds = [SKLEARN, *how.methods.split(",")], [int(seed) for seed in how.seeds.split(",")]
    results = known(how.csv)
    jobs = []
    for table in tables:
        for seed in seeds:
            missing = [m for m in methods if (table, seed, m, "" if m == SKLEARN else setting(how)) not in results]
            if missing:
                jobs.append((table, seed, missing, how))
    with concurrent.futures.ThreadPoolExecutor(how.jobs) as pool:
        for found in pool.map(run, jobs):
            for table, seed, method, fit, auroc in found:
                results[table, seed, method, "" if method == SKLEARN else fit] = auroc
            keep(how.csv, results)
    show(results, tables, seeds, methods, setting(how))


if __name__ == "__main__":
    main()
