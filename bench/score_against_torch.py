#!/usr/bin/env python3
"""Scores one CSV file alternately with `puad score` and with an equivalent loop of pandas and PyTorch: read a chunk, standardize, run
the network, print row and score. Each is a separate process; one thread is measured by processor time, several by wall time.

usage: bench/score_against_torch.py [--puad build/puad] [--python .venv/peers/bin/python] [--rows 300000] [--rounds 5] [--threads 2]

Prints seconds (medians), the median of the rounds' ratios, PyTorch's BLAS (the reference BLAS is rejected), and the largest difference
of the scores. The time of the loop excludes its imports; for puad the whole process is timed.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

COLUMNS = 20
HERE = os.path.dirname(os.path.abspath(__file__))
LOOP = """
import sys, time
import pandas, torch
sys.path[:0] = sys.argv[1].split(":")
import peer_blas
from model_in_torch import Model
blas = peer_blas.checked()
threads = int(sys.argv[6])
clock = time.process_time if threads == 1 else time.perf_counter
torch.set_num_threads(threads)
begin = clock()
model = Model(sys.argv[2])
row = 0
with open(sys.argv[4], "w") as out:
    out.write("row,score\\n")
    for chunk in pandas.read_csv(sys.argv[3], chunksize=int(sys.argv[5])):
        scores = model.scores({name: chunk[name].to_numpy() for name in chunk})
        pandas.DataFrame({"row": range(row, row + len(scores)), "score": scores}).to_csv(out, header=False, index=False, float_format="%.9g")
        row += len(scores)
print(clock() - begin, torch.__version__, blas)
"""


def write_table(path, rows, labels):
    import numpy
    draw = numpy.random.default_rng(1)
    with open(path, "w") as out:
        out.write(",".join([f"c{i}" for i in range(COLUMNS)] + ["label"] * labels) + "\n")
        for first in range(0, rows, 10000):
            count = min(10000, rows - first)
            odd = draw.random(count) < 0.05
            values = draw.normal(size=(count, COLUMNS)) + 3 * odd[:, None]
            for row, label in zip(values.tolist(), odd.astype(int)):
                out.write(",".join(f"{value:.6f}" for value in row) + (f",{label}" if labels else "") + "\n")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--puad", default="build/puad")
    ask.add_argument("--python", default=os.path.join(HERE, "..", ".venv", "peers", "bin", "python"))
    ask.add_argument("--rows", type=int, default=300000)
    ask.add_argument("--rounds", type=int, default=5)
    ask.add_argument("--threads", type=int, default=2)
    how = ask.parse_args()
    helpers = os.path.join(HERE, "..", "tests", "helpers") + ":" + HERE
    with tempfile.TemporaryDirectory() as folder:
        train, rows, model, ours, theirs = (os.path.join(folder, name) for name in ("train.csv", "rows.csv", "m", "ours.csv", "theirs.csv"))
        write_table(train, 2000, True)
        write_table(rows, how.rows, False)
        for method in ("pusvdd", "puae"):
            subprocess.run([how.puad, "fit", train, "--label-column", "label", "--method", method, "--epochs", "3", "--quiet", "--force", "-o", model],
                           check=True)
            times = {"puad": [], 1000: [], 10000: []}
            for _ in range(how.rounds):
                begin = time.perf_counter()
                with open(ours, "w") as out:
                    process = subprocess.Popen([how.puad, "score", model, rows, "--threads", str(how.threads), "--quiet"], stdout=out)
                    usage = os.wait4(process.pid, 0)[2]
                times["puad"].append(usage.ru_utime + usage.ru_stime if how.threads == 1 else time.perf_counter() - begin)
                for chunk in (1000, 10000):
                    done = subprocess.run([how.python, "-c", LOOP, helpers, model, rows, theirs, str(chunk), str(how.threads)], check=True, capture_output=True, text=True)
                    seconds, version, blas = done.stdout.split(maxsplit=2)
                    times[chunk].append(float(seconds))
            import numpy
            a, b = (numpy.loadtxt(name, delimiter=",", skiprows=1) for name in (ours, theirs))
            medians = {name: statistics.median(values) for name, values in times.items()}
            best = statistics.median(min(a, b) / own for own, a, b in zip(times["puad"], times[1000], times[10000]))
            print(f"{method}: {how.rows} rows of {COLUMNS} columns: puad {medians['puad']:.2f} s, PyTorch {version} ({blas.strip()}) + pandas {medians[1000]:.2f} s in chunks of 1000 and "
                  f"{medians[10000]:.2f} s of 10000: {best:.1f} times (largest difference of a score "
                  f"{numpy.max(numpy.abs(a[:, 1] - b[:, 1]) / numpy.maximum(1, a[:, 1])):.1g})")


main()
