#!/usr/bin/env python3
"""Time series: SKAB (a water loop with labeled faults) and NAB (series of many kinds), by the program itself.

SKAB: trained on three whole runs of valve1 with their faults labeled (--labeled), three with their faults hidden among the unlabeled rows (--hidden), and
the first 400 rows of the runs to judge (--judged, and the runs of `other`), unlabeled. Judged row by row on the rest of those: valve1, and other (kinds of
fault that no label shows) apart. The threshold for F1 is the best one of `puad operate`, which sees no labeled normal row. Runs 0 to 7 were used to choose.

NAB: a model for each series that has labeled intervals, window 64, trained on all its rows. Without labels it is judged on all rows. With labels (series
with at least two intervals) the earlier half of the intervals is labeled, and every method is judged on the rows outside of them.

    bench/series.py --puad build/puad --data ../shared/data/timeseries --out docs/results/series.csv
"""
import argparse, csv, glob, io, json, os, subprocess, tempfile
import numpy as np

SKAB_METHODS = ["committee", "puforest", "if", "pca", "puae", "pusvdd", "puae conv1d", "pusvdd conv1d", "ae conv1d"]
NAB_METHODS = ["pca", "if", "ae conv1d", "committee unlabeled", "puae conv1d", "pusvdd conv1d", "committee"]  # the last three learn from labels
SENSORS = 8
FIRST = 400  # rows of a run to judge that are trained on


def rank_metrics(truth, scores):
    """AUROC with ties in the middle, and average precision."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores, sorted_truth = scores[order], truth[order].astype(bool)
    last = np.append(sorted_scores[1:] != sorted_scores[:-1], True)
    hits = np.cumsum(sorted_truth)[last]
    seen = (np.arange(len(scores)) + 1)[last]
    positives, negatives = hits[-1], seen[-1] - hits[-1]
    recall = np.append(0, hits) / positives
    false = np.append(0, seen - hits) / negatives
    auroc = float(np.sum(np.diff(false) * (recall[1:] + recall[:-1]) / 2))
    return auroc, float(np.sum(np.diff(recall) * hits / seen))


def f1(truth, flagged):
    hit = np.sum(flagged & truth)
    return float(2 * hit / max(1, np.sum(flagged) + np.sum(truth)))


class Bench:
    def __init__(self, options):
        self.options, self.rows = options, []
        self.folder = tempfile.mkdtemp()

    def path(self, name):
        return os.path.join(self.folder, name)

    def puad(self, *arguments):
        done = subprocess.run([self.options.puad, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return done.stdout

    def scores(self, model, path):
        return np.array([float(row["score"]) for row in csv.DictReader(io.StringIO(self.puad("score", model, path, "--quiet")))])

    def keep(self, *row):
        self.rows.append(row)
        print(",".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row), flush=True)

    def how(self, method):
        name, *network = method.split()
        return ["--method", name, "--threads", self.options.threads, "--quiet"] + (["--network", *network] if network else [])


def read_skab(folder, kind, run):
    with open(os.path.join(folder, "skab", kind, f"{run}.csv")) as file:
        return [[*row[:1 + SENSORS], f"{kind}-{run}", int(float(row[1 + SENSORS]))] for row in list(csv.reader(file, delimiter=";"))[1:]]


def write_rows(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["when", *"abcdefgh", "run", "fault"], *rows])
    return path


def skab(bench):
    options, train, parts = bench.options, [], {"valve1": [], "other": []}
    for run in options.labeled:
        train += read_skab(options.data, "valve1", run)
    for run in options.hidden:
        train += [row[:-1] + [0] for row in read_skab(options.data, "valve1", run)]
    for kind, runs in ("valve1", options.judged), ("other", range(1, 9)):
        for run in runs:
            rows = read_skab(options.data, kind, run)
            train += [row[:-1] + [0] for row in rows[:FIRST]]
            parts[kind] += rows[FIRST:]
    write_rows(bench.path("train.csv"), train)
    for method in options.methods or SKAB_METHODS:
        fit = ["fit", bench.path("train.csv"), "--time", "when", "--group", "run", "--window", options.window, "--label-column", "fault",
               "--seed", options.seed, "-o", bench.path("m.safetensors"), *bench.how(method)]
        try:
            threshold = None
            try:
                bench.puad(*fit, "--calibrate", options.share)
                table = json.loads(bench.puad("operate", bench.path("m.safetensors"), "--json"))
                threshold = table["points"][table["best_f1"]]["threshold"]
            except RuntimeError as problem:
                print(f"# {method}: {problem}", flush=True)
            if threshold is None:
                bench.puad(*fit)
        except RuntimeError as problem:
            print(f"# {method}: {problem}", flush=True)
            continue
        for kind, rows in parts.items():
            if not rows:
                continue
            truth = np.array([row[-1] for row in rows]) == 1
            found = bench.scores(bench.path("m.safetensors"), write_rows(bench.path("test.csv"), rows))
            auroc, precision = rank_metrics(truth, found)
            at = f1(truth, found >= threshold) if threshold is not None else float("nan")
            best = max(f1(truth, found >= cut) for cut in np.quantile(found, np.linspace(0, 1, 201)))
            bench.keep("skab", kind, method, options.window, len(rows), int(truth.sum()), auroc, precision, at, best)


def nab(bench):
    options = bench.options
    with open(os.path.join(options.data, "nab", "combined_windows.json")) as file:
        intervals = json.load(file)
    for path in sorted(glob.glob(os.path.join(options.data, "nab", "data", "*", "*.csv"))):
        name = "/".join(path.split("/")[-2:])
        found = sorted(intervals.get(name, []))
        if not found:
            continue
        with open(path) as file:
            rows = list(csv.DictReader(file))
        stamps = [row["timestamp"] for row in rows]
        inside = [np.array([begin[:19] <= stamp <= end[:19] for stamp in stamps]) for begin, end in found]
        truth = np.any(inside, axis=0)
        known = np.any(inside[:(len(inside) + 1) // 2], axis=0) if len(inside) > 1 else np.zeros(len(truth), bool)
        with open(bench.path("labels.csv"), "w") as file:
            file.write("start,end\n" + "".join(f"{begin},{end}\n" for begin, end in found[:(len(found) + 1) // 2]))
        fit = ["fit", path, "--time", "timestamp", "--gap", 1e9, "--window", 64, "--seed", options.seed, "-o", bench.path("m.safetensors")]
        scored = {}
        for method in options.methods or NAB_METHODS:
            labeled = method in NAB_METHODS[4:]
            if labeled and not known.any():
                continue
            try:
                bench.puad(*fit, *bench.how(method.replace(" unlabeled", "")), *(["--intervals", bench.path("labels.csv")] if labeled else []))
                scored[method] = bench.scores(bench.path("m.safetensors"), path)
            except RuntimeError as problem:
                print(f"# {name}, {method}: {problem}", flush=True)
        for method, found_scores in scored.items():
            if method not in NAB_METHODS[4:]:
                bench.keep("nab all rows", name, method, 64, len(rows), int(truth.sum()), *rank_metrics(truth, found_scores), float("nan"), float("nan"))
            rest = ~known
            if known.any() and truth[rest].any():
                bench.keep("nab outside labels", name, method, 64, int(rest.sum()), int(truth[rest].sum()), *rank_metrics(truth[rest], found_scores[rest]), float("nan"), float("nan"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puad", default="build/puad")
    parser.add_argument("--data", default="../shared/data/timeseries")
    parser.add_argument("--out", help="also write the figures as CSV")
    parser.add_argument("--sets", default="skab,nab")
    numbers = lambda text: [int(x) for x in text.split(",")]
    parser.add_argument("--labeled", type=numbers, default=[0, 3, 6])
    parser.add_argument("--hidden", type=numbers, default=[1, 4, 7])
    parser.add_argument("--judged", type=numbers, default=list(range(8, 16)))
    parser.add_argument("--window", type=int, default=16)
    parser.add_argument("--share", type=float, default=0.4)
    parser.add_argument("--methods", type=lambda text: text.split(","))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    bench = Bench(parser.parse_args())
    header = ["set", "series", "method", "window", "rows", "anomalies", "auroc", "average_precision", "f1_operate", "f1_best"]
    print(",".join(header))
    for name in bench.options.sets.split(","):
        {"skab": skab, "nab": nab}[name](bench)
    for which in sorted({row[0] for row in bench.rows if row[0].startswith("nab")}):
        for method in dict.fromkeys(row[2] for row in bench.rows if row[0] == which):
            of = [row for row in bench.rows if row[0] == which and row[2] == method]
            print(f"# {which}, {method}: {len(of)} series, AUROC {np.mean([row[6] for row in of]):.3f}, average precision {np.mean([row[7] for row in of]):.3f}")
    if bench.options.out:
        with open(bench.options.out, "w", newline="") as file:
            rows = [[bench.options.seed, *(f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row)] for row in bench.rows]
            csv.writer(file, lineterminator="\n").writerows([["seed", *header], *rows])


if __name__ == "__main__":
    main()
