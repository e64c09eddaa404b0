#!/usr/bin/env python3
"""Do more labels help? AUROC and average precision on tables of ADBench by the number of labels, with paired differences to other methods.

A draw takes at most 10,000 rows of a table at random, without replacement, 70% of the normal rows and of the anomalies for training and the
rest for testing. The training anomalies get a random order: with n labels the first n are labeled and the others are hidden among the
unlabeled rows. So a draw with 5 labels has the rows of the draw with 2, and its labels and 3 more. Columns are scaled to [0, 1] on the training part.

    bench/more_labels.py --methods default,catboost --group dev --draws 3 --csv build/labels.csv
    bench/more_labels.py --report --csv docs/results/more_labels.csv

Every run is a row of the file; existing runs are not repeated. Methods and groups are those of bench/adbench.py. The report prints the
means by number of labels, over tables with at least that many training anomalies and one more; falls: how far the mean over draws of a table is below
its best with fewer labels; and differences to the default, paired by table, with standard errors over tables.
"""
import argparse
import collections
import csv
import os
import sys

import numpy

import adbench_methods
import adbench_protocol as protocol

COLUMNS = ("table", "draw", "labels", "method", "auroc", "ap", "fit_seconds", "score_seconds")
COUNTS = (0, 1, 2, 5, 10, 20, 50)
FALL = 0.02  # of the mean over draws, which a report lists


def draw_split(rows, truth, draw):
    """A protocol.Split without labels, and the training anomalies in labeling order."""
    generator = numpy.random.default_rng([draw, len(truth)])
    chosen = generator.permutation(len(truth))[:protocol.MOST]
    train, test = [], []
    for kind in (0, 1):
        some = chosen[truth[chosen] == kind]
        train.append(some[:int(0.7 * len(some))])
        test.append(some[int(0.7 * len(some)):])
    train, test = generator.permutation(numpy.concatenate(train)), numpy.concatenate(test)
    split = protocol.scaled(rows, truth, train, numpy.zeros(len(train), int), test, truth[test])
    return split, generator.permutation(numpy.flatnonzero(split.truth == 1))


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        return {(row["table"], int(row["draw"]), int(row["labels"]), row["method"]): row for row in csv.DictReader(file)}


def write(path, rows):
    with open(path + ".part", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    os.replace(path + ".part", path)


def run_all(how, tables, methods):
    from sklearn.metrics import average_precision_score, roc_auc_score
    paths, done = protocol.find_tables(how.data), read(how.csv)
    for draw in range(1, how.draws + 1):
        for table in tables:
            left = [(count, name) for count in how.counts for name in methods if (table, draw, count, name) not in done
                    and (count or not adbench_methods.needs_labels(name, methods[name]))]
            if not left:
                continue
            split, order = draw_split(*protocol.read_table(paths[table]), draw)
            for count, name in left:
                if count >= len(order):  # at least one anomaly stays hidden
                    continue
                split.labels[:] = 0
                split.labels[order[:count]] = 1
                try:
                    found = adbench_methods.run(name, methods[name], split, protocol.hidden_share(split), draw, how.puad, how.threads)
                except (adbench_methods.Failed, ValueError) as problem:
                    print(f"{table}, draw {draw}, {count} labels, {name}: {problem}", file=sys.stderr)
                    continue
                done[table, draw, count, name] = dict(zip(COLUMNS, (
                    table, draw, count, name, f"{roc_auc_score(split.test_truth, found.scores):.6f}",
                    f"{average_precision_score(split.test_truth, found.scores):.6f}", f"{found.fit_seconds:.3f}", f"{found.score_seconds:.3f}")))
            write(how.csv, done)
            print(f"{table}, draw {draw}", file=sys.stderr, flush=True)


def table_means(rows):
    """{(method, labels): {table: (auroc, ap) mean over draws}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for (table, draw, count, method), row in rows.items():
        found[method, count][table].append((float(row["auroc"]), float(row["ap"])))
    return {key: {table: numpy.mean(values, 0) for table, values in tables.items()} for key, tables in found.items()}


def falls(means, method, counts):
    """(table, labels, measure, fall) where the mean over draws is more than FALL below the best with fewer labels."""
    found = []
    for table in sorted({table for count in counts for table in means.get((method, count), {})}):
        best = numpy.zeros(2)
        for count in counts:
            value = means.get((method, count), {}).get(table)
            if value is None:
                continue
            found += [(table, count, measure, best[i] - value[i]) for i, measure in enumerate(("AUROC", "AP")) if best[i] - value[i] > FALL]
            best = numpy.maximum(best, value)
    return found


def pair(mean, error=None):
    if error is None:
        return " / ".join(f"{value:.3f}".lstrip("0") for value in mean)
    return " / ".join(f"{value:+.3f} ± {wide:.3f}" for value, wide in zip(mean, error))


def report(how, groups, methods):
    means = table_means(read(how.csv))
    for name, tables in groups.items():
        print(f"\n{name}: AUROC / average precision\n\n| labels | " + " | ".join(methods) + " |\n|---" * 1 + "|---" * len(methods) + "|")
        for count in how.counts:
            cells = []
            for method in methods:
                some = [means[method, count][table] for table in tables if table in means.get((method, count), {})]
                cells.append(f"{pair(numpy.mean(some, 0))} ({len(some)})" if some else "")
            print(f"| {count} | " + " | ".join(cells) + " |")
        for other in methods[1:]:
            cells = []
            for count in how.counts:
                ours, theirs = means.get((methods[0], count), {}), means.get((other, count), {})
                differences = [ours[table] - theirs[table] for table in tables if table in ours and table in theirs]
                if len(differences) > 1:
                    cells.append(f"{count}: " + pair(numpy.mean(differences, 0), numpy.std(differences, 0, ddof=1) / len(differences) ** 0.5))
            print(f"\n{methods[0]} minus {other}: " + "; ".join(cells))
        for method in methods:
            for table, count, measure, fall in falls({key: {t: v for t, v in some.items() if t in tables} for key, some in means.items()},
                                                     method, how.counts):
                print(f"{method}: {table} with {count} labels, {measure} {fall:.3f} below the best with fewer")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--methods", default="default", help="as in bench/adbench.py; the report compares the first with the others")
    add("--group", choices=sorted(protocol.GROUPS), default="all")
    add("--tables", help="names separated by commas, instead of a group")
    add("--counts", default=",".join(map(str, COUNTS)), help="numbers of labels")
    add("--draws", type=int, default=5)
    add("--report", action="store_true", help="run nothing, print the existing results")
    add("--csv", default="docs/results/more_labels.csv")
    add("--data", default=protocol.default_folder(), help="folder of the tables")
    add("--puad", default="build/puad")
    add("--threads", type=int, default=1)
    how = parser.parse_args(argv)
    how.counts = [int(count) for count in how.counts.split(",")]
    methods = adbench_methods.parse_all(how.methods)
    tables = how.tables.split(",") if how.tables else protocol.GROUPS[how.group]
    if not how.report:
        run_all(how, tables, methods)
    names = [how.group] if how.group != "all" else ["dev", "judge", "small"]
    report(how, {"tables": tables} if how.tables else {name: protocol.GROUPS[name] for name in names}, list(methods))


if __name__ == "__main__":
    main()
