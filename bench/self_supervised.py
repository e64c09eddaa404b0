#!/usr/bin/env python3
"""The self-supervised heads on the tables of ADBench: does positive-unlabeled learning improve them, and do they improve the ensemble?

Runs (table, share, seed, method) as bench/adbench.py does, with rows of the same form, and in addition the mean of two methods' scores
as ranks among the test rows (`default+puicl`: the ensemble and `puicl`). Prints means over the splits that every method has, and paired
differences with their standard errors over the tables (averaged over the splits of a table first).

    bench/self_supervised.py --shares 5,10 --seeds 1,2
    bench/self_supervised.py --report
"""
import argparse
import os
import sys

import numpy

import adbench_methods
import adbench_protocol as protocol
from adbench_results import FEW_LABELS, Results

METHODS = ["icl", "semiicl", "puicl", "neutral", "semineutral", "puneutral", "default"]
TOGETHER = [("default", "puicl"), ("default", "puneutral")]
PAIRS = [("puicl", "icl"), ("puicl", "semiicl"), ("puneutral", "neutral"), ("puneutral", "semineutral"), ("default+puicl", "default"),
         ("default+puneutral", "default")]


def ranks(scores):
    order = numpy.argsort(numpy.argsort(scores, kind="stable"), kind="stable")
    return order / max(1, len(scores) - 1)


def run_split(how, results, table, share, seed):
    names = METHODS + ["+".join(pair) for pair in TOGETHER]
    if all((table, share, seed, name) in results.read() for name in names):
        return
    from sklearn.metrics import average_precision_score, roc_auc_score
    split = protocol.split_few_labels(*protocol.read_table(protocol.find_tables(how.data)[table]), share, seed)
    alpha, scores = protocol.hidden_share(split), {}

    def keep(name, arguments, found, seconds):
        results.add({"table": table, "share": f"{share:g}", "seed": seed, "method": name, "rows": len(split.train),
                     "columns": split.train.shape[1], "labels": int(split.labels.sum()), "hidden": int(split.truth[split.labels == 0].sum()),
                     "auroc": f"{roc_auc_score(split.test_truth, found):.6f}", "ap": f"{average_precision_score(split.test_truth, found):.6f}",
                     "fit_seconds": f"{seconds[0]:.3f}", "score_seconds": f"{seconds[1]:.3f}", "arguments": arguments})
        print(table, share, seed, name, results.read()[table, share, seed, name]["auroc"], file=sys.stderr, flush=True)

    for name in METHODS:
        arguments = adbench_methods.parse(name)[1]
        done = adbench_methods.run(name, arguments, split, alpha, seed, how.puad, 1)
        scores[name] = done.scores
        keep(name, arguments, done.scores, (done.fit_seconds, done.score_seconds))
    for pair in TOGETHER:
        keep("+".join(pair), "", sum(ranks(scores[name]) for name in pair) / len(pair), (0, 0))


def report(results, shares):
    rows = results.read()
    together = ["+".join(pair) for pair in TOGETHER]
    for share in shares:
        for names in (METHODS[:3], METHODS[3:6], ["default", "puicl", "puneutral", *together]):
            report_group(rows, share, names)


def report_group(rows, share, names):
    """Means over the splits that all of these have."""
    splits = {(table, seed) for table, at, seed, _ in rows if at == share}
    whole = sorted(key for key in splits if all((key[0], share, key[1], name) in rows for name in names))
    tables = sorted({table for table, _ in whole})
    if len(tables) < 2:
        return
    print(f"\n{100 * share:g}% of the anomalies labeled, {len(whole)} splits of {len(tables)} tables: {', '.join(tables)}\n")

    def of(name, metric):
        return numpy.array([numpy.mean([float(rows[t, share, seed, name][metric]) for t, seed in whole if t == table]) for table in tables])

    print("| method | AUROC | average precision |\n|---|---|---|")
    for name in names:
        print(f"| {name} | {of(name, 'auroc').mean():.3f} | {of(name, 'ap').mean():.3f} |")
    for one, other in PAIRS:
        if one in names and other in names:
            apart = {metric: of(one, metric) - of(other, metric) for metric in ("auroc", "ap")}
            cells = [f"{d.mean():+.3f} ± {d.std(ddof=1) / len(d) ** 0.5:.3f}" for d in apart.values()]
            print(f"| {one} - {other} | {cells[0]} | {cells[1]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default="annthyroid,thyroid,cardio,Cardiotocography,letter,fault,landsat,satellite,satimage-2,pendigits,Waveform,yeast",
                        help="default: those of at most 10,000 rows; in larger ones the protocol labels nearly all drawn anomalies")
    parser.add_argument("--shares", default="5,10")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--csv", default="docs/results/self_supervised.csv")
    parser.add_argument("--data", default=protocol.default_folder())
    parser.add_argument("--puad", default="build/puad")
    parser.add_argument("--report", action="store_true")
    how = parser.parse_args()
    how.puad = os.path.abspath(how.puad)
    results, shares = Results(how.csv, FEW_LABELS), [float(share) / 100 for share in how.shares.split(",")]
    for share in [] if how.report else shares:
        for seed in how.seeds.split(","):
            for table in how.tables.split(","):
                run_split(how, results, table, share, int(seed))
    report(results, shares)


if __name__ == "__main__":
    main()
