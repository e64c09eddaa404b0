#!/usr/bin/env python3
"""The label loop on six real tables: five rounds of 20 rows that `puad query` proposes against five rounds of 20 random rows, both
answered truly and trained with `fit --answers --update`. Half of the rows train, with 10 labeled anomalies to begin with; the
other half is new and judges. The mean AUROC over the draws after the last round must be the better one on four tables, and the
query must find twice as many anomalies as chance.

    test_label_loop.py [first seed] [draws]        other draws than those the test is about"""
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers")]
from checks import check, finish
from tables import *

TABLES = ("2_annthyroid", "4_breastw", "6_cardio", "7_Cardiotocography", "28_pendigits", "30_satellite")
OPTIONS = ("--epochs", "40")
ROUNDS, ASKED = 5, 20
BETTER_MIN = 2 / 3  # fraction of the tables on which the query must end better than chance
FOUND_MIN = 2  # anomalies found by the query for each one found by chance
need("tabular")


def answer(name, rows, truth):
    with open(path(name), "w") as file:
        file.write("row,label\n" + "".join(f"{row},{1 if truth[row] else -1}\n" for row in rows))
    return path(name)


def loop(name, seed, asks):
    """The AUROC before and after each round, and how many anomalies were found; `asks` gives a round's rows."""
    values, labels, truth, new, new_truth = draw(name, seed, most=10)
    data, fresh = save("train.npz", values, labels), save("new.npz", new)
    model = fit(data, "0.safetensors", "--seed", seed, *OPTIONS)
    figures = [auroc(score(model, fresh, "--quiet")[0]["score"], new_truth)]
    files, found = [], 0
    for turn in range(ROUNDS):
        rows = asks(model, data, labels, files, 100 * seed + turn)
        found += int(truth[rows].sum())
        files.append(answer(f"{turn}.csv", rows, truth))
        model = fit(data, f"{turn + 1}.safetensors", "--update", model, *(f"--answers={file}" for file in files))
        figures.append(auroc(score(model, fresh, "--quiet")[0]["score"], new_truth))
    return figures, found


def by_query(model, data, labels, files, seed):
    done = puad("query", model, data, "--goal", "learn", "-n", ASKED, "--seed", seed, "--quiet", *(f"--answers={file}" for file in files))
    return numpy.array([int(line.split(",")[0]) for line in done.stdout.splitlines()[1:]])


def at_random(model, data, labels, files, seed):
    known = set(numpy.flatnonzero(labels))
    for file in files:
        known |= {int(line.split(",")[0]) for line in open(file).read().splitlines()[1:]}
    left = numpy.array([row for row in range(len(labels)) if row not in known])
    return numpy.random.default_rng([seed, 7]).choice(left, ASKED, replace=False)


first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
draws = int(sys.argv[2]) if len(sys.argv) > 2 else 4
tables = sys.argv[3:] or TABLES
won = 0
gains, finds = [], []
for name in tables:
    asked, random = ([loop(name, seed, way) for seed in range(first, first + draws)] for way in (by_query, at_random))
    ends = [numpy.mean([result[0][-1] for result in way]) for way in (asked, random)]
    won += ends[0] > ends[1]
    gains += [by[0][-1] - chance[0][-1] for by, chance in zip(asked, random)]
    finds.append((sum(result[1] for result in asked), sum(result[1] for result in random)))
    print(f"{name}: from {numpy.mean([result[0][0] for result in asked]):.4f} to {ends[0]:.4f} by query "
          f"({numpy.mean([result[1] for result in asked]):.0f} anomalies found), {ends[1]:.4f} at random "
          f"({numpy.mean([result[1] for result in random]):.0f})", flush=True)
print(f"better on {won} of {len(tables)} tables; gains {numpy.mean(gains):+.4f} (standard error "
      f"{numpy.std(gains, ddof=1) / len(gains) ** 0.5:.4f}); finds {sum(f[0] for f in finds)} anomalies, by chance {sum(f[1] for f in finds)}")
check(won >= BETTER_MIN * len(tables), f"queried labels give a higher AUROC than random ones on {BETTER_MIN:.2f} of the tables")
check(sum(f[0] for f in finds) >= FOUND_MIN * sum(f[1] for f in finds), f"the query finds {FOUND_MIN} times as many anomalies as chance")
finish()
