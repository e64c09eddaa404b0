#!/usr/bin/env python3
"""`puad fit` on the paper's split of images and on photographs of solar cells (ELPV), with or without a backbone.

    bench/images.py cifar10/1 cifar10/2 --fit "--backbone lite0.safetensors" --csv /tmp/images.csv
    bench/images.py elpv/30 elpv/10 elpv/0 --seeds 0,1,2,3,4 --fit "--backbone lite0.safetensors" --csv /tmp/elpv.csv

An experiment is SET/NORMAL CLASS (cifar10, fashion_mnist, mnist: 4500 normal and 250 hidden anomalies unlabeled, 250 labeled; up to 1000
normal, 500 seen and 500 unseen anomalies for testing) or elpv/LABELS (1000 sound and 60 defective cells unlabeled; the other sound and
all other certainly defective cells for testing). Prints and appends to the CSV: AUROC on all, seen and unseen anomalies and
the seconds of processor time of the fit. Experiments in the CSV are not repeated. --elpv names the folder of the package elpv_dataset.
"""
import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile

import numpy
from sklearn.metrics import roc_auc_score

from image_committee import TEST_NORMAL, TEST_SEEN, TEST_UNSEEN, TRAIN_HIDDEN, TRAIN_LABELED, TRAIN_NORMAL, UNSEEN, draw, figures, read_part

COLUMNS = ("experiment", "seed", "auroc", "auroc_seen", "auroc_unseen", "seconds", "fit")
ELPV_SOUND, ELPV_HIDDEN = 1000, 60


def read_cifar10(folder, part):
    names = ["test_batch.bin"] if part == "t10k" else [f"data_batch_{i}.bin" for i in range(1, 6)]
    rows = numpy.concatenate([numpy.fromfile(f"{folder}/cifar-10-batches-bin/{name}", numpy.uint8) for name in names]).reshape(-1, 3073)
    return rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), rows[:, 0]


def paper_split(how, name, normal, seed):
    """Training images and labels, test images and their groups: 0 normal, 1 seen, 2 unseen."""
    read = read_cifar10 if name == "cifar10" else read_part
    folder = os.path.join(how.data, name)
    generator = numpy.random.default_rng([seed, normal])
    images, classes = read(folder, "train")
    seen = draw(generator, (classes != normal) & (classes != UNSEEN), TRAIN_HIDDEN + TRAIN_LABELED)
    rows = numpy.concatenate([draw(generator, classes == normal, TRAIN_NORMAL), seen])
    train, labels = images[rows], numpy.arange(len(rows)) >= len(rows) - TRAIN_LABELED
    images, classes = read(folder, "t10k")
    groups = [draw(generator, classes == normal, TEST_NORMAL),
              draw(generator, (classes != normal) & (classes != UNSEEN), TEST_SEEN), draw(generator, classes == UNSEEN, TEST_UNSEEN)]
    return train, labels.astype(int), images[numpy.concatenate(groups)], numpy.repeat([0, 1, 2], [len(group) for group in groups])


def elpv_split(how, labeled, seed):
    from PIL import Image

    with open(os.path.join(how.elpv, "data", "labels.csv"), encoding="ascii") as file:
        rows = [line.split() for line in file]
    images = numpy.stack([numpy.asarray(Image.open(os.path.join(how.elpv, "data", row[0])).convert("L")) for row in rows])
    defect = numpy.array([float(row[1]) for row in rows])
    generator = numpy.random.default_rng(seed)
    sound, defects = generator.permutation(numpy.flatnonzero(defect == 0)), generator.permutation(numpy.flatnonzero(defect == 1))
    train = numpy.concatenate([sound[:ELPV_SOUND], defects[:ELPV_HIDDEN + labeled]])
    # the test rows are the same for any number of labels up to 30
    test = numpy.concatenate([sound[ELPV_SOUND:], defects[ELPV_HIDDEN + 30:]])
    return images[train], (numpy.arange(len(train)) >= ELPV_SOUND + ELPV_HIDDEN).astype(int), images[test], (defect[test] == 1).astype(int)


def run(how, experiment, seed):
    name, number = experiment.split("/")
    train, labels, test, groups = (elpv_split(how, int(number), seed) if name == "elpv" else paper_split(how, name, int(number), seed))
    with tempfile.TemporaryDirectory() as folder:
        rows, fresh, model = (os.path.join(folder, name) for name in ("train.npz", "test.npz", "model"))
        numpy.savez(rows, X=train, **({"y": labels} if labels.any() else {}))
        numpy.savez(fresh, X=test)
        call = [how.puad, "fit", rows, *how.fit.split(), "--seed", str(seed), "--threads", str(how.threads), "--quiet", "--force", "-o", model]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        out = subprocess.run([how.puad, "score", model, fresh, "--threads", str(how.threads), "--quiet"], check=True, capture_output=True, text=True)
    scores = numpy.array([float(line.split(",")[1]) for line in out.stdout.splitlines()[1:]])
    if how.scores:
        numpy.savez(os.path.join(how.scores, f"{name}-{number}-{seed}.npz"), scores=scores, groups=groups)
    found = (roc_auc_score(groups, scores), numpy.nan, numpy.nan) if name == "elpv" else figures(groups, scores)
    return [experiment, seed, *(f"{value:.6f}" for value in found), f"{seconds:.1f}", how.fit]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="+", metavar="SET/NUMBER")
    parser.add_argument("--seeds", default="0", help="separated by commas")
    parser.add_argument("--fit", default="", help="options of puad fit")
    parser.add_argument("--csv", required=True)
    parser.add_argument("--scores", help="folder for the scores of the test images")
    parser.add_argument("--data", default=os.environ.get("PUAD_DATA", "../shared/data"))
    parser.add_argument("--elpv", default="elpv_dataset")
    parser.add_argument("--puad", default="build/puad")
    parser.add_argument("--threads", type=int, default=1)
    how = parser.parse_args()
    done = set()
    if os.path.exists(how.csv):
        with open(how.csv, newline="", encoding="ascii") as file:
            done = {(row["experiment"], row["seed"], row["fit"]) for row in csv.DictReader(file)}
    for seed in how.seeds.split(","):
        for experiment in how.experiments:
            if (experiment, seed, how.fit) in done:
                continue
            found = run(how, experiment, int(seed))
            new = not os.path.exists(how.csv)
            with open(how.csv, "a", newline="", encoding="ascii") as file:
                csv.writer(file, lineterminator="\n").writerows([COLUMNS, found] if new else [found])
            print(*found, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
