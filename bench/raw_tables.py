#!/usr/bin/env python3
"""Average precision of `puad fit` on raw tables, with and without derived columns (option --derive).

Three kinds of tables:
- tables as systems export them: raw/*.csv, and creditcard.csv if PUAD_CREDITCARD names it;
- tables of ADBench with added columns: `+ids`, `+groups`, `+dates` contain a signal that a derived column reveals, and `+noise` has the
  same columns without a signal;
- generated tables: sales (product, quantity, total value, salesman) and payments (device, sign-up and purchase).

Rules are chosen on the tables of CHOOSE and judged on the others. Each draw splits a table 70:30, labels some training anomalies, fits
on the first part and scores the second.

    bench/raw_tables.py --draws 3 --labels 10,30,100 --derive no,auto --out results.csv
    bench/raw_tables.py --report results.csv
"""
import argparse
import collections
import csv
import datetime
import json
import os
import statistics
import subprocess
import tempfile
import time
import zlib

import numpy

DATA = os.environ.get("PUAD_DATA", os.path.join(os.path.dirname(__file__), "..", "..", "shared", "data"))
FLAGS = ["TWF", "HDF", "PWF", "OSF", "RNF"]  # of ai4i2020: consequences of the label
BASES = {"annthyroid": "2_annthyroid", "cardio": "6_cardio", "pendigits": "28_pendigits", "satellite": "30_satellite",
         "letter": "20_letter", "Waveform": "41_Waveform"}
KINDS = ("ids", "groups", "dates", "noise")
CHOOSE = {"ai4i2020", "sales", "annthyroid+ids", "annthyroid+groups", "annthyroid+dates", "annthyroid+noise", "cardio+ids", "cardio+groups",
          "cardio+dates", "cardio+noise"}
ROWS_MAX = 60000

Table = collections.namedtuple("Table", "header rows truth")


def average_precision(truth, scores):
    order = numpy.argsort(-scores, kind="stable")
    hits = truth[order]
    return float((numpy.cumsum(hits) / numpy.arange(1, len(hits) + 1))[hits].mean())


def raw_table(path, label, positive, ignore=()):
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *rows = csv.reader(file)
    at = header.index(label)
    truth = numpy.array([row[at] == positive for row in rows])
    if len(rows) > ROWS_MAX:
        kept = numpy.sort(numpy.concatenate([numpy.flatnonzero(truth), numpy.random.default_rng(0).choice(
            numpy.flatnonzero(~truth), ROWS_MAX - truth.sum(), replace=False)]))
        rows, truth = [rows[i] for i in kept], truth[kept]
    places = [i for i, name in enumerate(header) if i != at and name not in ignore]
    return Table([header[i] for i in places], [[row[i] for i in places] for row in rows], truth)


def day(rng, first, days, count):
    """Times from 08:00 to 18:00 on random days after `first`."""
    start = datetime.datetime.fromisoformat(first)
    return [start + datetime.timedelta(days=int(d), seconds=int(s)) for d, s in zip(rng.integers(0, days, count), rng.integers(28800, 64800, count))]


def ids(rng, truth, signal):
    """Devices: a few of them cause most anomalies."""
    count = len(truth)
    device = rng.integers(0, count, count)
    shared = rng.random(count) < .1
    device[shared] = count + rng.integers(0, max(count // 40, 1), shared.sum())
    if signal:
        bad = truth & (rng.random(count) < .8)
        device[bad] = 2 * count + rng.integers(0, max(bad.sum() // 5, 1), bad.sum())
    return {"device_id": [f"d{zlib.crc32(str(d).encode()):08x}" for d in device]}


def groups(rng, truth, signal):
    """A price that depends on the product; that of most anomalies is off by a factor."""
    count, products = len(truth), 60
    usual = numpy.exp(rng.normal(3, 1.2, products))
    product = rng.integers(0, products, count)
    price = usual[product] * numpy.exp(rng.normal(0, .2, count))
    if signal:
        off = truth & (rng.random(count) < .8)
        price[off] *= numpy.where(rng.random(off.sum()) < .5, 3, 1 / 3)
    return {"product": [f"P{p:03}" for p in product], "price": [f"{p:.2f}" for p in price]}


def dates(rng, truth, signal):
    """Sign-up and purchase: anomalies buy within minutes; and a date of birth."""
    count = len(truth)
    opened = day(rng, "2023-01-01", 300, count)
    waited = rng.exponential(40 * 86400, count)
    if signal:
        waited = numpy.where(truth & (rng.random(count) < .8), rng.exponential(600, count), waited)
    bought = [a + datetime.timedelta(seconds=int(w)) for a, w in zip(opened, waited)]
    born = [datetime.date(1940, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 65 * 365, count)]
    return {"signup_time": [str(a) for a in opened], "purchase_time": [str(b) for b in bought], "date_of_birth": [str(b) for b in born]}


def planted(base, kind, seed=0):
    """A table of ADBench, reduced to some of its columns so that these are not decisive, with columns added."""
    with numpy.load(os.path.join(DATA, "adbench", BASES[base] + ".npz")) as file:
        values, truth = file["X"], file["y"].ravel().astype(bool)
    rng = numpy.random.default_rng([zlib.crc32(f"{base}{kind}".encode()), seed])
    kept = numpy.sort(rng.permutation(values.shape[1])[:6])
    columns = {f"m{k + 1}": [f"{v:.8g}" for v in values[:, at]] for k, at in enumerate(kept)}
    for make in (ids, groups, dates):
        if kind in (make.__name__, "noise"):
            columns.update(make(rng, truth, kind != "noise"))
    return Table(list(columns), list(map(list, zip(*columns.values()))), truth)


def sales(seed=0):
    """Inspections of sales: a fraud has a unit price that is unusual for its product, or comes from a salesman who seldom sells."""
    rng, count = numpy.random.default_rng(seed), 30000
    usual = numpy.exp(rng.normal(2.5, 1, 400))
    product = numpy.minimum((rng.pareto(.7, count) * 8).astype(int), 399)
    salesman = numpy.minimum((rng.pareto(.9, count) * 12).astype(int), 1499)
    quantity = numpy.maximum(numpy.exp(rng.normal(5, 1.3, count)).astype(int), 1)
    price = usual[product] * numpy.exp(rng.normal(0, .25, count))
    truth = rng.random(count) < .015
    off = truth & (rng.random(count) < .85)
    price[off] *= numpy.where(rng.random(off.sum()) < .6, numpy.exp(rng.normal(1.5, .4, off.sum())), numpy.exp(rng.normal(-1.5, .4, off.sum())))
    value = [f"{v:.0f}" if rng.random() > .02 else "" for v in price * quantity]
    return Table(["ID", "Prod", "Quant", "Val"], [[f"v{s}", f"p{p}", str(q), v] for s, p, q, v in zip(salesman, product, quantity, value)], truth)


def payments(seed=0):
    """Payments in a shop: devices of many accounts, purchases right after the sign-up, amounts far above those usual for the country."""
    rng, count = numpy.random.default_rng([1, seed]), 20000
    truth = rng.random(count) < .03
    kind = rng.integers(0, 3, count)
    columns = {"payment_id": [str(100000 + i) for i in range(count)]}
    columns.update(ids(rng, truth & (kind == 0), True))
    columns.update(dates(rng, truth & (kind == 1), True))
    country = rng.integers(0, 25, count)
    usual = numpy.exp(rng.normal(3.5, .9, 25))
    amount = usual[country] * numpy.exp(rng.normal(0, .5, count)) * numpy.where(truth & (kind == 2), 6, 1)
    columns.update(country=[f"C{c:02}" for c in country], amount=[f"{a:.2f}" for a in amount],
                   browser=[("Chrome", "Safari", "Firefox", "Opera")[b] for b in rng.integers(0, 4, count)],
                   age=[str(a) for a in rng.integers(18, 80, count)])
    return Table(list(columns), list(map(list, zip(*columns.values()))), truth)


def machines(seed=0):
    """Readings of machines with different usual levels; failures deviate from the level of their machine."""
    rng, count = numpy.random.default_rng([2, seed]), 12000
    machine = rng.integers(0, 120, count)
    truth = rng.random(count) < .02
    level, load = rng.normal(70, 15, 120), rng.normal(400, 120, 120)
    inside = level[machine] + rng.normal(0, 2, count) + truth * rng.choice([-8, 8], count)
    current = load[machine] + rng.normal(0, 25, count)
    shift = rng.integers(1, 4, count)
    return Table(["machine_id", "bearing_temperature", "motor_current", "shift"],
                 [[str(1000 + m), f"{t:.1f}", f"{c:.0f}", str(s)] for m, t, c, s in zip(machine, inside, current, shift)], truth)


def tables():
    out = {"ai4i2020": lambda: raw_table(os.path.join(DATA, "raw", "ai4i2020.csv"), "Machine failure", "1", FLAGS),
           "shoppers": lambda: raw_table(os.path.join(DATA, "raw", "shoppers.csv"), "Revenue", "TRUE")}
    if os.environ.get("PUAD_CREDITCARD"):
        out["creditcard"] = lambda: raw_table(os.environ["PUAD_CREDITCARD"], "Class", "1")
    for base in BASES:
        for kind in KINDS:
            out[f"{base}+{kind}"] = lambda base=base, kind=kind: planted(base, kind)
    out.update(sales=sales, payments=payments, machines=machines)
    return out


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def run(puad, table, labels, draw, derive):
    """(average precision, seconds of the fit, names of the derived columns)"""
    rng = numpy.random.default_rng([draw, labels])
    order = rng.permutation(len(table.truth))
    train, test = numpy.sort(order[:7 * len(order) // 10]), numpy.sort(order[7 * len(order) // 10:])
    anomalies = train[table.truth[train]]
    if len(anomalies) < labels:
        return None
    known = set(rng.choice(anomalies, labels, replace=False).tolist())
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("train.csv", "new.csv", "m.safetensors", "scores.csv")]
        named = ["known"] if labels else []
        write(paths[0], [*table.header, *named], ([*table.rows[i], int(i in known)][:len(table.header) + len(named)] for i in train))
        write(paths[1], table.header, (table.rows[i] for i in test))
        options = (["--label-column", "known"] if labels else []) + ([] if derive == "default" else ["--derive", derive])
        began = time.monotonic()
        subprocess.run([puad, "fit", paths[0], "-q", "--threads", "1", "-o", paths[2], *options], check=True)
        seconds = time.monotonic() - began
        subprocess.run([puad, "score", paths[2], paths[1], "-q", "--threads", "1", "-o", paths[3]], check=True)
        with open(paths[3], newline="", encoding="utf-8") as file:
            scores = numpy.array([float(row["score"]) for row in csv.DictReader(file)])
        described = json.loads(subprocess.run([puad, "inspect", paths[2], "--json"], check=True, capture_output=True, text=True).stdout)
    return average_precision(table.truth[test], scores), seconds, "; ".join(c["name"] for c in described["table"].get("derived", []))


def report(path):
    cells = collections.defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells[row["table"], int(row["labels"])].setdefault(int(row["draw"]), {})[row["derive"]] = row
    print("| table | labels | AP, no | AP, auto | difference (sd over draws) | fit time |\n|---|---:|---:|---:|---:|---:|")
    for (name, labels), draws in cells.items():
        pairs = [(float(d["no"]["ap"]), float(d["auto"]["ap"]), float(d["auto"]["seconds"]) / float(d["no"]["seconds"]))
                 for d in draws.values() if "no" in d and "auto" in d]
        if not pairs:
            continue
        gains = [b - a for a, b, _ in pairs]
        spread = statistics.stdev(gains) if len(gains) > 1 else 0
        print(f"| {name}{' (choice)' if name in CHOOSE else ''} | {labels} | {statistics.mean(a for a, _, _ in pairs):.3f} | "
              f"{statistics.mean(b for _, b, _ in pairs):.3f} | {statistics.mean(gains):+.3f} ({spread:.3f}) | "
              f"{statistics.median(t for _, _, t in pairs):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puad", default=os.path.join(os.path.dirname(__file__), "..", "build", "puad"))
    parser.add_argument("--tables", help="names, separated by commas; 'choose' and 'judge' name the two halves")
    parser.add_argument("--labels", default="10,30,100")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--derive", default="no,auto", help="'default' gives no option")
    parser.add_argument("--out", help="CSV file for the results; rows are appended")
    parser.add_argument("--report", metavar="FILE", help="print a table of the results in FILE")
    given = parser.parse_args()
    if given.report:
        report(given.report)
        return
    every = tables()
    chosen = given.tables.split(",") if given.tables else list(every)
    if given.tables in ("choose", "judge"):
        chosen = [name for name in every if (name in CHOOSE) == (given.tables == "choose")]
    for name in chosen:
        table = every[name]()
        for labels in map(int, given.labels.split(",")):
            for draw in range(given.draws):
                for derive in given.derive.split(","):
                    result = run(given.puad, table, labels, draw, derive)
                    if result is None:
                        continue
                    line = f"{name},{labels},{draw},{derive},{result[0]:.4f},{result[1]:.2f},{result[2]}"
                    print(line, flush=True)
                    if given.out:
                        fresh = not os.path.exists(given.out)
                        with open(given.out, "a", encoding="utf-8") as file:
                            file.write(("table,labels,draw,derive,ap,seconds,derived\n" if fresh else "") + line + "\n")


main()
