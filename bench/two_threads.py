#!/usr/bin/env python3
"""Speedup of two threads: a default fit of a network on a table, a default fit of the ensemble, and scoring of a large table; interleaved rounds.

    bench/two_threads.py                         # 20,000 rows x 20 to fit, 1,000,000 to score
    bench/two_threads.py --priority              # with real-time priority (as root), for a machine with other work

The outputs of one and two threads are compared byte for byte. The tables are those of bench/large_tables.py.
"""
import argparse
import filecmp
import os
import statistics
import subprocess
import sys
import tempfile
import time

PUAD = os.environ.get("PUAD", "build/puad")
HERE = os.path.dirname(os.path.abspath(__file__))


def generate(path, rows):
    with open(path, "wb") as file:
        subprocess.run([sys.executable, os.path.join(HERE, "large_tables.py"), "--generate", str(rows)], stdout=file, check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit-rows", type=int, default=20_000)
    parser.add_argument("--score-rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--priority", action="store_true")
    given = parser.parse_args()
    priority = ["chrt", "--rr", "10"] if given.priority else []
    print(f"{os.cpu_count()} processors, {given.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        place = lambda name: os.path.join(folder, name)
        train, new = generate(place("train.csv"), given.fit_rows), generate(place("new.csv"), given.score_rows)
        fit = ["fit", train, "--label-column", "label", "--quiet", "--force"]
        jobs = {"fit --method pusvdd": (fit + ["--method", "pusvdd"], "pusvdd"), "fit": (fit, "default"),
                "score, default": (["score", place("default-1"), new, "--quiet"], "scores"),
                "score, pusvdd": (["score", place("pusvdd-1"), new, "--quiet"], "scores-pusvdd")}
        for name, (words, out) in jobs.items():
            seconds = {1: [], 2: []}
            for _ in range(given.rounds):
                for threads in seconds:
                    begin = time.perf_counter()
                    subprocess.run([*priority, PUAD, *words, "--threads", str(threads), "-o", place(f"{out}-{threads}")], check=True,
                                   stderr=subprocess.DEVNULL)
                    seconds[threads].append(time.perf_counter() - begin)
            ratios = sorted(one / two for one, two in zip(seconds[1], seconds[2]))
            same = "same bytes" if filecmp.cmp(place(f"{out}-1"), place(f"{out}-2"), shallow=False) else "DIFFERENT OUTPUTS"
            print(f"{name}: {min(seconds[1]):.2f} s, two threads {min(seconds[2]):.2f} s: {min(seconds[1]) / min(seconds[2]):.2f} times, "
                  f"median {statistics.median(ratios):.2f}, rounds {ratios[0]:.2f} to {ratios[-1]:.2f}; {same}", flush=True)


main()
