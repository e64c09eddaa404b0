#!/usr/bin/env python3
"""More labels do not hurt: default fits with 0 to 50 labels on tables of ADBench (PUAD_DATA/adbench), the same rows with each number of
labels, and the labels of a smaller number among those of a larger one. The mean AUROC and average precision over the tables rise with each step,
and no table falls by more than 0.02 below what it had with fewer labels, beyond two standard errors of the draws. Six tables and
three draws; PUAD_ALL=1 takes all tables of 1000 rows or more and five draws."""
import os
import sys

import numpy

SOURCE = os.environ.get("SOURCE", ".")
sys.path[:0] = [os.path.join(SOURCE, "tests", "helpers"), os.path.join(SOURCE, "bench")]
from checks import check, finish

try:
    import more_labels
    import adbench_methods
    import adbench_protocol as protocol
    from sklearn.metrics import average_precision_score, roc_auc_score
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)
FOLDER = os.path.join(os.environ.get("PUAD_DATA", "../shared/data"), "adbench")
if not os.path.isdir(FOLDER):
    print(f"skipped: no tables in {FOLDER}")
    sys.exit(77)

ALL = bool(os.environ.get("PUAD_ALL"))
TABLES = protocol.GROUPS["large"] if ALL else "annthyroid cardio satellite pendigits fault satimage-2".split()
DRAWS = 5 if ALL else 3
PUAD = os.environ.get("PUAD", "build/puad")


def measured(table):
    """draws x numbers of labels x (AUROC, average precision), NaN where there are too few anomalies."""
    rows, truth = protocol.read_table(protocol.find_tables(FOLDER)[table])
    found = numpy.full((DRAWS, len(more_labels.COUNTS), 2), numpy.nan)
    for draw in range(DRAWS):
        split, order = more_labels.draw_split(rows, truth, draw + 1)
        for i, count in enumerate(more_labels.COUNTS):
            if count >= len(order):
                continue
            split.labels[:] = 0
            split.labels[order[:count]] = 1
            scores = adbench_methods.run("default", "", split, 0, draw, PUAD, int(os.environ.get("PUAD_THREADS", "1"))).scores
            found[draw, i] = roc_auc_score(split.test_truth, scores), average_precision_score(split.test_truth, scores)
    return found


results = numpy.array([measured(table) for table in TABLES])
for m, measure in enumerate(("AUROC", "average precision")):
    for i in range(1, len(more_labels.COUNTS)):
        whole = ~numpy.isnan(results[:, :, i, m]).any(1)  # tables with so many labels
        rise = (results[whole, :, i, m] - results[whole, :, i - 1, m]).mean()
        check(rise > 0, f"mean {measure} rises by {rise:.4f} from {more_labels.COUNTS[i - 1]} to {more_labels.COUNTS[i]} labels")
    for table, draws in zip(TABLES, results[..., m]):
        for i in range(1, len(more_labels.COUNTS)):
            before = int(numpy.nanargmax(draws[:, :i].mean(0)))
            falls = draws[:, before] - draws[:, i]
            if numpy.isnan(falls).any():
                continue
            error = falls.std(ddof=1) / DRAWS ** 0.5
            check(falls.mean() - 2 * error <= more_labels.FALL, f"{table}: {measure} with {more_labels.COUNTS[i]} labels is {falls.mean():.3f} "
                  f"(standard error {error:.3f}) below that with {more_labels.COUNTS[before]}")
finish()
