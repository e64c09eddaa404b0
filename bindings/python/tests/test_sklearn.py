"""scikit-learn's own checks, and its tools around a detector."""
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import puad
from conftest import numbers
from sklearn_checks import failures

HERE = os.path.dirname(os.path.abspath(__file__))


def test_check_estimator_passes_except_for_listed_checks():
    assert failures() == []


def test_check_estimator_of_debians_scikit_learn_passes_too():
    code = "import sklearn, sys; sys.exit(not sklearn.__version__.startswith('1.2'))"
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if "LD_PRELOAD" in os.environ:
        pytest.skip("once is enough under the sanitizers")
    if subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, env={**environment, "PYTHONPATH": ""}).returncode:
        pytest.skip("Debian's python3-sklearn 1.2 is not installed")
    done = subprocess.run(["/usr/bin/python3", os.path.join(HERE, "sklearn_checks.py")], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_clone_and_parameters():
    detector = puad.Detector("puae", epochs=3, noise=0.1)
    copy = clone(detector)
    assert copy.get_params() == detector.get_params() and copy.get_params()["noise"] == 0.1
    assert copy.set_params(noise=0.2, epochs=4).get_params()["noise"] == 0.2 and detector.get_params()["noise"] == 0.1
    with pytest.raises(ValueError, match="Invalid parameter 'color'"):
        copy.set_params(color=1)


def test_pipeline_scores_and_predicts():
    X, y, truth = numbers()
    line = make_pipeline(StandardScaler(), puad.Detector("puforest")).fit(X, y)
    assert puad.metrics.auroc(truth, line.score_samples(X)) > 0.9 and set(line.predict(X)) == {0, 1}


def test_grid_search_with_the_scorer_for_positive_and_unlabeled_rows():
    X, y, _ = numbers()
    search = GridSearchCV(puad.Detector("puae", threads=1), {"steps": [1, 60], "noise": [0, 0.1]}, scoring=puad.metrics.pu_scorer(alpha=0.05), cv=3).fit(X, y)
    assert search.best_params_["steps"] == 60 and 0.5 < search.best_score_ <= 1
    assert len(search.predict(X)) == 600


def test_cross_validation():
    X, y, truth = numbers()
    for method in ("decision_function", "predict"):
        assert len(cross_val_predict(puad.Detector("puforest"), X, y, method=method, cv=StratifiedKFold(3))) == 600
    scores = cross_val_predict(puad.Detector("puforest", calibrate=0.3, alpha=0.05), X, y, method="predict_proba", cv=StratifiedKFold(3))
    known = ~np.isnan(scores[:, 1])  # folds with few labels may have no probabilities
    assert scores.shape == (600, 2) and (not known.any() or puad.metrics.auroc(truth[known], scores[known, 1]) > 0.9)
    assert cross_val_score(puad.Detector("puforest"), X, y, cv=3).mean() > 0.8
    with pytest.raises(ValueError, match="Unknown label 2"):  # scikit-learn renumbers the classes: -1, 0, 1 become 0, 1, 2
        cross_val_predict(puad.Detector("puforest"), X, np.where(np.arange(600) % 50 == 1, -1, y), method="decision_function")


def test_calibrated_classifier_learns_probabilities_from_the_truth():
    X, y, truth = numbers(1000)
    calibrated = CalibratedClassifierCV(puad.Detector("puforest"), cv=3).fit(X, truth)
    probabilities = calibrated.predict_proba(X)[:, 1]
    assert abs(probabilities.mean() - truth.mean()) < 0.05 and puad.metrics.auroc(truth, probabilities) > 0.95
