#!/usr/bin/env python3
"""How well a forgotten label column is recognized, over all tables at hand (PUAD_DATA, or ../shared/data: raw/*.csv, adbench/*.npz,
tabular/*.npz, timeseries/skab and timeseries/nab, timeseries/tsb_ad) and the files of tests/corpus. NPZ tables are written as CSV with
their label as `y` or `label`. Every table that has a label column must be refused or warned of with that column; then, with the label
columns ignored, fewer than one in fifty of the other columns may be named. Larger tables are cut to 5000 rows drawn at random."""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

PUAD = os.environ["PUAD"]
SOURCE = os.environ.get("SOURCE", ".")
FOLDERS = [os.environ.get("PUAD_DATA", ""), os.path.join(SOURCE, "..", "shared", "data")]
LABELS = {"ai4i2020.csv": ["Machine failure"], "shoppers.csv": ["Revenue"], "skab": ["anomaly", "changepoint"]}
ROWS_MAX = 5000


def columns_named(path, ignored):
    """The columns that a fit without labels is refused for, one after the other, and those it then warns of; None for a file that
    cannot be trained on."""
    refused, ignored = [], list(ignored)
    with tempfile.TemporaryDirectory() as folder:
        while True:
            options = [word for name in ignored for word in ("--ignore", name)]
            done = subprocess.run([PUAD, "fit", path, "-q", "--json", "--method", "if", "--threads", "1", "-o", os.path.join(folder, "m.safetensors"),
                                   *options], capture_output=True, text=True)
            found = re.search(r"column '(.*)' looks like the label", done.stderr)
            if done.returncode == 0:
                return refused, [w["column"] for w in json.loads(done.stdout)["warnings"] if w["name"] == "likely_label"]
            if not found:
                print(f"{path}: {done.stderr.strip()[:160]}")
                return refused, []
            refused.append(found[1])
            ignored.append(found[1])


def csv_of_npz(path, folder, name):
    with numpy.load(path) as file:
        values, truth = file["X"], file["y"].astype(int)
    kept = numpy.sort(numpy.random.default_rng(0).permutation(len(truth))[:ROWS_MAX])
    if not 0 < truth[kept].sum() < len(kept):
        return None, 0
    out = os.path.join(folder, os.path.basename(path)[:-4] + ".csv")
    header = ",".join(f"x{i + 1}" for i in range(values.shape[1])) + "," + name
    numpy.savetxt(out, numpy.column_stack([values[kept], truth[kept]]), delimiter=",", header=header, comments="", fmt="%.8g")
    return out, values.shape[1]


def tables(data, folder):
    """(name, path, label columns, count of the other columns); the label columns are those that may vary in the file."""
    for i, path in enumerate(sorted(glob.glob(os.path.join(data, "adbench", "*.npz")) + glob.glob(os.path.join(data, "tabular", "*.npz")) +
                                    glob.glob(os.path.join(data, "timeseries", "tsb_ad", "*.npz")))):
        name = ("y", "label")[i % 2]
        made, count = csv_of_npz(path, folder, name)
        if made:
            yield path, made, [name], count
    for path in sorted(glob.glob(os.path.join(data, "raw", "*.csv")) + glob.glob(os.path.join(data, "timeseries", "**", "*.csv"), recursive=True)):
        with open(path, newline="", encoding="utf-8-sig") as file:
            header = next(csv.reader(file, delimiter=";" if "skab" in path else ","))
        labels = LABELS["skab"] if "skab" in path else LABELS.get(os.path.basename(path), [])
        yield path, path, [name for name in labels if name in header], len(header) - len(labels)
    for path in sorted(glob.glob(os.path.join(SOURCE, "tests", "corpus", "files", "*"))):
        done = subprocess.run([PUAD, "data", path, "--json"], capture_output=True, text=True)
        if done.returncode == 0 and not os.path.isdir(path):
            yield path, path, [], len(json.loads(done.stdout)["columns"])


def main():
    data = next((name for name in FOLDERS if name and os.path.isdir(os.path.join(name, "adbench"))), None)
    if not data:
        print("no tables (PUAD_DATA)")
        sys.exit(77)
    with_label = found = refused_count = others = alarms = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path, labels, count in tables(data, folder):
            short = os.path.relpath(name, data) if name.startswith(data) else os.path.basename(name)
            if labels:
                refused, warned = columns_named(path, [])
                with_label += 1
                found += bool(set(labels) & set(refused + warned))
                refused_count += bool(set(labels) & set(refused))
                if not set(labels) & set(refused):
                    print(f"{short}: its label {labels} is {'warned of' if set(labels) & set(warned) else 'NOT FOUND'}")
            refused, warned = columns_named(path, labels)
            others += count
            alarms += len(refused) + len(warned)
            if refused or warned:
                print(f"{short}: other columns: refused {refused}, warned {warned}", flush=True)
    print(f"{with_label} tables with a label column: {found} found, {refused_count} refused; {others} other columns: {alarms} named")
    bad = (found < with_label or with_label == 0) + (alarms >= others / 50)
    print(f"{2 - bad} passed, {bad} failed")
    sys.exit(bad > 0)


main()
