#!/usr/bin/env python3
"""Decisions on three real tables, 20 draws each. In each draw half of the rows train, half of their anomalies labeled; the other
half is new and judges.

    test_decisions.py [first seed] [draws]        other draws than those the test is about"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from decisions import *

TABLES = ("4_breastw", "28_pendigits", "30_satellite")
OPTIONS = ("--calibrate", "0.3", "--epochs", "60")
need("tabular")
first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
draws = int(sys.argv[2]) if len(sys.argv) > 2 else 20
failed, every = 0, []
for name in TABLES:
    results = [judge(draw(name, seed), seed, *OPTIONS, kept=0.5) for seed in range(first, first + draws)]
    failed += report(name, results)
    every += results
failed += report_bands(every)
print(f"{2 * len(TABLES) + len(FIGURES) - failed} passed, {failed} failed")
sys.exit(failed > 0)
