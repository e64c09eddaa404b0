#!/usr/bin/env python3
"""Each guard on data where it must fire and on data where it must not."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
ROWS, LABELED, HIDDEN = 1000, 40, 40


def at(name):
    return os.path.join(folder.name, name)


def table(seed=0, rows=ROWS, labeled=LABELED):
    """Columns as lists of texts: two good numbers, a category, and the label. Anomalies lie anywhere in the file."""
    draws = numpy.random.default_rng(seed)
    values = draws.normal(size=(rows, 2)) * [1, 20] + [0, 50]
    order = draws.permutation(rows)
    anomalies, known = order[: labeled + HIDDEN], order[:labeled]
    values[anomalies] += [2.5, 40]
    labels = ["0"] * rows
    for row in known:
        labels[row] = "1"
    return {"a": [f"{v:.3f}" for v in values[:, 0]], "amount": [f"{v:.2f}" for v in values[:, 1]],
            "kind": [str(k) for k in draws.choice(["red", "green", "blue"], rows)], "label": labels}


def write(name, columns):
    with open(at(name), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def names_of(warnings):
    return sorted(f"{w['name']}:{w['column']}" if "column" in w else w["name"] for w in warnings)


def fit(columns, *options, name="t.csv", model="m.safetensors"):
    write(name, columns)
    done = subprocess.run([PUAD, "fit", at(name), "--label-column", "label", "-q", "--json", "-o", at(model), *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return [f"exit {done.returncode}: {done.stderr}"]
    return names_of(json.loads(done.stdout)["warnings"])


def fires(what, columns, expected, *options):
    found = fit(columns, *options)
    check(found == sorted(expected), f"{what}: expected {expected}, found {found}")


def with_column(name, make, base=None):
    """The good table with one column more; make(row number, whether it is a labeled anomaly)."""
    columns = dict(base or table())
    columns[name] = [make(i, label == "1") for i, label in enumerate(columns["label"])]
    return columns


draws = numpy.random.default_rng(5)
fires("a good table", table(), [])
fires("a good table with every anomaly labeled", table(labeled=LABELED + HIDDEN, seed=3), [])
fires("labels the wrong way round", {**table(), "label": ["0" if label == "1" else "1" for label in table()["label"]]}, ["labels_not_learned", "many_anomalies"])
fires("ten labels", table(labeled=10), [])

# Leaks: filled only for fraud, emptied for fraud, a code or a number that only fraud has.
fires("filled in for labeled anomalies only", with_column("case", lambda i, known: f"{draws.normal():.3f}" if known else ""),
      ["leaking_missing:case"])
fires("a text for labeled anomalies only", with_column("case", lambda i, known: str(draws.choice(["open", "shut"])) if known else ""),
      ["leaking_missing:case"])
fires("emptied for labeled anomalies", with_column("limit", lambda i, known: "" if known else f"{draws.normal():.3f}"),
      ["leaking_missing:limit"])
fires("filled in for a fifth of all rows", with_column("extra", lambda i, known: f"{draws.normal():.3f}" if draws.random() < 0.2 else ""), [])
fires("a code that only labeled anomalies have", with_column("status", lambda i, known: "blocked" if known else str(draws.choice(["on", "off"]))),
      ["leaking_column:status"])
fires("a number that only labeled anomalies have", with_column("refund", lambda i, known: f"{draws.normal() + 100 * known:.3f}"),
      ["leaking_column:refund"])
fires("a number between those of the others",
      with_column("score", lambda i, known: f"{(0.5 + 0.001 * draws.random()) if known else draws.choice([-1, 1]) * (1 + draws.random()):.5f}"),
      ["leaking_column:score"])
hidden = with_column("good", lambda i, known: f"{draws.normal() + 100 * known:.3f}")
for row in [i for i, label in enumerate(hidden["label"]) if label == "0"][:LABELED]:
    hidden["good"][row] = f"{draws.normal() + 100:.3f}"  # the hidden ones are there too: the column is merely good
fires("a column that also finds hidden anomalies", hidden, [])
fires("two labels prove nothing", with_column("refund", lambda i, known: f"{draws.normal() + 3 * known:.3f}", table(labeled=2)), [])

# Consequences of the anomaly, which hidden anomalies have too.
order = numpy.random.default_rng(0)
order.normal(size=(ROWS, 2))
anomalous = set(order.permutation(ROWS)[: LABELED + HIDDEN].tolist())  # of table()
check({i for i, label in enumerate(table()["label"]) if label == "1"} < anomalous, "the anomalies of table() are those")
some = {row for row in anomalous if draws.random() < 0.6}
fires("the truth", with_column("failed", lambda i, known: str(int(i in anomalous))), ["likely_leak:failed"])
fires("a flag of one kind of failure", with_column("HDF", lambda i, known: str(int(i in some))), ["likely_leak:HDF"])
fires("the name of the attack", with_column("attack", lambda i, known: str(draws.choice(["dos", "probe", "worm"])) if i in anomalous else "normal"),
      ["likely_leak:attack"])
fires("a kind that only anomalies have", with_column("kind of fault", lambda i, known: str(draws.choice(["belt", "bearing"])) if i in anomalous else ""),
      ["likely_leak:kind of fault"])
fires("costs of the repair", with_column("cost", lambda i, known: f"{100 * draws.random():.2f}" if i in anomalous else "0"), ["likely_leak:cost"])
fires("a date after the event", with_column("closed", lambda i, known: f"2024-{draws.integers(1, 13):02d}-{draws.integers(1, 28):02d}" if i in anomalous else ""),
      ["likely_leak:closed"])
fires("filled in for half of the labeled anomalies only", with_column("case", lambda i, known: f"{draws.normal():.3f}" if known and draws.random() < 0.5 else ""),
      ["likely_leak:case"])
fires("emptied for anomalies", with_column("limit", lambda i, known: "" if i in anomalous else f"{draws.normal():.3f}"), ["likely_leak:limit"])
fires("the truth with ten labels", with_column("failed", lambda i, known: str(int(known or i % 33 == 0)), table(labeled=10)), ["likely_leak:failed"])
fires("a flag four times as frequent in anomalies", with_column("abroad", lambda i, known: str(int(draws.random() < (0.4 if i in anomalous else 0.1)))), [])
fires("a flag that all anomalies and a fifth of the rows have", with_column("online", lambda i, known: str(int(i in anomalous or draws.random() < 0.2))), [])
fires("a rare flag", with_column("VIP", lambda i, known: str(int(draws.random() < 0.02))), [])

# The estimate of alpha, which a leak takes to nothing, looks at the columns too.
for what, make, expected in (("a leak", lambda i, known: f"{draws.normal() + 100 * known:.3f}", ["leaking_column:refund"]),
                             ("none", lambda i, known: f"{draws.normal():.3f}", [])):
    write("p.csv", with_column("refund", make, table(labeled=LABELED)))
    done = subprocess.run([PUAD, "prior", at("p.csv"), "--label-column", "label", "-q", "--json"], capture_output=True, text=True)
    found = names_of(json.loads(done.stdout)["warnings"])
    check(found == expected and (done.stderr.count("warning") > 0) == bool(expected), f"prior, {what}: {found}, {done.stderr}")

# What says nothing about new rows.
fires("a row number", with_column("number", lambda i, known: str(i + 1)), ["ordered_column:number"])
fires("a time in order", with_column("time", lambda i, known: f"{i * 0.37 + draws.random() * 0.3:.3f}"), ["ordered_column:time"])
fires("seconds since 1970, which are taken apart", with_column("time", lambda i, known: str(1700000000 + int(draws.integers(0, 10**7)))), [])
good = table()
array = numpy.array([[float(v) for v in good["a"]], [float(v) for v in good["amount"]], 1700000000 + draws.integers(0, 10**7, ROWS)]).T
numpy.savez(at("t.npz"), X=array, y=numpy.array(good["label"], dtype=int))
done = subprocess.run([PUAD, "fit", at("t.npz"), "-q", "--json", "-o", at("m.safetensors")], capture_output=True, text=True)
check(names_of(json.loads(done.stdout)["warnings"]) == ["time_column:column_3"], f"seconds since 1970 in an array: {done.stdout}")
fires("account numbers", with_column("account", lambda i, known: str(draws.integers(10**9, 9 * 10**9))), ["identifier_column:account"])
keys = [f"k{i % 950}" for i in range(ROWS)]
fires("texts that nearly all differ", with_column("key", lambda i, known: keys[(i * 7) % ROWS]), ["identifier_column:key"])
fires("named as the id column", with_column("number", lambda i, known: str(i + 1)), [], "--id-column", "number")
fires("ages, and amounts in cents", with_column("age", lambda i, known: str(draws.integers(18, 90)),
                                               with_column("cents", lambda i, known: str(int(draws.lognormal(7, 0.5))))), [])
fires("many texts that repeat", with_column("town", lambda i, known: f"town {draws.integers(0, 200)}"), [])

# One value in all labeled rows.
fires("labels from one shop", with_column("shop", lambda i, known: "shop 3" if known else f"shop {draws.integers(0, 50)}"),
      ["constant_in_labeled:shop"])
fires("labels from the usual shop", with_column("shop", lambda i, known: "north" if known or draws.random() < 0.9 else "south"), [])

# Labels that rows contradict.
twice = table()
marks = [i for i, label in enumerate(twice["label"]) if label == "1"][:3]
for row in marks:
    for name in twice:
        twice[name].append("-1" if name == "label" else twice[name][row])
fires("the same rows labeled both ways", twice, ["contradicting_labels"])
common = table()
row = common["label"].index("1")
for other in [i for i, label in enumerate(common["label"]) if label == "0"][:100]:
    for name in ("a", "amount", "kind"):
        common[name][other] = common[name][row]
fires("an anomaly like a tenth of the rows", common, ["common_anomalies"])

# Trainings that collapsed or learned nothing.
PU = ("--method", "pu", "--steps", "0", "--epochs", "30")
fires("a classifier that takes everything for normal", table(), ["everything_normal"], *PU, "--alpha", "0.05")
fires("one that does not, with an alpha that is far too large", table(), ["alpha_doubtful"], *PU, "--alpha", "0.3")
many = table(rows=20000, labeled=300)  # of these rows 4100 are looked at
fires("many rows and labels, with the same", many, ["alpha_doubtful"], "--method", "puae", "--steps", "100", "--alpha", "0.3")
fires("many rows and labels, with an alpha that fits", many, [], "--method", "puae", "--steps", "100", "--alpha", "0.003")
noise = table()
for name in ("a", "amount"):
    noise[name] = [f"{v:.3f}" for v in numpy.random.default_rng(1).normal(size=ROWS)]
fires("labels that mean nothing", noise, ["labels_not_learned"], "--method", "pusvdd", "--alpha", "0.01", "--epochs", "1", "--steps", "1", "--lr", "1e-9")

# Rows to score that are not like those of the training.
WIDE = 4000
training = table(seed=7, rows=WIDE)
fit(training, "--calibrate", model="scored.safetensors")


def score(columns, *options, model="scored.safetensors", code=0):
    write("new.csv", columns)
    done = subprocess.run([PUAD, "score", at(model), at("new.csv"), "-q", "--top", "1", "--summary", at("report.json"), *options],
                          capture_output=True, text=True)
    if done.returncode != code:
        return [f"exit {done.returncode}: {done.stderr}"]
    with open(at("report.json")) as file:
        return names_of(json.load(file)["warnings"])


def differs(what, change, expected, rows=1500, *options):
    """`change` maps the columns of a new table of the same source; of the expected warnings each must be there, and no other."""
    columns = table(seed=8, rows=rows)
    del columns["label"]
    found = score(change(columns), *options)
    check(found == sorted(expected), f"{what}: expected {expected}, found {found}")


def mapped(name, make):
    return lambda columns: {**columns, name: [make(cell) for cell in columns[name]]}


def without(name):
    return lambda columns: {key: cells for key, cells in columns.items() if key != name}


differs("new rows of the same source", lambda columns: columns, [])
differs("many new rows of the same source", lambda columns: columns, [], 60000)
differs("a few rows", lambda columns: {key: cells[:5] for key, cells in columns.items()}, [])
differs("a column more", lambda columns: {**columns, "extra": columns["a"]}, ["new_column:extra"])
differs("the label column, and one to ignore", lambda columns: {**columns, "label": columns["a"], "extra": columns["a"]}, [], 1500,
        "--ignore", "extra")
differs("amounts in cents", mapped("amount", lambda cell: f"{float(cell) * 100:.0f}"), ["score_drift", "units_changed:amount"])
differs("amounts in thousands", mapped("amount", lambda cell: f"{float(cell) / 1000:.5f}"), ["score_drift", "units_changed:amount"])
differs("amounts a little larger, in many rows", mapped("amount", lambda cell: f"{float(cell) + 1:.2f}"), [], 60000)
differs("amounts shifted by a deviation", mapped("amount", lambda cell: f"{float(cell) + 25:.2f}"), ["column_drift:amount", "score_drift"])
differs("half of the cells missing", mapped("a", lambda cell: cell if draws.random() < 0.5 else ""), ["missing_cells:a", "score_drift"])
differs("a hundredth of the cells missing", mapped("a", lambda cell: cell if draws.random() < 0.99 else ""), [])
differs("a category renamed", mapped("kind", lambda cell: "rouge" if cell == "red" else cell), ["new_categories:kind", "score_drift"])
differs("one new category in a thousand rows", mapped("kind", lambda cell: "pink" if draws.random() < 0.001 else cell), [])
differs("all of one category", mapped("kind", lambda cell: "red"), ["category_drift:kind"])
found = score({key: cells for key, cells in table(seed=8, rows=10).items() if key not in ("label", "amount")}, "--strict", code=3)
check(found == ["missing_column:amount"], f"a column missing, with --strict: {found}")

finish()
