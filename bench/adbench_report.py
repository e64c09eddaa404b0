"""Prints the results of bench/adbench.py: means, tables, paired tests and seconds, alongside the published results."""
import csv
import math
import os
import statistics

import numpy

METRICS = {"auroc": "AUCROC", "ap": "AUCPR"}
TITLES = {"large": "tables of 1000 rows or more", "small": "smaller tables", "dev": "tables to choose on", "judge": "tables to judge on"}
TIE = 0.0005


def read_published(path):
    """{(table, percent, metric, model): value of 0 to 1}"""
    if not os.path.exists(path):
        return {}
    published = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            with_value = row["value"] not in ("", "N/A")
            published[row["dataset"], int(row["labeled_anomaly_pct"]), row["metric"], row["model"]] = (
                float(row["value"]) / 100 if with_value else math.nan)
    return published


class Figures:
    """Values of puad's methods and of published models, whose names end with '*'."""

    def __init__(self, rows, published, seeds):
        self.rows, self.published, self.seeds = rows, published, seeds

    def value(self, table, share, metric, method):
        """Mean over the seeds; nan unless every seed has a row."""
        if method.endswith("*"):
            return self.published.get((table, round(100 * share), METRICS.get(metric), method[:-1]), math.nan)
        found = [self.rows.get((table, share, seed, method)) for seed in self.seeds]
        return math.nan if None in found else statistics.fmean(float(row[metric]) for row in found)

    def values(self, tables, share, metric, method):
        return numpy.array([self.value(table, share, metric, method) for table in tables])

    def mean(self, tables, share, metric, method):
        """(mean over the tables that have a value, number of these)"""
        values = self.values(tables, share, metric, method)
        known = values[~numpy.isnan(values)]
        return (float(known.mean()) if len(known) else math.nan), len(known)


def number(value):
    return "" if math.isnan(value) else f"{value:.3f}"


def print_table(header, rows, markdown):
    if markdown:
        print("| " + " | ".join(header) + " |\n|---" + "|---:" * (len(header) - 1) + "|")
        for row in rows:
            print("| " + " | ".join(row) + " |")
    else:
        widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
        for row in [header, *rows]:
            print("  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]))
    print()


def pair(first, second):
    return "" if math.isnan(first) and math.isnan(second) else f"{number(first)} / {number(second)}"


def percent(share):
    return f"{100 * share:g}%"


def show_means(figures, title, tables, shares, methods, metrics, markdown):
    print(f"Means over {len(tables)} {title}, {' / '.join(metrics)} (* published; in brackets over how many tables, if not all)\n")
    rows = []
    for share in shares:
        cells = []
        for method in methods:
            (first, count), (second, _) = (figures.mean(tables, share, metric, method) for metric in metrics)
            cells.append(pair(first, second) + (f" ({count})" if 0 < count < len(tables) else ""))
        rows.append([percent(share), *cells])
    print_table(["labeled", *methods], rows, markdown)


def show_tables(figures, tables, shares, methods, metrics, markdown):
    for share in shares:
        print(f"Each table at {percent(share)}, {' / '.join(metrics)}\n")
        used = [method for method in methods if any(figures.mean(tables, share, metric, method)[1] for metric in metrics)]
        rows = [[table, *(pair(*(figures.value(table, share, metric, method) for metric in metrics)) for method in used)] for table in tables]
        print_table(["table", *used], rows, markdown)


def compare(ours, theirs):
    """(tables compared, mean difference, wins, losses, ties, p of Wilcoxon's signed-rank test, p of the paired t-test)"""
    from scipy import stats
    difference = (ours - theirs)[~numpy.isnan(ours - theirs)]
    wins, losses = int((difference > TIE).sum()), int((difference < -TIE).sum())
    ranks = stats.wilcoxon(difference).pvalue if len(difference) > 1 and difference.any() else math.nan
    t = stats.ttest_1samp(difference, 0).pvalue if len(difference) > 1 and difference.std() > 0 else math.nan
    return len(difference), float(difference.mean()) if len(difference) else math.nan, wins, losses, len(difference) - wins - losses, ranks, t


def show_paired(figures, title, tables, shares, methods, rivals, metrics, markdown):
    rows = []
    for rival in rivals:
        for method in (method for method in methods if method != rival):
            for share in shares:
                for metric in metrics:
                    count, mean, wins, losses, ties, ranks, t = compare(figures.values(tables, share, metric, method),
                                                                        figures.values(tables, share, metric, rival))
                    if count:
                        rows.append([f"{method} - {rival}", percent(share), metric, str(count), f"{mean:+.3f}", f"{wins} / {losses} / {ties}",
                                     f"{ranks:.4f}", f"{t:.4f}"])
    if rows:
        print(f"Paired by table, {title} (a tie is a difference of at most {TIE})\n")
        print_table(["difference", "labeled", "of", "tables", "mean", "wins / losses / ties", "p, Wilcoxon", "p, t-test"], rows, markdown)


def show_seconds(figures, tables, shares, methods, markdown):
    rows = []
    for method in methods:
        found = [row for key, row in figures.rows.items() if key[3] == method and key[0] in tables and key[1] in shares and key[2] in figures.seeds]
        if found:
            cells = []
            for column in ("fit_seconds", "score_seconds"):
                seconds = [float(row[column]) for row in found]
                cells += [f"{statistics.fmean(seconds):.2f}", f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}"]
            rows.append([method, str(len(found)), *cells])
    if rows:
        print("Seconds, wall time on a machine with other work\n")
        print_table(["method", "runs", "fit mean", "median", "longest", "score mean", "median", "longest"], rows, markdown)


def show(figures, parts, shares, methods, published, rivals, metrics, kinds, markdown):
    """parts: [(name of the group, its tables)]; published: models per share; kinds: which of means, tables, paired, seconds."""
    every = [table for _, tables in parts for table in tables]
    columns = [*methods, *(model + "*" for model in published)]
    for name, tables in parts:
        if "means" in kinds:
            show_means(figures, TITLES.get(name, "tables"), tables, shares, columns, metrics, markdown)
        if "paired" in kinds:
            show_paired(figures, TITLES.get(name, "tables"), tables, shares, methods, rivals, metrics, markdown)
    if "tables" in kinds:
        show_tables(figures, every, shares, columns, metrics, markdown)
    if "seconds" in kinds:
        show_seconds(figures, set(every), shares, methods, markdown)
