#!/usr/bin/env python3
"""How often the guards warn where nothing is wrong: fits on every table of ADBench at hand as it is (PUAD_DATA/adbench, or
../shared/data/adbench; of larger ones 20,000 rows, in their order), with all, half and a tenth of its anomalies labeled, and scoring of rows that were left out at random. Fewer than one fit in
ten, and one scoring in ten, may warn. `-v` prints the fits without a warning too; names of tables after the command choose among them."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import zlib

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

PUAD = os.environ["PUAD"]
SOURCE = os.environ.get("SOURCE", ".")
FOLDERS = [os.path.join(os.environ.get("PUAD_DATA", ""), "adbench"), os.path.join(SOURCE, "..", "shared", "data", "adbench")]
SHARES = (1, 0.5, 0.1)
LABELS_MIN = 5
TRAINED = 0.7
ROWS_MAX = 20000
WARNED_MAX = 0.1  # fraction of the fits, and of the scorings, that may warn


def run(*arguments):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"puad {' '.join(arguments)}: {done.stderr}")
    return done


def one_fit(folder, values, truth, share, draws):
    """The names of the warnings of a fit on 70% of the rows and of scoring the others; None where there are too few labels."""
    order = draws.permutation(len(values))
    cut = int(TRAINED * len(order))
    train, rest = numpy.sort(order[:cut]), numpy.sort(order[cut:])
    anomalies = train[truth[train] == 1]
    count = round(share * len(anomalies))
    if count < LABELS_MIN:
        return None
    labels = numpy.zeros(len(values), dtype=numpy.int8)
    labels[draws.choice(anomalies, count, replace=False)] = 1
    paths = {name: os.path.join(folder, name) for name in ("train.npz", "new.npz", "m.safetensors", "report.json")}
    numpy.savez(paths["train.npz"], X=values[train], y=labels[train])
    numpy.savez(paths["new.npz"], X=values[rest])
    more = ["--calibrate"] if count >= 20 and len(train) >= 500 else []
    fitted = run("fit", paths["train.npz"], "-q", "--json", "--threads", "1", "-o", paths["m.safetensors"], *more)
    run("score", paths["m.safetensors"], paths["new.npz"], "-q", "--top", "1", "--threads", "1", "--summary", paths["report.json"])
    with open(paths["report.json"]) as file:
        scored = json.load(file)["warnings"]
    return [[f"{w['name']}({w.get('column', '')})" for w in found] for found in (json.loads(fitted.stdout)["warnings"], scored)]


def main():
    tables = next((found for found in (sorted(glob.glob(os.path.join(name, "*.npz"))) for name in FOLDERS) if found), [])
    if not tables:
        print("no tables of ADBench")
        sys.exit(77)
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    tables = sorted((path for path in tables if not wanted or os.path.basename(path)[:-4] in wanted), key=os.path.getsize)
    fits = warned = scored_warned = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in tables:
            name = os.path.basename(path)[:-4]
            with numpy.load(path) as file:
                kept = numpy.sort(numpy.random.default_rng(0).permutation(len(file["y"]))[:ROWS_MAX])
                values, truth = file["X"][kept], file["y"][kept].astype(int)
            for share in SHARES:
                found = one_fit(folder, values, truth, share, numpy.random.default_rng(zlib.crc32(f"{name} {share}".encode())))
                if found is None:
                    continue
                fits += 1
                warned += bool(found[0])
                scored_warned += bool(found[1])
                if any(found) or "-v" in sys.argv:
                    print(f"{name}, {share:g} of the anomalies labeled: fit {found[0]}, score {found[1]}", flush=True)
    print(f"{len(tables)} tables, {fits} fits: {warned} warned in training, {scored_warned} in scoring")
    check(warned < WARNED_MAX * fits, f"fewer than {WARNED_MAX:.0%} of the fits on clean tables warn")
    check(scored_warned < WARNED_MAX * fits, f"fewer than {WARNED_MAX:.0%} of the scorings of rows like the training rows warn")
    finish()


main()
