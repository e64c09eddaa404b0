#!/usr/bin/env python3
"""Decisions on three real tables, 20 draws each. In each draw half of the rows train, half of their anomalies labeled; the other
half is new and judges.

    test_decisions.py [first seed] [draws]        other draws than those the test is about"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers")]
from checks import finish
from decisions import *

TABLES = ("4_breastw", "28_pendigits", "30_satellite")
OPTIONS = ("--calibrate=0.3", "--epochs", "60")
need("tabular")
first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
draws = int(sys.argv[2]) if len(sys.argv) > 2 else 20
every = []
for name in TABLES:
    results = [judge(draw(name, seed), seed, *OPTIONS, kept=0.5) for seed in range(first, first + draws)]
    report(name, results)
    every += results
report_bands(every)
finish()
