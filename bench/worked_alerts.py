#!/usr/bin/env python3
"""Do answers about the top of the list help? Average precision on held-out rows before and after a person checks the rows with the highest scores.

Splits are those of bench/more_labels.py: 10 training anomalies are labeled at random and a model is trained. The unlabeled training rows with
the highest scores get their true answers, and models are trained again: with the answers as labels of the input (`--how labels`) or as a file of
answers (`--how answers`, the default: option --answers of fit). One line of CSV per table, draw and number of answers; --report prints means
over tables with standard errors.

    bench/worked_alerts.py --group dev --draws 2 --out build/alerts.csv
    bench/worked_alerts.py --report build/alerts.csv
"""
import argparse
import collections
import csv
import os
import subprocess
import tempfile

import numpy
from sklearn.metrics import average_precision_score, roc_auc_score

import adbench_protocol as protocol
import more_labels

COLUMNS = ("table", "draw", "labels", "answers", "found", "auroc", "ap")


def fit_and_score(how, split, folder, *options):
    """Scores of the test rows and of the training rows."""
    train, model, rows = (os.path.join(folder, name) for name in ("train.npz", "model", "rows.npz"))
    numpy.savez(train, X=split.train, y=split.labels)
    numpy.savez(rows, X=numpy.concatenate([split.test, split.train]))
    subprocess.run([how.puad, "fit", train, "--threads", "1", "-q", "--force", "-o", model, *options], check=True)
    printed = subprocess.run([how.puad, "score", model, rows, "--threads", "1", "-q"], check=True, capture_output=True, text=True).stdout
    scores = numpy.array([float(line.split(",")[1]) for line in printed.splitlines()[1:]])
    return scores[:len(split.test)], scores[len(split.test):]


def measure(how, table, draw, folder):
    split, order = more_labels.draw_split(*protocol.read_table(protocol.find_tables(how.data)[table]), draw)
    if how.labels + 1 >= len(order):
        return
    split.labels[:] = 0
    split.labels[order[:how.labels]] = 1
    test, train = fit_and_score(how, split, folder)
    unknown = numpy.flatnonzero(split.labels == 0)
    ranked = unknown[numpy.argsort(-train[unknown], kind="stable")]
    for answers in [0, *map(int, how.answers.split(","))]:
        top = ranked[:answers]
        options = []
        if answers and how.how == "answers":
            options = ["--answers", os.path.join(folder, "answers.csv")]
            with open(options[1], "w", encoding="utf-8") as file:
                file.write("row,label\n" + "".join(f"{row},{1 if split.truth[row] == 1 else -1}\n" for row in top))
        elif answers:
            split.labels[top] = numpy.where(split.truth[top] == 1, 1, -1)
        if answers:
            test, _ = fit_and_score(how, split, folder, *options)
        yield (table, draw, how.labels, answers, int((split.truth[top] == 1).sum()),
               f"{roc_auc_score(split.test_truth, test):.5f}", f"{average_precision_score(split.test_truth, test):.5f}")


def report(path):
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values[int(row["answers"])][row["table"]].append((float(row["auroc"]), float(row["ap"]), float(row["found"])))
    first = {table: numpy.mean(draws, 0) for table, draws in values[0].items()}
    print("| answers | AUROC | average precision | difference | anomalies found |\n|---|---|---|---|---|")
    for answers, tables in sorted(values.items()):
        means = numpy.array([numpy.mean(draws, 0) for draws in tables.values()])
        gains = means - numpy.array([first[table] for table in tables])
        error = gains.std(0, ddof=1) / len(gains) ** 0.5
        print(f"| {answers} | {means[:, 0].mean():.3f} | {means[:, 1].mean():.3f} | {gains[:, 0].mean():+.3f} ± {error[0]:.3f} / "
              f"{gains[:, 1].mean():+.3f} ± {error[1]:.3f} | {means[:, 2].mean():.1f} |")
        for table, gain in zip(tables, gains):
            if gain[1] < -0.01:
                print(f"{table}: average precision {gain[1]:+.3f} with {answers} answers")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=sorted(protocol.GROUPS), default="dev")
    parser.add_argument("--tables", help="names separated by commas, instead of a group")
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--first", type=int, default=1, help="number of the first draw")
    parser.add_argument("--labels", type=int, default=10)
    parser.add_argument("--answers", default="20,50,100")
    parser.add_argument("--how", choices=("answers", "labels"), default="answers")
    parser.add_argument("--rows", type=int, default=protocol.MOST, help="rows of a table")
    parser.add_argument("--data", default=protocol.default_folder())
    parser.add_argument("--puad", default="build/puad")
    parser.add_argument("--out", help="CSV file to append to")
    parser.add_argument("--report", metavar="FILE")
    how = parser.parse_args()
    if how.report:
        report(how.report)
        return
    protocol.MOST = how.rows
    for draw in range(how.first, how.first + how.draws):
        for table in how.tables.split(",") if how.tables else protocol.GROUPS[how.group]:
            with tempfile.TemporaryDirectory() as folder:
                lines = list(measure(how, table, draw, folder))
            print("\n".join(",".join(map(str, line)) for line in lines), flush=True)
            if how.out:
                fresh = not os.path.exists(how.out)
                with open(how.out, "a", newline="", encoding="utf-8") as file:
                    csv.writer(file, lineterminator="\n").writerows(([COLUMNS] if fresh else []) + lines)


if __name__ == "__main__":
    main()
