"""Methods of bench/adbench.py: the program with any options, and alternatives in Python.

A method is written NAME or NAME:ARGUMENTS. Plain names:

    default             puad fit with no options except the labels
    default+alpha       the same with the true fraction of hidden anomalies
    extratrees          scikit-learn's extremely randomized trees, labeled against unlabeled, balanced, leaves of 3 rows
    extratrees-alpha    the same forest grown again without the fraction alpha (the true one) of the unlabeled rows that score highest out of bag
    iforest             scikit-learn's isolation forest on all training rows, labels unused
    xgboost             labeled against unlabeled, base_score 0.5: the default of the version used for the published results (newer ones
                        estimate it, and one or two labels then have no effect); repeats many of these with --protocol published
    catboost, lightgbm  with their defaults, labeled against unlabeled; with -weights both classes have equal weight
    bagged-trees        300 trees, each on all labeled rows and as many unlabeled ones, drawn at random (Mordelet and Vert, 2014)
    any other           puad fit --method NAME

In ARGUMENTS {alpha} is replaced by the true fraction of hidden anomalies among the unlabeled training rows, {seed} by the seed of the split.
"""
import collections
import functools
import os
import shlex
import subprocess
import tempfile
import time
import warnings

import numpy

TREES = 300

# The result of one run: a score per test row, larger is more anomalous, and wall seconds.
Scored = collections.namedtuple("Scored", "scores fit_seconds score_seconds")


class Failed(Exception):
    """A run that gave no scores, and its message."""


def parse(text):
    """(name, arguments of puad fit or None for a method in Python)"""
    name, colon, arguments = text.partition(":")
    if colon:
        return name, arguments.strip()
    if name in RIVALS:
        return name, None
    return name, {"default": "", "default+alpha": "--alpha {alpha}"}.get(name, f"--method {name}")


def parse_all(text):
    """Methods separated by commas; if ARGUMENTS contain commas, separate the methods by semicolons."""
    return dict(parse(part.strip()) for part in text.split(";" if ";" in text else ",") if part.strip())


def needs_labels(name, arguments):
    return arguments is None and name != "iforest"


def run(name, arguments, split, alpha, seed, puad, threads):
    if arguments is None:
        return RIVALS[name](split, alpha, seed, threads)
    return run_puad(shlex.split(arguments.format(alpha=f"{alpha:.6g}", seed=seed)), split, puad, threads)


def run_puad(arguments, split, puad, threads):
    """Runs fit and score as processes; --force keeps models that the program finds useless, because a bench must include those too."""
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (os.path.join(folder, name) for name in ("train.npz", "test.npz", "model"))
        numpy.savez(train, X=split.train, y=split.labels)
        numpy.savez(test, X=split.test)
        start = time.perf_counter()
        fit = [puad, "fit", train, *arguments, "--threads", str(threads), "--quiet", "--force", "-o", model]
        made = subprocess.run(fit, capture_output=True, text=True)
        fit_seconds = time.perf_counter() - start
        if not os.path.exists(model):
            raise Failed(made.stderr.strip() or f"puad fit ended with {made.returncode}")
        start = time.perf_counter()
        printed = subprocess.run([puad, "score", model, test, "--threads", str(threads), "--quiet"], capture_output=True, text=True)
        score_seconds = time.perf_counter() - start
        if printed.returncode:
            raise Failed(printed.stderr.strip())
    scores = numpy.array([float(line.split(",")[1]) for line in printed.stdout.splitlines()[1:]])
    if len(scores) != len(split.test):
        raise Failed(f"{len(scores)} scores for {len(split.test)} rows")
    return Scored(scores, fit_seconds, score_seconds)


def timed(fit, score):
    start = time.perf_counter()
    model = fit()
    middle = time.perf_counter()
    scores = score(model)
    return Scored(numpy.asarray(scores, float), middle - start, time.perf_counter() - middle)


def iforest(split, alpha, seed, threads):
    from sklearn.ensemble import IsolationForest
    return timed(lambda: IsolationForest(random_state=seed, n_jobs=threads).fit(split.train), lambda forest: -forest.score_samples(split.test))


def grow(rows, labels, seed, threads, out_of_bag=False):
    """scikit-learn 1.9, which made the results in docs, draws each tree's rows by the class weights, so that labeled rows are in every
    tree and none is out of bag. It warns about that; these scores are not used."""
    warnings.filterwarnings("ignore", message="Some inputs do not have OOB scores")
    from sklearn.ensemble import ExtraTreesClassifier
    forest = ExtraTreesClassifier(n_estimators=TREES, min_samples_leaf=3, class_weight="balanced", bootstrap=True, oob_score=out_of_bag,
                                  random_state=seed, n_jobs=threads)
    return forest.fit(rows, labels)


def positive(model, rows):
    return model.predict_proba(rows)[:, 1]


def extratrees(split, alpha, seed, threads):
    return timed(lambda: grow(split.train, split.labels, seed, threads), lambda forest: positive(forest, split.test))


def extratrees_alpha(split, alpha, seed, threads):
    def fit():
        first = grow(split.train, split.labels, seed, threads, out_of_bag=True)
        unlabeled = numpy.flatnonzero(split.labels == 0)
        scores = numpy.nan_to_num(first.oob_decision_function_[unlabeled, 1])
        suspects = unlabeled[numpy.argsort(-scores, kind="stable")[:round(alpha * len(unlabeled))]]
        kept = numpy.delete(numpy.arange(len(split.labels)), suspects)
        return grow(split.train[kept], split.labels[kept], seed, threads)
    return timed(fit, lambda forest: positive(forest, split.test))


def xgboost(split, alpha, seed, threads):
    from xgboost import XGBClassifier
    return timed(lambda: XGBClassifier(base_score=0.5, random_state=seed, n_jobs=threads).fit(split.train, split.labels),
                 lambda model: positive(model, split.test))


def catboost(split, alpha, seed, threads, **options):
    from catboost import CatBoostClassifier
    model = CatBoostClassifier(random_seed=seed, thread_count=threads, verbose=False, allow_writing_files=False, **options)
    return timed(lambda: model.fit(split.train, split.labels), lambda model: positive(model, split.test))


def lightgbm(split, alpha, seed, threads, **options):
    from lightgbm import LGBMClassifier
    model = LGBMClassifier(random_state=seed, n_jobs=threads, verbose=-1, **options)
    return timed(lambda: model.fit(split.train, split.labels), lambda model: model.predict_proba(split.test)[:, 1])


def bagged_trees(split, alpha, seed, threads):
    from sklearn.tree import DecisionTreeClassifier
    generator = numpy.random.default_rng(seed)
    labeled, unlabeled = (numpy.flatnonzero(split.labels == kind) for kind in (1, 0))

    def grow_one():
        drawn = generator.choice(unlabeled, min(len(labeled), len(unlabeled)), replace=False)
        rows = numpy.concatenate([labeled, drawn])
        return DecisionTreeClassifier(random_state=int(generator.integers(2**31))).fit(split.train[rows], split.labels[rows])
    return timed(lambda: [grow_one() for _ in range(TREES)], lambda trees: numpy.mean([positive(tree, split.test) for tree in trees], 0))


RIVALS = {"iforest": iforest, "extratrees": extratrees, "extratrees-alpha": extratrees_alpha, "xgboost": xgboost, "bagged-trees": bagged_trees,
          "catboost": catboost, "catboost-weights": functools.partial(catboost, auto_class_weights="Balanced"),
          "lightgbm": lightgbm, "lightgbm-weights": functools.partial(lightgbm, class_weight="balanced")}
