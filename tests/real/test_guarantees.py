#!/usr/bin/env python3
"""Whether decisions keep their promises: every table of adbench with enough anomalies, 10, 20, 50 and 200 labels, 20 draws each.

In a draw half of the rows train and the other half is new. Of the anomalies among the former so many are labeled, at random; the
others stay hidden. Everything is done with the options that a user gets: fit --calibrate, score --fdr, operate. Large tables are
thinned to 6000 rows, or 12,000 where fewer than 200 of 6000 are anomalies.

What is judged (the expected share of false alarms, over all draws and on each table; the power; the bands of operate at the best F1
and at all lines; the interval of alpha) is printed. Draws are kept in a file of comma-separated values, and those in it are not run
again: delete it, or name another, for a run of its own.

    test_guarantees.py [--draws 20] [--first 0] [--csv docs/results/guarantees.csv] [--tables a,b] [--labels 10,50] [--report]"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from decisions import best_recall
from tables import *

RATES = (0.05, 0.1, 0.2)
LABELS = (10, 20, 50, 200)
# Chosen on, the others judge.
DEVELOPED_ON = "annthyroid thyroid cardio Cardiotocography campaign cover letter http fault mnist".split()
COLUMNS = ["table", "labels", "draw", "rows", "alpha", "alpha_found", "alpha_low", "alpha_high",
           *(f"{what}_{rate}" for rate in RATES for what in ("flagged", "false", "recall", "best_same", "best_rate")),
           *(f"{which}_{figure}_{end}" for which in ("best", "line") for figure in ("precision", "recall")
             for end in ("low", "high", "truth")), "auroc_low", "auroc_high", "auroc_truth"]


def names():
    files = sorted(file[:-4] for file in os.listdir(os.path.join(DATA, "adbench")) if file.endswith(".npz"))
    return {file.split("_", 1)[1]: file for file in files}


def draw_rows(name, labels, seed):
    """Training values, labels and truth, new values and truth; None where there are too few anomalies."""
    with numpy.load(os.path.join(DATA, "adbench", names()[name] + ".npz")) as file:
        values, truth = file["X"].astype(numpy.float64), file["y"].astype(int)
    most = 6000 if truth.mean() * 6000 >= 200 else 12000
    draws = numpy.random.default_rng([seed, labels, 31])
    order = draws.permutation(len(truth))[:most]
    values, truth = values[order], truth[order]
    half = len(truth) // 2
    anomalies = numpy.flatnonzero(truth[:half] == 1)
    if len(anomalies) < labels + 10 or truth[half:].sum() < 20 or half - labels < 130:  # 50 rows must be held out
        return None
    marks = numpy.zeros(half, int)
    marks[draws.permutation(anomalies)[:labels]] = 1
    return values[:half], marks, truth[:half], values[half:], truth[half:]


def like_unlabeled(truth, alpha, seed):
    """New rows with as many anomalies among them as the unlabeled rows have: precision is about those."""
    anomalies = numpy.flatnonzero(truth == 1)
    wanted = min(len(anomalies), int(round(alpha / (1 - alpha) * (truth == 0).sum())))
    chosen = truth == 0
    chosen[numpy.random.default_rng(seed).permutation(anomalies)[:wanted]] = True
    return chosen


def judge_line(row, which, line, scores, truth, like):
    flagged = scores >= line["threshold"]
    real = {"recall": flagged[truth == 1].mean(),
            "precision": (truth[flagged & like] == 1).mean() if (flagged & like).any() else numpy.nan}
    for figure, value in real.items():
        row |= {f"{which}_{figure}_low": line[figure]["low"], f"{which}_{figure}_high": line[figure]["high"],
                f"{which}_{figure}_truth": value}


def run(name, labels, seed):
    drawn = draw_rows(name, labels, seed)
    if drawn is None:
        return None
    values, marks, truth, new, new_truth = drawn
    model = fit(save("train.npz", values, marks), "m.safetensors", "--seed", seed, "--calibrate")
    data = save("new.npz", new)
    row = {"table": name, "labels": labels, "draw": seed, "rows": len(truth), "alpha": hidden_share(marks, truth)}
    for rate in RATES:
        found, _ = score(model, data, "--fdr", str(rate), "--quiet")
        flagged = found["decision"] == 1
        false = (new_truth[flagged] == 0).mean() if flagged.any() else 0.0
        row |= {f"flagged_{rate}": int(flagged.sum()), f"false_{rate}": false,
                f"recall_{rate}": flagged[new_truth == 1].mean(),
                f"best_same_{rate}": best_recall(found["score"], new_truth, false + 1e-12),
                f"best_rate_{rate}": best_recall(found["score"], new_truth, rate)}
    table = operate(model)
    row |= {"alpha_found": table["alpha"], "alpha_low": table["alpha_low"], "alpha_high": table["alpha_high"],
            "auroc_low": table["auroc"]["low"], "auroc_high": table["auroc"]["high"],
            "auroc_truth": auroc(found["score"], new_truth)}
    like = like_unlabeled(new_truth, row["alpha"], seed)
    lines = table["points"]
    judge_line(row, "best", lines[table["best_f1"]], found["score"], new_truth, like)
    judge_line(row, "line", lines[seed * 7 % len(lines)], found["score"], new_truth, like)  # any of them
    return row


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return [{key: value if key == "table" else float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def text_of(value):
    return value if isinstance(value, str) else f"{value:.5g}"


def mean_error(values):
    values = numpy.array(values, float)
    return values.mean(), values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0


def power_of(row, rate, best):
    """Nothing flagged is no power; where the best threshold finds nothing either, there is none to be had."""
    if row[f"{best}_{rate}"] == 0:
        return numpy.nan
    return min(1, row[f"recall_{rate}"] / row[f"{best}_{rate}"])


def report_rates(rows):
    failed = 0
    print("\nshare of false alarms: mean (standard error); power against the best threshold with the same realised share, and with "
          "the rate itself; draws with nothing flagged")
    for rate in RATES:
        mean, error = mean_error([row[f"false_{rate}"] for row in rows])
        over = mean > rate + 2 * error
        failed += over
        print(f"rate {rate}: {mean:.3f} ({error:.3f}) over {len(rows)} draws{'  FAILED' if over else ''}")
        for labels in LABELS:
            some = [row for row in rows if row["labels"] == labels]
            if not some:
                continue
            powers = {best: numpy.nanmean([power_of(row, rate, best) for row in some]) for best in ("best_same", "best_rate")}
            none = sum(row[f"flagged_{rate}"] == 0 for row in some)
            mean, error = mean_error([row[f"false_{rate}"] for row in some])
            print(f"  {labels:3} labels: {mean:.3f} ({error:.3f}), power {powers['best_same']:.2f} and {powers['best_rate']:.2f}, "
                  f"nothing in {none} of {len(some)}")
    print("\nby table, over all numbers of labels: rates " + ", ".join(map(str, RATES)))
    for name in sorted({row["table"] for row in rows}):
        some = [row for row in rows if row["table"] == name]
        words = []
        for rate in RATES:
            mean, error = mean_error([row[f"false_{rate}"] for row in some])
            over = mean > rate + 2 * error
            failed += over
            words.append(f"{mean:.3f} ({error:.3f}){' FAILED' if over else ''}, none {sum(row[f'flagged_{rate}'] == 0 for row in some)}")
        print(f"  {name:17} {len(some):3} draws: " + "; ".join(words))
    for labels in LABELS:
        powers = [power_of(row, rate, "best_same") for row in rows if row["labels"] == labels for rate in RATES]
        if powers:
            low = labels == 50 and numpy.nanmean(powers) < 0.5
            failed += low
            print(f"power at {labels} labels, mean over draws and rates: {numpy.nanmean(powers):.2f}{'  FAILED' if low else ''}")
    return failed


def held(rows, name):
    """Shares of draws with the truth within, below and above."""
    low, high, truth = (numpy.array([row[f"{name}_{end}"] for row in rows]) for end in ("low", "high", "truth"))
    known = ~numpy.isnan(truth)
    if not known.any():
        return 1, 0, 0, 1
    low, high, truth = low[known], high[known], truth[known]
    below, above = truth < low - 1e-9, truth > high + 1e-9
    return 1 - below.mean() - above.mean(), below.mean(), above.mean(), len(truth)


def report_bands(rows):
    failed = 0
    print("\n95% bands of operate and interval of alpha: truth within (below, above)")
    for row in rows:
        row["alpha_truth"] = row["alpha"]
    for labels in LABELS:
        some = [row for row in rows if row["labels"] == labels]
        if not some:
            continue
        words = []
        for name in ("auroc", "best_precision", "best_recall", "line_precision", "line_recall", "alpha"):
            within, below, above, count = held(some, name)
            over = within < 0.93 - 2 * (0.95 * 0.05 / count) ** 0.5
            failed += over
            words.append(f"{name} {within:.3f} ({below:.3f}, {above:.3f}){' FAILED' if over else ''}")
        errors = [abs(row["alpha_found"] - row["alpha"]) for row in some]
        print(f"  {labels:3} labels: " + "; ".join(words) + f"; median error of alpha {numpy.median(errors):.4f}, median width "
              f"{numpy.median([row['alpha_high'] - row['alpha_low'] for row in some]):.3f}")
    print("by table:")
    for name in sorted({row["table"] for row in rows}):
        some = [row for row in rows if row["table"] == name]
        print(f"  {name:17} " + ", ".join(f"{what} {held(some, what)[0]:.2f}" for what in
                                          ("auroc", "best_precision", "best_recall", "line_precision", "line_recall", "alpha")))
    return failed


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--draws", type=int, default=20)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--csv", default=os.path.join(os.environ.get("SOURCE", "."), "docs", "results", "guarantees.csv"))
    options.add_argument("--tables", default="")
    options.add_argument("--labels", default=",".join(map(str, LABELS)))
    options.add_argument("--report", action="store_true", help="of the draws in the file alone")
    options.add_argument("--only", choices=("developed", "judged"), help="report these tables alone")
    asked = options.parse_args()
    need("adbench")
    tables = asked.tables.split(",") if asked.tables else sorted(names())
    rows = read(asked.csv)
    done = {(row["table"], int(row["labels"]), int(row["draw"])) for row in rows}
    wanted = [(name, labels, seed) for seed in range(asked.first, asked.first + asked.draws) for name in tables
              for labels in map(int, asked.labels.split(","))]
    begin, few = time.time(), set()
    for name, labels, seed in () if asked.report else wanted:
        if (name, labels, seed) in done or (name, labels) in few:
            continue
        row = run(name, labels, seed)
        if row is None:
            few.add((name, labels))
            continue
        fresh = not os.path.exists(asked.csv)
        with open(asked.csv, "a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if fresh:
                writer.writerow(COLUMNS)
            writer.writerow([text_of(row[column]) for column in COLUMNS])
        rows.append(row)
    if asked.only:
        rows = [row for row in rows if (row["table"] in DEVELOPED_ON) == (asked.only == "developed")]
    print(f"{len(rows)} draws of {len({row['table'] for row in rows})} tables, {time.time() - begin:.0f} s")
    failed = report_rates(rows) + report_bands(rows)
    print(f"{failed} failed")
    sys.exit(failed > 0)


main()
