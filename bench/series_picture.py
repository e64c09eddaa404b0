#!/usr/bin/env python3
"""Draws the picture of docs/research/time-series.md: a series of NAB, its labeled intervals, the score of each row and the flagged rows. Needs matplotlib.

    bench/series_picture.py SERIES.csv SCORES.csv INTERVALS.csv LABELED.csv THRESHOLD PICTURE.png
"""
import csv, sys
from datetime import datetime
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plot


def times(path):
    with open(path) as file:
        return [tuple(datetime.fromisoformat(cell[:19]) for cell in row) for row in list(csv.reader(file))[1:]]


series, scores, intervals, labeled, threshold, picture = sys.argv[1:]
with open(series) as file:
    rows = [(datetime.fromisoformat(row["timestamp"]), float(row["value"])) for row in csv.DictReader(file)]
with open(scores) as file:
    found = [float(row["score"]) for row in csv.DictReader(file)]
when = [row[0] for row in rows]
figure, (above, below) = plot.subplots(2, 1, figsize=(10, 4.6), sharex=True, layout="constrained")
above.plot(when, [row[1] for row in rows], color="#30507a", linewidth=0.5)
below.plot(when, found, color="#222222", linewidth=0.7)
below.axhline(float(threshold), color="#b03030", linewidth=0.8, linestyle="--")
known = times(labeled)
for begin, end in times(intervals):
    for axis in above, below:
        axis.axvspan(begin, end, color="#d9a441" if (begin, end) in known else "#6aa84f", alpha=0.35, linewidth=0)
for axis in above, below:
    axis.fill_between(when, 0, 0.04, where=[score >= float(threshold) for score in found], transform=axis.get_xaxis_transform(), color="#b03030", linewidth=0)
above.set_ylabel("temperature")
below.set_ylabel("score")
above.set_title("orange: labeled fault; green: unlabeled faults; red: rows flagged at the dashed threshold", fontsize=9, loc="left")
figure.savefig(picture, dpi=110)
