#!/usr/bin/python3
"""Isolation forest compared with scikit-learn's: fit + score of the same rows, alternating, medians.

usage: forest_against_sklearn.py [--build BUILD] [--rows 100000] [--columns 30] [--repeats 5] [--threads 0]
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy
from sklearn.ensemble import IsolationForest


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", default="build")
    options.add_argument("--rows", type=int, default=100000)
    options.add_argument("--columns", type=int, default=30)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--threads", type=int, default=0, help="of puad; 0: one per processor")
    options = options.parse_args()
    helper = os.path.join(options.build, "tests", "helper-forest")
    values = numpy.random.default_rng(0).standard_normal((options.rows, options.columns)).astype(numpy.float32)
    theirs, ours, single = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path, output = os.path.join(folder, "x.raw"), os.path.join(folder, "s.raw")
        values.tofile(path)

        def run(threads, seed):
            arguments = [helper, path, str(options.rows), str(options.columns), str(seed), str(threads), output]
            result = json.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout)
            return result["fit"] + result["score"]

        for seed in range(options.repeats):
            begin = time.perf_counter()
            IsolationForest(random_state=seed).fit(values).score_samples(values)
            theirs.append(time.perf_counter() - begin)
            ours.append(run(options.threads, seed))
            single.append(run(1, seed))
    theirs, ours, single = map(statistics.median, (theirs, ours, single))
    print(f"{options.rows} x {options.columns} rows, 100 trees, fit + score, median of {options.repeats}")
    print(f"scikit-learn            {theirs:8.3f} s")
    print(f"puad, 1 thread          {single:8.3f} s   {theirs / single:6.1f} times faster")
    print(f"puad, --threads {options.threads:<8d}{ours:8.3f} s   {theirs / ours:6.1f} times faster")


main()
