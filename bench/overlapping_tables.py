#!/usr/bin/env python3
"""Writes generated tables in which anomalies overlap with normal rows, as NPZ files for bench/more_labels.py.

    accounts    40 columns with heavy tails, most of them zero or missing; a fifth of the rows are frauds, which are less active than others
    shop        device counts, times, amounts and categories; half of the frauds share devices, the others look like customers
    claims      14 categories and 6 amounts, of which some are slightly related to fraud
    machines    six readings; failures lie beyond limits of their products and differences

    bench/overlapping_tables.py --seeds 11,12 build/overlapping
    bench/more_labels.py --data build/overlapping --tables accounts-11,shop-11 --methods default,extratrees,bagged-trees --csv build/overlapping.csv
"""
import argparse
import os

import numpy


def accounts(rng, count=7000):
    truth, kind, level = rng.random(count) < 0.2, rng.choice(3, count, p=[0.45, 0.3, 0.25]), rng.normal(0, 1, (count, 4))
    first, second = truth & (kind == 0), truth & (kind == 1)
    activity, span = level[:, 0].copy(), level[:, 1].copy()
    activity[first] = -1.2 + 0.3 * level[first, 0]
    activity[second] = -0.3 + 0.7 * level[second, 0]
    span[truth & (kind < 2)] = -1 + 0.6 * level[truth & (kind < 2), 1]
    sent = numpy.floor(numpy.exp(1.5 + 1.5 * activity + 0.5 * rng.normal(size=count)))
    received = numpy.floor(numpy.exp(1.7 + 1.4 * activity + 0.5 * rng.normal(size=count)))
    sent[second] = numpy.floor(sent[second] * 0.15)
    days = numpy.exp(8 + 1.5 * span + 0.7 * rng.normal(size=count))
    value = numpy.exp(1 + 1.7 * level[:, 2] + 0.5 * rng.normal(size=count) + 0.7 * truth)
    columns = [sent, received, days, days / numpy.maximum(sent, 1), numpy.where(received > 0, days / numpy.maximum(received, 1), 0)]
    for k in range(11):
        columns.append(numpy.where((sent if k % 2 else received) > 0, value * numpy.exp(rng.normal() + 0.8 * rng.normal(size=count)), 0))
    columns += [columns[-1] - columns[-2], sent + received]
    has, missing = rng.random(count) < numpy.where(truth, 0.12, 0.45), first & (rng.random(count) < 0.85)
    while len(columns) < 40:
        amount = numpy.where(has, numpy.exp(2 + 2 * level[:, 3] + rng.normal(0, 1.5) + 0.5 * rng.normal(size=count)), 0)
        columns.append(numpy.where(missing, numpy.nan, numpy.floor(amount)))
    return numpy.stack(columns, 1), truth


def dummies(codes, number):
    return [(codes == k).astype(float) for k in range(number)]


def shop(rng, count=7000):
    truth = rng.random(count) < 0.09
    strong = truth & (rng.random(count) < 0.55)
    columns = [numpy.where(strong, rng.geometric(0.12, count) + 1, 1 + (rng.random(count) < 0.05)),
               numpy.where(strong, rng.geometric(0.12, count) + 1, 1 + (rng.random(count) < 0.03)),
               numpy.where(strong & (rng.random(count) < 0.9), rng.exponential(2, count), rng.uniform(0, 2900, count)),
               numpy.round(numpy.clip(rng.normal(37, 18, count), 9, 150)), numpy.round(numpy.clip(rng.gamma(15, 2.2, count), 18, 75))]
    for number in (3, 5, 2, 25):
        columns += dummies(rng.choice(number, count, p=(1 / numpy.arange(1, number + 1)) / (1 / numpy.arange(1, number + 1)).sum()), number)
    return numpy.stack([*columns, rng.integers(0, 24, count), rng.integers(0, 7, count), rng.integers(0, 365, count)], 1), truth


def claims(rng, count=6000):
    truth, columns = rng.random(count) < 0.08, []
    for k in range(14):
        number = int(rng.integers(2, 9))
        usual = rng.dirichlet(numpy.full(number, 2.0))
        odd = usual * numpy.exp(rng.normal(0, 0.8, number) * (k < 5))
        columns += dummies(numpy.where(truth, rng.choice(number, count, p=odd / odd.sum()), rng.choice(number, count, p=usual)), number)
    columns += [rng.gamma(2, 1, count) * numpy.exp(truth * 0.5 * (k < 2)) for k in range(6)]
    return numpy.stack(columns, 1), truth


def machines(rng, count=8000):
    level = rng.normal(size=(count, 4))
    rows = numpy.stack([300 + 2 * level[:, 0], 310 + 1.5 * level[:, 0] + level[:, 1], 1500 + 180 * level[:, 2],
                        40 - 8 * level[:, 2] + 5 * level[:, 3], rng.uniform(0, 250, count), rng.choice(3, count)], 1)
    risk = numpy.maximum.reduce([(rows[:, 3] * rows[:, 4] - 11500) / 1500, (8.6 - (rows[:, 1] - rows[:, 0])) / 1.2 * (rows[:, 2] < 1380),
                                 (rows[:, 4] - 230) / 20]) + 0.3 * rng.normal(size=count)
    return rows, risk > numpy.quantile(risk, 0.97)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="11,12")
    parser.add_argument("folder")
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    for number, make in enumerate((accounts, shop, claims, machines)):
        for seed in map(int, given.seeds.split(",")):
            rows, truth = make(numpy.random.default_rng([number, seed]))
            numpy.savez(os.path.join(given.folder, f"0_{make.__name__}-{seed}.npz"), X=rows.astype(float), y=truth.astype(int))


main()
