#!/usr/bin/env python3
"""Decisions on MNIST with normal classes 1 and 3, five draws each of the paper's split: 4500 normal images with 250 hidden and 250
labeled anomalies of the seen classes train; up to 1000 normal and 500 seen anomalies of the test part are new and judge. Also
the estimate of alpha (0.0526 within 0.02, in four of five draws). A quarter of an hour on two processors, so it runs only when asked for:

    PUAD_EXPENSIVE=1 test_decisions_mnist.py [first seed] [draws] [epochs]"""
import gzip
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers")]
from checks import check, finish
from decisions import *

if not os.environ.get("PUAD_EXPENSIVE"):
    print("skipped: takes a quarter of an hour; set PUAD_EXPENSIVE=1 to run it")
    sys.exit(77)
need("mnist")
ALPHA_ERROR_MAX = 0.02
ALPHA_HITS_MIN = 0.8  # fraction of the draws


def images(part):
    def read(name, offset):
        for end, opener in (("", open), (".gz", gzip.open)):
            file = os.path.join(DATA, "mnist", name + end)
            if os.path.exists(file):
                with opener(file, "rb") as stream:
                    return numpy.frombuffer(stream.read(), numpy.uint8, offset=offset)
        sys.exit(f"no {name} in {DATA}/mnist")
    return read(f"{part}-images-idx3-ubyte", 16).reshape(-1, 28, 28), read(f"{part}-labels-idx1-ubyte", 8)


def split(normal, seed):
    draws = numpy.random.default_rng([seed, normal])
    def some(labels, wanted, count):
        return draws.permutation(numpy.flatnonzero(wanted(labels)))[:count]
    seen = lambda labels: (labels != normal) & (labels != 0)
    usual = some(TRAIN[1], lambda labels: labels == normal, 4500)
    odd = some(TRAIN[1], seen, 500)
    rows = numpy.r_[usual, odd]
    labels = numpy.r_[numpy.zeros(len(usual) + 250, int), numpy.ones(250, int)]
    truth = numpy.r_[numpy.zeros(len(usual), int), numpy.ones(500, int)]
    new = numpy.r_[some(TEST[1], lambda labels: labels == normal, 1000), some(TEST[1], seen, 500)]
    return TRAIN[0][rows], labels, truth, TEST[0][new], (TEST[1][new] != normal).astype(int)


TRAIN, TEST = images("train"), images("t10k")
first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
draws = int(sys.argv[2]) if len(sys.argv) > 2 else 5
epochs = sys.argv[3] if len(sys.argv) > 3 else "10"
every = []
for normal in (1, 3):
    # 500 anomalies for 1000 normal images are far more than alpha_U: 53 of them are like the unlabeled rows
    results = [judge(split(normal, seed), seed, "--calibrate=0.3", "--epochs", epochs, kept=0.111)
               for seed in range(first, first + draws)]
    report(f"mnist {normal}", results)
    missed = numpy.array([result["alpha"][0] - result["alpha"][1] for result in results])
    print(f"mnist {normal}: alpha is off by {', '.join(f'{error:+.4f}' for error in missed)}")
    check(abs(numpy.median(missed)) <= ALPHA_ERROR_MAX, f"mnist {normal}: the median error of alpha is at most {ALPHA_ERROR_MAX}")
    check((abs(missed) <= ALPHA_ERROR_MAX).sum() >= ALPHA_HITS_MIN * draws,
          f"mnist {normal}: alpha is within {ALPHA_ERROR_MAX} in {ALPHA_HITS_MIN:.0%} of the draws")
    every += results
report_bands(every)
finish()
