"""Custom objectives and heads: Python callables and compiled functions."""
import ctypes
import pickle
import subprocess

import numpy as np
import pytest

import puad
from conftest import numbers


def semi_supervised(neg, pos, labels, alpha):
    """Mean loss of unlabeled rows as normal ones, plus that of the known anomalies as anomalies."""
    unlabeled, anomalies = labels == 0, labels == 1
    weight_neg = unlabeled / max(unlabeled.sum(), 1)
    weight_pos = anomalies / max(anomalies.sum(), 1)
    return (weight_neg * neg).sum() + (weight_pos * pos).sum(), weight_neg, weight_pos


def squared_error(values, row):
    error = values - row
    return float(error @ error), 2 * error


def largest_error(values, row):
    error = values - row
    slopes = np.zeros_like(error)
    worst = np.abs(error).argmax()
    slopes[worst] = 2 * error[worst]
    return error[worst] ** 2, slopes


def test_an_objective_trains_and_differs_from_the_methods_own():
    X, y, truth = numbers()
    mine = puad.Detector("ae", objective=puad.Objective("mine", semi_supervised), steps=100).fit(X, y)
    plain = puad.Detector("ae", steps=100).fit(X, y)
    scores = mine.score_samples(X)
    assert puad.metrics.auroc(truth, scores) > 0.9 and not np.array_equal(scores, plain.score_samples(X))


def test_exceptions_of_an_objective_are_raised():
    X, y, _ = numbers()

    def broken(neg, pos, labels, alpha):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        puad.Detector("ae", objective=puad.Objective("broken", broken), steps=5).fit(X, y)


def test_a_head_trains_scores_and_is_pickled():
    X, y, truth = numbers(400)
    detector = puad.Detector("abc", head=puad.Head("largest", largest_error), steps=40).fit(X, y)
    scores = detector.score_samples(X)
    assert puad.metrics.auroc(truth, scores) > 0.8
    again = pickle.loads(pickle.dumps(detector))
    assert np.array_equal(again.score_samples(X), scores)
    with pytest.raises(puad.InvalidError, match="largest"):
        puad.loads(detector.to_bytes()).score_samples(X)
    assert np.array_equal(puad.loads(detector.to_bytes(), head=puad.Head("largest", largest_error)).score_samples(X), scores)


SOURCE = """
#include <stddef.h>
double squared(void *context, float *slopes, const float *values, size_t count, const float *row, size_t columns)
{
    double sum = 0;
    (void)context, (void)columns;
    for (size_t i = 0; i < count; i++) {
        double error = (double)values[i] - (double)row[i];
        sum += error * error;
        if (slopes) slopes[i] = (float)(2 * error);
    }
    return sum;
}
"""


def test_a_compiled_head_does_what_the_python_one_does(tmp_path, monkeypatch):
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    (tmp_path / "head.c").write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", str(tmp_path / "head.c"), "-o", str(tmp_path / "head.so")], check=True)
    compiled = ctypes.CDLL(str(tmp_path / "head.so")).squared
    X, y, _ = numbers(300)
    fits = [puad.Detector("abc", head=puad.Head("squared", call), steps=20).fit(X, y) for call in (squared_error, compiled)]
    assert np.allclose(fits[0].score_samples(X), fits[1].score_samples(X), rtol=1e-2)


def test_losses_of_a_score_may_be_given():
    X, y, _ = numbers(300)

    def costs(score):
        return score, 1 / (score + 0.1), 1.0, -1 / (score + 0.1) ** 2

    detector = puad.Detector("abc", head=puad.Head("squared", squared_error, losses=costs), steps=10).fit(X, y)
    assert len(detector.score_samples(X)) == 300
