#!/usr/bin/env python3
"""Writes the files of docs/tutorial/4-time-series.md: two channels of a machine, a row every minute, with faults that freeze the first.

series.csv: 6000 rows with six faults of 60 rows; the column `fault` labels three of them. new.csv: 1500 rows, two faults, no labels.
test.csv: 3000 rows, four faults, all labeled. faults.csv: the three labeled faults of series.csv as intervals."""
import csv
import datetime
import math
import random

START = datetime.datetime(2024, 5, 1)
draws = random.Random(7)


def stamp(row):
    return str(START + datetime.timedelta(minutes=row))


def write(path, first, rows, faults, labeled):
    """Rows `first` to `first + rows`; faults begin at these rows; labeled: how many of them, None for no column."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["timestamp", "load", "temperature"] + ([] if labeled is None else ["fault"]))
        for row in range(rows):
            begins = [begin for begin in faults if begin <= row < begin + 60]
            load = 0.9 if begins else math.sin(row / 12)
            cells = [stamp(first + row), f"{load + draws.gauss(0, 0.05):.4f}", f"{40 + 3 * math.cos(row / 200) + draws.gauss(0, 0.3):.2f}"]
            if labeled is not None:
                cells.append(int(bool(begins) and begins[0] in faults[:labeled]))
            writer.writerow(cells)


write("series.csv", 0, 6000, FAULTS := [500, 1400, 2300, 3200, 4100, 5000], 3)
write("new.csv", 6000, 1500, [400, 1000], None)
write("test.csv", 7500, 3000, [300, 900, 1700, 2500], 4)
with open("faults.csv", "w") as file:
    file.write("start,end\n" + "".join(f"{stamp(begin)},{stamp(begin + 59)}\n" for begin in FAULTS[:3]))
