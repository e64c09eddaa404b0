#!/usr/bin/env python3
"""Writes the files of docs/howto/derived-columns.md: sales whose frauds show in no column alone.

sales.csv: 6000 sales, 40 of them known frauds, 80 more hidden. A fraud has a unit price of about four times that of its product, or a
quarter of it. new_sales.csv: 3000 later sales with 60 frauds; the column `truth` has the truth."""
import csv
import random

draws = random.Random(5)
PRODUCTS = [(f"P{number:02d}", draws.lognormvariate(2.5, 1)) for number in range(60)]


def sale(fraud):
    product, price = draws.choice(PRODUCTS)
    quantity = max(1, round(draws.lognormvariate(4, 1)))
    price *= draws.lognormvariate(0, 0.15) * (draws.choice([4, 1 / 4]) if fraud else 1)
    return [f"S{draws.randrange(200):03d}", product, quantity, f"{quantity * price:.2f}"]


def write(path, rows, frauds, known, label):
    kinds = [1] * frauds + [0] * (rows - frauds)
    labels = [1] * known + [0] * (rows - known)
    order = list(range(rows))
    draws.shuffle(order)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["salesman", "product", "quantity", "value", label])
        writer.writerows(sale(kinds[i]) + [labels[i]] for i in order)


write("sales.csv", 6000, 120, 40, "fraud")
write("new_sales.csv", 3000, 60, 60, "truth")
