#!/usr/bin/env python3
"""Writes the files of README and of docs/tutorial/2-score-to-decision.md: card payments with hidden fraud.

train.csv: 6000 payments, 100 of them known fraud, 300 more hidden among the others (alpha_U = 300/5900 = 0.0508).
new.csv: 4000 payments with 200 frauds of the known kind and 20 of a new kind; truth.csv has the truth.
test.csv: the rows of new.csv with a column `truth`, 1 for every fraud."""
import csv
import math
import random

draws = random.Random(7)
COLUMNS = ["account", "amount", "hour", "distance_km", "seconds_since_last", "merchant", "country"]


def payment(kind):
    """kind 0 usual, 1 fraud (large, at night, far away, in quick succession), 2 a new kind (tiny, very many)."""
    if kind == 2:
        values = draws.gauss(0.3, 0.2), draws.uniform(0, 24), draws.gauss(2, 0.4), draws.gauss(0.5, 0.5)
    elif kind == 1:
        values = draws.gauss(5.2, 0.8), draws.gauss(27, 2.5) % 24, draws.gauss(5.5, 1.2), draws.gauss(4.5, 1.5)
    else:
        values = draws.gauss(3.4, 0.9), draws.gauss(14, 4) % 24, draws.gauss(2, 1), draws.gauss(8.5, 1.5)
    amount, hour, distance, pause = values
    shop = draws.choices(["grocery", "fuel", "online", "jewellery"], [1, 1, 4, 3] if kind == 1 else [5, 2, 3, 0.3])[0]
    country = draws.choices(["home", "neighbor", "overseas"], [2, 1, 3] if kind == 1 else [12, 2, 1])[0]
    return [f"A{draws.randrange(100000):05d}", f"{math.exp(amount):.2f}", f"{hour:.1f}", f"{math.exp(distance):.1f}",
            f"{math.exp(pause):.0f}", shop, country]


def write(path, kinds, label):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS + ([label] if label else []))
        writer.writerows(kinds)


kinds = [0] * 5600 + [1] * 400
draws.shuffle(kinds)
known = set([row for row, kind in enumerate(kinds) if kind == 1][:100])
write("train.csv", [payment(kind) + ["fraud" if row in known else ""] for row, kind in enumerate(kinds)], "status")
kinds_of_train = kinds
kinds = [0] * 3780 + [1] * 200 + [2] * 20
draws.shuffle(kinds)
new = [payment(kind) for kind in kinds]
write("new.csv", new, None)
write("test.csv", [row + [int(kind > 0)] for row, kind in zip(new, kinds)], "truth")
for path, truth in (("truth.csv", kinds), ("truth_train.csv", kinds_of_train)):
    with open(path, "w") as file:
        file.write("row,kind\n" + "".join(f"{row},{kind}\n" for row, kind in enumerate(truth)))
