#!/usr/bin/env python3
"""Fit of a generated table with more rows than are kept (--max-rows): accuracy compared with a fit on all rows, and time and memory through a pipe.

    bench/large_tables.py --accuracy                # 5,000,000 x 20, five seeds: all rows, 1,000,000, 300,000 and 100,000 of them
    bench/large_tables.py --speed 10000000          # a pipe of that many rows: default fit, reading alone, and the generator alone

A row is one of four clusters of correlated normal columns; 1% are anomalies, shifted by one of two patterns, and 1% of those are labeled. AUROC and
average precision are of 300,000 other rows. Reading alone is a fit with --method pca, whose training takes no time. Needs scikit-learn.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy

COLUMNS, CHUNK = 20, 100_000
PUAD = os.environ.get("PUAD", "build/puad")


def chunks(rows, seed, label_rate):
    """Rows and labels; label_rate None: the truth."""
    shape, draw = numpy.random.default_rng(7), numpy.random.default_rng(seed)
    centers, mixing = shape.normal(0, 2, (4, COLUMNS)), shape.normal(0, 0.5, (3, COLUMNS))
    shifts = shape.normal(0, 1.6, (2, COLUMNS)) * (shape.random((2, COLUMNS)) < 0.4)
    for first in range(0, rows, CHUNK):
        count = min(CHUNK, rows - first)
        values = centers[draw.integers(4, size=count)] + draw.normal(0, 1, (count, 3)) @ mixing + draw.normal(0, 1, (count, COLUMNS))
        odd = draw.random(count) < 0.01
        values[odd] += shifts[draw.integers(2, size=odd.sum())]
        yield values, odd if label_rate is None else odd & (draw.random(count) < label_rate)


def as_text(values, labels):
    """CSV with cells such as -01.234."""
    whole = numpy.minimum(numpy.abs(values) * 1000, 99999).astype(numpy.int64)
    cells = numpy.full((len(values), COLUMNS, 8), ord(","), numpy.uint8)
    cells[:, :, 0] = numpy.where(values < 0, ord("-"), ord(" "))
    cells[:, :, 3] = ord(".")
    for place, power in ((1, 10000), (2, 1000), (4, 100), (5, 10), (6, 1)):
        cells[:, :, place] = ord("0") + whole // power % 10
    ends = numpy.full((len(values), 2), ord("\n"), numpy.uint8)
    ends[:, 0] = ord("0") + labels
    return numpy.hstack([cells.reshape(len(values), -1), ends]).tobytes()


def write(file, rows, seed, label_rate, name):
    file.write((",".join(f"x{i}" for i in range(COLUMNS)) + f",{name}\n").encode())
    for values, labels in chunks(rows, seed, label_rate):
        file.write(as_text(values, labels))


def accuracy(rows, seeds):
    from sklearn.metrics import average_precision_score, roc_auc_score

    with tempfile.TemporaryDirectory() as folder:
        train, new, model = (os.path.join(folder, name) for name in ("train.csv", "new.csv", "m.safetensors"))
        with open(new, "wb") as file:
            write(file, 300_000, 999_999, 0, "label")
        truth = numpy.concatenate([labels for _, labels in chunks(300_000, 999_999, None)])
        print("seed  max_rows     AUROC  average precision")
        for seed in range(seeds):
            with open(train, "wb") as file:
                write(file, rows, seed, 0.01, "label")
            for kept in (0, 1_000_000, 300_000, 100_000):
                subprocess.run([PUAD, "fit", train, "--label-column", "label", "--max-rows", str(kept), "--seed", str(seed), "-q", "-o", model],
                               check=True, stderr=subprocess.DEVNULL)
                text = subprocess.run([PUAD, "score", model, new, "-q"], check=True, capture_output=True, text=True).stdout
                scores = numpy.array([line.rsplit(",", 1)[1] for line in text.splitlines()[1:]], float)
                print(f"{seed:4}  {kept:8}    {roc_auc_score(truth, scores):.4f}  {average_precision_score(truth, scores):.4f}", flush=True)


def speed(rows):
    sides = {"fit": [], "reading alone": ["--method", "pca"], "generator alone": None}
    child = [sys.executable, __file__, "--generate", str(rows)]
    with tempfile.TemporaryDirectory() as folder:
        for side, options in sides.items():
            reader = ["wc", "-c"] if options is None else [PUAD, "fit", "-", "--label-column", "label", "-q", "-o",
                                                           os.path.join(folder, "m.safetensors"), *options]
            begin = time.time()
            source = subprocess.Popen(child, stdout=subprocess.PIPE)
            run = subprocess.Popen(["/usr/bin/time", "-f", "%U %M", *reader], stdin=source.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
            source.stdout.close()
            seconds, kilobytes = run.communicate()[1].splitlines()[-1].split()
            source.wait()
            print(f"{side}: {time.time() - begin:.1f} s, processor {seconds} s, {int(kilobytes) // 1024} MB", flush=True)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--accuracy", action="store_true")
parser.add_argument("--speed", type=int, metavar="ROWS")
parser.add_argument("--generate", type=int, metavar="ROWS", help="write such a table to standard output")
parser.add_argument("--rows", type=int, default=5_000_000, help="of --accuracy")
parser.add_argument("--seeds", type=int, default=5)
given = parser.parse_args()
if given.generate:
    write(sys.stdout.buffer, given.generate, 1, 2000 / given.generate / 0.01, "label")
if given.accuracy:
    accuracy(given.rows, given.seeds)
if given.speed:
    speed(given.speed)
