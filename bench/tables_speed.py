#!/usr/bin/env python3
"""Time and memory of `puad fit` and `puad score` on generated tables, compared with XGBoost and scikit-learn's ExtraTrees on the same rows.

    bench/tables_speed.py                                       # 10,000 x 20 and 1,000,000 x 20, three alternating rounds
    bench/tables_speed.py --rows 10000 --rounds 5 --limit 60
    bench/tables_speed.py --rows 100000 --sides puad,xgboost --fit "--method if"

The table has labeled anomalies (--labels), hidden ones (2%) and normal rows; the other sides learn labeled against unlabeled. Every run is
a separate process on the first --threads processors. For puad the whole process is timed, for the others only fit and predict: not
startup, imports and reading. Memory is the peak resident size of the process, for the others including Python and its packages.
Medians of the rounds; a run that exceeds --limit is stopped and not repeated. AUROC on new rows shows that the sides did comparable work.

Scoring is timed on a CSV file and compared with reading that file, from the page cache: puad_dataset_open through the shared library
(parsed, types decided, standardized, in memory) and `puad data` (parsed and described); the ratio is to the faster of the two.

Only the forests: the whole process of `puad fit --method puforest`, which grows 400 trees and then 800, compared with the fit of ExtraTrees
with --trees trees on the same rows and threads.
"""
import argparse
import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile

import numpy

from processes import Runner, in_child

COLUMNS = 20
HIDDEN = 0.02

RIVAL = """
import sys, time, numpy
side, train, test, scores, threads, trees, leaf = sys.argv[1:4] + sys.argv[4:5] + [int(word) for word in sys.argv[5:]]
with numpy.load(train) as file:
    rows, labels = file["X"], file["y"]
with numpy.load(test) as file:
    new = file["X"]
if side == "xgboost":
    from xgboost import XGBClassifier
    model = XGBClassifier(n_jobs=threads)
else:
    from sklearn.ensemble import ExtraTreesClassifier
    model = ExtraTreesClassifier(n_estimators=trees, min_samples_leaf=leaf, class_weight="balanced", n_jobs=threads)
begin = time.perf_counter()
model.fit(rows, labels)
middle = time.perf_counter()
found = model.predict_proba(new)[:, 1]
end = time.perf_counter()
numpy.save(scores, found)
print(middle - begin, end - middle)
"""

LOAD = """
import ctypes, time, sys
library = ctypes.CDLL(sys.argv[2])
library.puad_last_error.restype = ctypes.c_char_p
data = ctypes.c_void_p()
begin = time.perf_counter()
status = library.puad_dataset_open(ctypes.byref(data), sys.argv[1].encode(), None, None)
seconds = time.perf_counter() - begin
assert status == 0, library.puad_last_error()
print(seconds)
"""


def generate(rows, labels, seed):
    """Correlated normal rows in two clusters; anomalies differ in a few columns and overlap with the normal rows."""
    draw = numpy.random.default_rng(seed)
    mix = numpy.random.default_rng(7).standard_normal((COLUMNS, COLUMNS)) / numpy.sqrt(COLUMNS)
    values = draw.standard_normal((rows, COLUMNS)) @ mix + 2 * draw.integers(0, 2, (rows, 1))
    truth = (draw.random(rows) < HIDDEN).astype(int)
    values[truth == 1, :6] += draw.normal(1.5, 1.0, (truth.sum(), 6))
    given = numpy.zeros(rows, int)
    given[numpy.flatnonzero(truth)[:labels]] = 1
    return values.astype(numpy.float32), given, truth


def write_csv(path, values):
    with open(path, "w") as file:
        file.write(",".join(f"c{column}" for column in range(COLUMNS)) + "\n")
        for block in range(0, len(values), 10000):
            numpy.savetxt(file, values[block:block + 10000], fmt="%.6g", delimiter=",")


def write_files(files, rows, labels):
    values, given, _ = generate(rows, labels, 1)
    numpy.savez(files["train"], X=values, y=given)
    values, _, truth = generate(rows, 0, 2)
    numpy.savez(files["test"], X=values)
    numpy.save(files["truth"], truth)
    write_csv(files["csv"], values)


def auroc(truth_file, scores_file):
    """AUROC of a file of scores, CSV or NPY; ties count half."""
    truth = numpy.load(truth_file)
    if scores_file.endswith(".npy"):
        scores = numpy.load(scores_file)
    else:
        with open(scores_file) as file:
            next(file)
            scores = numpy.array([float(line.split(",")[1]) for line in file])
    _, place, counts = numpy.unique(scores, return_inverse=True, return_counts=True)
    ranks = (numpy.cumsum(counts) - (counts - 1) / 2)[place.ravel()]
    positive = truth == 1
    count = positive.sum()
    return (ranks[positive].sum() - count * (count + 1) / 2) / (count * (len(truth) - count))


def run_puad(runner, how, files, name, options):
    model, scores = os.path.join(files["folder"], "model"), os.path.join(files["folder"], "scores.csv")
    fit = [how.puad, "fit", files["train"], *shlex.split(options), "--threads", str(how.threads), "--quiet", "--force", "-o", model]
    if runner.run(f"{name} fit", fit) is None:
        return None
    with open(scores, "wb") as output:
        if runner.run(f"{name} score", [how.puad, "score", model, files["csv"], "--threads", str(how.threads), "--quiet"], output) is None:
            return None
    return scores


def run_rival(runner, how, files, side):
    scores = os.path.join(files["folder"], "scores.npy")
    inner = f"{side} process"
    printed = runner.run(inner, [sys.executable, "-c", RIVAL, side, files["train"], files["test"], scores, str(how.threads), str(how.trees), str(how.leaf)])
    if printed is None:
        runner.stopped.add(f"{side} fit")
        return None
    for part, seconds in zip(("fit", "score"), printed.split()):
        runner.keep(f"{side} {part}", float(seconds), runner.peaks[inner])
    return scores


def run_reading(runner, how, files):
    library = os.path.join(os.path.dirname(os.path.abspath(how.puad)), "libpuad.so")
    printed = runner.run("open process", [sys.executable, "-c", LOAD, files["csv"], library])
    if printed is not None:
        runner.keep("puad_dataset_open", float(printed), runner.peaks["open process"])
    runner.run("puad data", [how.puad, "data", files["csv"], "--json"])


def shown(runner, name):
    seconds = runner.median(name)
    if seconds is None:
        return f"{'over' if name in runner.stopped else '':>5} {runner.limit if name in runner.stopped else '-':>7} s"
    return f"{seconds:13.2f} s {runner.peaks[name]:7.0f} MiB"


def report(runner, how, sides, quality):
    ours = runner.median("puad fit")
    for side in sides:
        theirs, line = runner.median(f"{side} fit"), f"  {side:11} fit {shown(runner, f'{side} fit')}"
        if side != "puad" and ours and theirs:
            line += f"  ({theirs / ours:.2f} of puad's time)"
        print(line + f"   score {shown(runner, f'{side} score')}" + (f"   AUROC {quality[side]:.3f}" if side in quality else ""))
    reading = {name: runner.median(name) for name in ("puad_dataset_open", "puad data") if runner.median(name)}
    if reading and runner.median("puad score"):
        print(f"  reading the CSV file: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in reading.items())
              + f"; puad score takes {runner.median('puad score') / min(reading.values()):.2f} times the faster")
    grown, theirs = runner.median("puforest fit"), runner.median("extratrees fit")
    if "puforest" in sides and grown and theirs:
        print(f"  the whole of puforest takes {grown / theirs:.2f} of the time of {how.trees} trees of ExtraTrees, leaves of {how.leaf}")


def measure(how, rows, sides):
    runner, quality = Runner(how.threads, how.limit), {}
    with tempfile.TemporaryDirectory(dir=how.scratch) as folder:
        files = {"folder": folder, **{name: os.path.join(folder, name + ".npz") for name in ("train", "test")}, "csv": os.path.join(folder, "new.csv"),
                 "truth": os.path.join(folder, "truth.npy")}
        in_child(write_files, files, rows, how.labels)
        print(f"{rows} x {COLUMNS}, {how.labels} labels, CSV of {os.path.getsize(files['csv']) / 1e6:.0f} MB", flush=True)
        for _ in range(how.rounds):
            for side in sides:
                if side == "puad":
                    scores = run_puad(runner, how, files, side, how.fit)
                elif side == "puforest":
                    scores = run_puad(runner, how, files, side, how.puforest.format(trees=how.trees, leaf=how.leaf))
                else:
                    scores = run_rival(runner, how, files, side)
                if scores is not None:
                    quality[side] = in_child(auroc, files["truth"], scores)
            run_reading(runner, how, files)
    report(runner, how, sides, quality)


def machine():
    with open("/proc/cpuinfo") as file:
        lines = dict(line.split(":", 1) for line in file if ":" in line)
    facts = {key.strip(): value.strip() for key, value in lines.items()}
    flags = facts.get("flags", facts.get("Features", "")).split()
    sets = [name for name in ("avx512f", "avx2", "fma", "asimd") if name in flags]
    load = os.getloadavg()[0]
    return f"{facts.get('model name', 'processor')}, {os.cpu_count()} processors, {' '.join(sets)}, load at the start {load:.1f}"


def usable(how):
    """The sides that can run here; reports the others."""
    listed = subprocess.run([how.puad, "list", "methods"], capture_output=True, text=True, check=True).stdout.split()
    found = []
    for side in how.sides.split(","):
        package = {"xgboost": "xgboost", "extratrees": "sklearn"}.get(side)
        if side == "puforest" and "puforest" not in listed:
            print("puforest: this program has no such method; growing alone is not measured")
        elif package and not importlib.util.find_spec(package):
            print(f"{side}: no package {package} here; left out")
        else:
            found.append(side)
    return found


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--puad", default="build/puad")
    ask.add_argument("--rows", default="10000,1000000")
    ask.add_argument("--rounds", type=int, default=3)
    ask.add_argument("--threads", type=int, default=os.cpu_count())
    ask.add_argument("--labels", type=int, default=30)
    ask.add_argument("--sides", default="puad,puforest,xgboost,extratrees")
    ask.add_argument("--fit", default="", help="options of puad fit; default none")
    ask.add_argument("--puforest", default="--method puforest", help="options of puad fit for growing alone")
    ask.add_argument("--trees", type=int, default=100)
    ask.add_argument("--leaf", type=int, default=3)
    ask.add_argument("--limit", type=float, default=600, help="time limit of a run in seconds")
    ask.add_argument("--scratch", help="folder for the files, about 300 bytes per row")
    how = ask.parse_args()
    print(f"{machine()}; {how.threads} threads, medians of {how.rounds} alternating rounds")
    sides = usable(how)
    for rows in how.rows.split(","):
        measure(how, int(rows), sides)


if __name__ == "__main__":
    main()
