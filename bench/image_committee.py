#!/usr/bin/env python3
"""Is an ensemble better for images than each of its members: of `pusvdd` and `pu`, or of one method trained from several seeds?

The paper's split (4500 normal and 250 hidden anomalies unlabeled, 250 labeled; up to 1000 normal, 500 seen and 500 unseen anomalies for
testing) of MNIST and FashionMNIST. The members are trained by `puad fit` and score the unlabeled training rows and the test rows; the
ensemble adds their scores on one scale: standardized by the unlabeled rows ("mean"), or as minus the logarithm of the fraction of
unlabeled rows that score as high ("tail", as in the ensemble for tables). Prints AUROC on all, seen and unseen anomalies.

    bench/image_committee.py --cells mnist/1,mnist/5,fashion_mnist/2 --csv /tmp/committee.csv
    bench/image_committee.py --members pu@0,pu@1,pu@2 --csv /tmp/seeds.csv      # the same split, other initial weights and batches
"""
import argparse
import collections
import csv
import gzip
import os
import subprocess
import sys
import tempfile

import numpy
from sklearn.metrics import roc_auc_score

UNSEEN = 0
TRAIN_NORMAL, TRAIN_HIDDEN, TRAIN_LABELED = 4500, 250, 250
TEST_NORMAL, TEST_SEEN, TEST_UNSEEN = 1000, 500, 500
KINDS = ("mean", "tail")
COLUMNS = ("cell", "seed", "method", "auroc", "auroc_seen", "auroc_unseen", "arguments")


def read_idx(path):
    with gzip.open(path) as file:
        data = file.read()
    sides = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return numpy.frombuffer(data, numpy.uint8, offset=4 + 4 * len(sides)).reshape(sides)


def read_part(folder, part):
    return read_idx(f"{folder}/{part}-images-idx3-ubyte.gz"), read_idx(f"{folder}/{part}-labels-idx1-ubyte.gz")


def draw(generator, mask, count):
    rows = generator.permutation(numpy.flatnonzero(mask))
    return rows[:count]


Split = collections.namedtuple("Split", "train labels test groups")  # groups: 0 normal, 1 seen, 2 unseen


def split_of(folder, normal, seed):
    generator = numpy.random.default_rng([seed, normal])
    images, classes = read_part(folder, "train")
    seen = draw(generator, (classes != normal) & (classes != UNSEEN), TRAIN_HIDDEN + TRAIN_LABELED)
    rows = numpy.concatenate([draw(generator, classes == normal, TRAIN_NORMAL), seen])
    labels = numpy.zeros(len(rows), int)
    labels[-TRAIN_LABELED:] = 1
    order = generator.permutation(len(rows))
    test_images, test_classes = read_part(folder, "t10k")
    groups = [draw(generator, test_classes == normal, TEST_NORMAL),
              draw(generator, (test_classes != normal) & (test_classes != UNSEEN), TEST_SEEN),
              draw(generator, test_classes == UNSEEN, TEST_UNSEEN)]
    return Split(images[rows[order]], labels[order], test_images[numpy.concatenate(groups)],
                 numpy.repeat([0, 1, 2], [len(group) for group in groups]))


def scores_of(how, split, member, seed):
    """Scores of the unlabeled training rows and of the test rows, by METHOD or METHOD@N, which is trained from the N-th seed after the split's."""
    method, _, further = member.partition("@")
    def run(*arguments):
        return subprocess.run([how.puad, *arguments, "--threads", str(how.threads), "--quiet"], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        train, unlabeled, test, model = (os.path.join(folder, name) for name in ("train.npz", "unlabeled.npz", "test.npz", "model"))
        numpy.savez(train, X=split.train, y=split.labels)
        numpy.savez(unlabeled, X=split.train[split.labels == 0])
        numpy.savez(test, X=split.test)
        run("fit", train, "--method", method, *how.fit.split(), "--seed", str(seed + int(further or 0)), "--force", "-o", model)
        return [numpy.array([float(line.split(",")[1]) for line in run("score", model, rows).splitlines()[1:]]) for rows in (unlabeled, test)]


def on_one_scale(scores, kind):
    """Scales test scores by those of the unlabeled rows. Distances are compared by their logarithm, which like a logit has no long tail."""
    unlabeled, test = scores
    if kind == "tail":
        above = len(unlabeled) - numpy.searchsorted(numpy.sort(unlabeled), test, side="left")
        tie = (test - unlabeled.min()) / (numpy.ptp(unlabeled) or 1)  # orders rows above all unlabeled ones
        return -numpy.log((above + 1) / (len(unlabeled) + 1)) + 1e-6 * tie
    if unlabeled.min() > 0:
        unlabeled, test = numpy.log(unlabeled), numpy.log(test)
    return (test - unlabeled.mean()) / unlabeled.std()


def figures(groups, scores):
    seen, unseen = groups != 2, groups != 1
    return (roc_auc_score(groups > 0, scores), roc_auc_score(groups[seen] > 0, scores[seen]), roc_auc_score(groups[unseen] > 0, scores[unseen]))


def described(how):
    return f"{how.fit}, members {' '.join(how.members)}"


def run_cell(how, cell, seed, done):
    name, normal = cell.split("/")
    split = split_of(os.path.join(how.data, name), int(normal), seed)
    scores = {member: scores_of(how, split, member, seed) for member in how.members}
    judged = {member: both[1] for member, both in scores.items()}
    for kind in KINDS:
        judged[kind] = sum(on_one_scale(both, kind) for both in scores.values())
    for method, values in judged.items():
        found = [f"{value:.6f}" for value in figures(split.groups, values)]
        done.append(dict(zip(COLUMNS, [cell, str(seed), method, *found, described(how)])))
        print(cell, seed, method, *found, file=sys.stderr, flush=True)
    if how.csv:
        with open(how.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(done)


def report(done, members):
    """Means over the experiments, and the mean difference of each ensemble to each member and to their average, with its standard error."""
    table = {(row["method"], row["cell"], row["seed"]): [float(row[column]) for column in COLUMNS[3:6]] for row in done}
    keys = sorted({key[1:] for key in table})
    of = {method: numpy.array([table[(method, *key)] for key in keys]) for method in (*members, *KINDS)}
    of["members"] = sum(of[member] for member in members) / len(members)
    for method, values in of.items():
        print(f"{method:8s}", *(f"{value:.4f}" for value in values.mean(axis=0)))
    for kind in KINDS:
        for method in (*members, "members"):
            difference = of[kind] - of[method]
            error = difference.std(axis=0, ddof=1) / len(keys) ** 0.5 if len(keys) > 1 else numpy.full(3, numpy.nan)
            print(f"{kind} - {method}:", *(f"{mean:+.4f} ({one:.4f})" for mean, one in zip(difference.mean(axis=0), error)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", default="mnist/1,mnist/5,mnist/8,fashion_mnist/2,fashion_mnist/8", help="dataset/normal class, separated by commas")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--fit", default="--alpha 0.1 --pretrain-epochs 6 --epochs 10", help="options of puad fit for all members")
    parser.add_argument("--members", default="pusvdd,pu", type=lambda text: text.split(","), help="METHOD or METHOD@N, separated by commas")
    parser.add_argument("--data", default=os.environ.get("PUAD_DATA", "../shared/data"))
    parser.add_argument("--csv", help="a file whose runs are not repeated")
    parser.add_argument("--puad", default="build/puad")
    parser.add_argument("--threads", type=int, default=1)
    how = parser.parse_args()
    done = []
    if how.csv and os.path.exists(how.csv):
        with open(how.csv, newline="") as file:
            done = list(csv.DictReader(file))
        if any(row["arguments"] != described(how) for row in done):
            parser.error(f"{how.csv} has runs of other members or options")
    for cell in how.cells.split(","):
        for seed in map(int, how.seeds.split(",")):
            if not any((row["cell"], row["seed"]) == (cell, str(seed)) for row in done):
                run_cell(how, cell, seed, done)
    report(done, how.members)


if __name__ == "__main__":
    main()
