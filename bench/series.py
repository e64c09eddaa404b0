#!/usr/bin/env python3
"""Time series: SKAB (a water loop with labeled faults), NAB (series of many kinds) and TSB-AD (spacecraft, many channels), with the program.

SKAB: trained on three whole runs of valve1 with their faults labeled (--labeled), three with their faults hidden among the unlabeled rows (--hidden), and
the first 400 rows of the test runs (--judged, and the runs of `other`), unlabeled. Tested row by row on the rest of those: valve1, and other (kinds of
fault without labels) separately. The threshold for F1 is the best one of `puad operate`, which uses no labeled normal rows: of F1, or of the Youden
index if alpha is not identifiable. Runs 0 to 7 were used to choose.

NAB: a model for each series that has labeled intervals, window 64, trained on all its rows. Without labels it is tested on all rows. With labels (series
with at least two intervals) the earlier half of the intervals is labeled, and every method is tested on the rows outside of them.

TSB-AD: a model for each series, trained on all its rows, with default options and the window that puad chooses. VUS-PR (series_metrics.py) over all rows,
compared with the published results (--anchors). Every second series was used to choose (half `choose`), the others were not (`judge`). With --intervals N
the model gets N labeled intervals of at most 20 rows each, spread over the anomalous rows, and it is tested on the rows outside of them, compared with the
model without labels on the same rows (`unlabeled`; the first of --intervals is 0 for that).
--train-only trains on the leading rows without anomalies that TSB-AD calls the training part.

    bench/series.py --puad build/puad --data ../shared/data/timeseries --out docs/results/series.csv
"""
import argparse, csv, glob, io, json, os, subprocess, tempfile
import numpy as np
from series_metrics import best_f1, buffer_length, f1, intervals_of, rank_metrics, vus_pr

SKAB_METHODS = ["default", "committee", "puforest", "if", "pca", "puae", "pusvdd", "puae conv1d", "pusvdd conv1d", "ae conv1d"]
NAB_METHODS = ["default unlabeled", "default"]
TSB_METHODS = ["default"]
SENSORS = 8
FIRST = 400  # training rows of a test run


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
        return [*([] if name == "default" else ["--method", name]), "--threads", self.options.threads, "--quiet"] + (["--network", *network] if network else [])


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
        fit = ["fit", bench.path("train.csv"), "--time-column", "when", "--series-column", "run", "--window", options.window, "--label-column", "fault",
               "--seed", options.seed, "-o", bench.path("m.safetensors"), *bench.how(method)]
        try:
            threshold = None
            try:
                bench.puad(*fit, f"--calibrate={options.share}")
                table = json.loads(bench.puad("operate", bench.path("m.safetensors"), "--json"))
                best = table["best_youden_index"] if table["best_f1_index"] is None else table["best_f1_index"]
                threshold = table["points"][best]["threshold"]
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
            best = best_f1(truth, found)
            bench.keep("skab", kind, method, options.window, len(rows), int(truth.sum()), auroc, precision, at, best, float("nan"))


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
        fit = ["fit", path, "--time-column", "timestamp", "--gap", 1e9, *(("--window", *options.nab_window) if options.nab_window else ()), "--seed", options.seed, "-o", bench.path("m.safetensors")]
        scored = {}
        for method in options.methods or NAB_METHODS:
            labeled = not method.endswith(" unlabeled") and method.split()[0] not in ("pca", "if", "ae", "nearest")
            if labeled and not known.any():
                continue
            try:
                bench.puad(*fit, *bench.how(method.replace(" unlabeled", "")), *(["--intervals", bench.path("labels.csv")] if labeled else []))
                scored[method] = bench.scores(bench.path("m.safetensors"), path)
            except RuntimeError as problem:
                print(f"# {name}, {method}: {problem}", flush=True)
        for method, found_scores in scored.items():
            if method.endswith(" unlabeled") or method.split()[0] in ("pca", "if", "ae", "nearest"):
                bench.keep("nab all rows", name, method, " ".join(map(str, options.nab_window)) or "chosen", len(rows), int(truth.sum()), *rank_metrics(truth, found_scores), float("nan"), best_f1(truth, found_scores), float("nan"))
            rest = ~known
            if known.any() and truth[rest].any():
                bench.keep("nab outside labels", name, method, " ".join(map(str, options.nab_window)) or "chosen", int(rest.sum()), int(truth[rest].sum()), *rank_metrics(truth[rest], found_scores[rest]), float("nan"), best_f1(truth[rest], found_scores[rest]), float("nan"))


def read_published(path):
    with open(path) as file:
        return {row["file"].removesuffix(".csv"): row for row in csv.DictReader(file)}


def pick_intervals(truth, count, most=20):
    """Rows that are labeled: `count` intervals spread over the anomalous rows."""
    known, anomalous = np.zeros(len(truth), bool), np.flatnonzero(truth)
    for i in range(count):
        middle = anomalous[int((i + 0.5) * len(anomalous) / count)]
        known[max(middle - most // 2, 0):middle + most - most // 2] = True
    return known & truth


def tsb_ad(bench):
    options = bench.options
    published = read_published(options.anchors) if options.anchors else {}
    for number, path in enumerate(sorted(glob.glob(os.path.join(options.data, "tsb_ad", "*.npz")))):
        name, half = os.path.basename(path).removesuffix(".npz"), "judge" if number % 2 else "choose"
        with np.load(path) as file:
            values, truth, train = file["X"], file["y"] > 0, int(file["train"])
        length = buffer_length(values[:, 0])
        unlabeled = {}
        for count in options.intervals:
            known = pick_intervals(truth, count)
            rest = ~known
            if not truth[rest].any():
                continue
            table = np.column_stack([values, known.astype(int)])
            header = ",".join([*(f"c{c}" for c in range(values.shape[1])), "fault"])
            np.savetxt(bench.path("all.csv"), table, delimiter=",", fmt="%.9g", header=header, comments="")
            np.savetxt(bench.path("train.csv"), table[:train] if options.train_only else table, delimiter=",", fmt="%.9g", header=header, comments="")
            for method in options.methods or TSB_METHODS:
                try:
                    bench.puad("fit", bench.path("train.csv"), "--window", *(options.tsb_window or [0]), "--label-column", "fault", "--seed", options.seed, "-o",
                               bench.path("m.safetensors"), *bench.how(method))
                    found = bench.scores(bench.path("m.safetensors"), bench.path("all.csv"))
                except RuntimeError as problem:
                    print(f"# {name}, {method}: {problem}", flush=True)
                    continue
                unlabeled.setdefault(method, found)
                for kind, scores in [(method, found)] + ([(f"{method} unlabeled", unlabeled[method])] if count else []):
                    bench.keep(f"tsb_ad {half} {count} intervals", name, kind, " ".join(map(str, options.tsb_window)) or "chosen", int(rest.sum()),
                               int(truth[rest].sum()), *rank_metrics(truth[rest], scores[rest]), float("nan"), best_f1(truth[rest], scores[rest]),
                               vus_pr(truth[rest], scores[rest], length, options.buffers))
        for method in ("KMeansAD", "CNN", "PCA", "IForest") if name in published else ():
            bench.keep(f"tsb_ad {half} published", name, method, "", len(truth), int(truth.sum()), *[float("nan")] * 4, float(published[name][method]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puad", default="build/puad")
    parser.add_argument("--data", default="../shared/data/timeseries")
    parser.add_argument("--out", help="also write the results as CSV")
    parser.add_argument("--sets", default="tsb_ad,skab,nab")
    parser.add_argument("--anchors", help="CSV of published VUS-PR: a column `file` and one per method")
    numbers = lambda text: [int(x) for x in text.split(",")]
    parser.add_argument("--labeled", type=numbers, default=[0, 3, 6])
    parser.add_argument("--hidden", type=numbers, default=[1, 4, 7])
    parser.add_argument("--judged", type=numbers, default=list(range(8, 16)))
    parser.add_argument("--window", type=int, default=16, help="of SKAB")
    parser.add_argument("--nab-window", type=numbers, default=[], help="default: chosen by puad")
    parser.add_argument("--tsb-window", type=numbers, default=[], help="default: chosen by puad")
    parser.add_argument("--intervals", type=numbers, default=[0, 1, 2, 5], help="labeled intervals of TSB-AD")
    parser.add_argument("--buffers", type=int, help="average VUS-PR over this many buffers only")
    parser.add_argument("--train-only", action="store_true")
    parser.add_argument("--share", type=float, default=0.4)
    parser.add_argument("--methods", type=lambda text: text.split(","))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    bench = Bench(parser.parse_args())
    header = ["set", "series", "method", "window", "rows", "anomalies", "auroc", "average_precision", "f1_operate", "f1_best", "vus_pr"]
    print(",".join(header))
    for name in bench.options.sets.split(","):
        {"skab": skab, "nab": nab, "tsb_ad": tsb_ad}[name](bench)
    for which in sorted({row[0] for row in bench.rows if not row[0].startswith("skab")}):
        for method in dict.fromkeys(row[2] for row in bench.rows if row[0] == which):
            means = np.mean([row[6:] for row in bench.rows if row[0] == which and row[2] == method], axis=0)
            count = sum(row[0] == which and row[2] == method for row in bench.rows)
            print(f"# {which}, {method}: {count} series, " + ", ".join(f"{name} {mean:.3f}" for name, mean in zip(header[6:], means) if not np.isnan(mean)))
    if bench.options.out:
        with open(bench.options.out, "w", newline="") as file:
            rows = [[bench.options.seed, *(f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row)] for row in bench.rows]
            csv.writer(file, lineterminator="\n").writerows([["seed", *header], *rows])


if __name__ == "__main__":
    main()
