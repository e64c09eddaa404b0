"""The state of files and copies, and the values of parameters and labels."""
import json
import os
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import puad
from conftest import numbers, payments


def test_a_file_keeps_threshold_classes_and_parameters(tmp_path):
    X, y, _ = numbers(1000)
    detector = puad.Detector("puforest", contamination=0.055, seed=3, positive=2, numeric=["a"]).fit(X, np.where(y, 2, 1))
    detector.save(tmp_path / "m.safetensors")
    same = puad.load(tmp_path / "m.safetensors")
    scores = np.sort(detector.score_samples(X))[::-1]
    assert detector.predict(X).sum() == (scores > scores[55]).sum()  # rows of equal scores are flagged together or not at all
    assert 50 <= detector.predict(X).sum() <= 55
    assert np.array_equal(same.predict(X), detector.predict(X)) and same.threshold_ == detector.threshold_
    assert same.get_params() == detector.get_params()
    strings = puad.Detector("puforest", positive="fraud").fit(pd.DataFrame(X, columns=list("abcd")), np.where(y, "fraud", "none"))
    again = puad.loads(strings.to_bytes())
    assert list(again.feature_names_in_) == list("abcd") and again.positive == "fraud" and again.n_features_in_ == 4
    labeled = puad.Detector("puforest").fit(X, np.where(y, 8, 7))
    assert set(puad.loads(labeled.to_bytes()).predict(X)) == {7, 8}


def test_contamination_may_be_set_after_a_copy_and_a_file(tmp_path):
    X, y, _ = numbers(1000)
    detector = puad.Detector("puforest").fit(X, y)
    detector.save(tmp_path / "m.safetensors")
    for copy in (pickle.loads(pickle.dumps(detector)), puad.load(tmp_path / "m.safetensors")):
        assert np.array_equal(copy.predict(X), detector.predict(X))
        assert abs(copy.set_params(contamination=0.2).predict(X).sum() - 200) <= 2
        with pytest.raises(AttributeError, match="score_samples"):
            copy.decision_scores_


def test_pickles_and_predictions_do_not_score_all_training_rows(monkeypatch):
    from puad import _model, _state

    monkeypatch.setattr(_state, "SAMPLE_MAX", 500)
    monkeypatch.setattr(_state, "KEPT_MAX", 1000)
    scored = []
    run = _model.c.scorer_run_encoded
    monkeypatch.setattr(_model.c, "scorer_run_encoded", lambda *given: scored.append(given[3]) or run(*given))
    monkeypatch.setattr(_model.Model, "score_dataset", lambda self, data, rows: pytest.fail("all rows are scored"))
    X, y, _ = numbers(5000)
    detector = puad.Detector("puforest", contamination=0.1).fit(X, y)
    pickle.dumps(detector)
    assert scored == [500] and abs(detector.predict(X).mean() - 0.1) < 0.04
    assert detector._training.data is None
    assert len(puad.Detector("puforest").fit_predict(X, y)) == 5000


def test_the_state_of_a_copy_is_made_of_plain_types():
    def check(value):
        if isinstance(value, dict):
            assert all(check(one) for one in value.values())
        elif isinstance(value, (list, tuple)):
            assert all(check(one) for one in value)
        else:
            assert value is None or isinstance(value, (bool, int, float, str, bytes, np.ndarray, np.generic)), type(value)
        return True

    X, y, _ = numbers()
    check(puad.Detector("puforest", numeric=["a"]).fit(X, y).__getstate__())


def test_paths_of_any_bytes(tmp_path):
    X, y, _ = numbers()
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(folder)
    path = os.path.join(folder, b"m.safetensors")
    detector = puad.Detector("if").fit(X)
    for name in (path, os.fsdecode(path)):
        detector.save(name)
        assert np.array_equal(puad.load(name).score_samples(X), detector.score_samples(X))
    np.save(os.fsdecode(os.path.join(folder, b"x.npy")), X)
    assert np.array_equal(detector.score_samples(os.path.join(folder, b"x.npy")), detector.score_samples(X))


@pytest.mark.parametrize(
    "options, error",
    [
        ({"epoch": 3}, TypeError),
        ({"sample_weight": 1}, TypeError),
        ({"epochs": -3}, ValueError),
        ({"method": "nosuch"}, ValueError),
        ({"alpha": 7}, ValueError),
        ({"alpha": "much"}, ValueError),
        ({"network": "huge"}, ValueError),
        ({"contamination": 1.5}, ValueError),
        ({"n_jobs": 0}, ValueError),
        ({"n_jobs": 2, "threads": 2}, ValueError),
        ({"random_state": 1, "seed": 2}, ValueError),
        ({"random_state": "x"}, TypeError),
        ({"progress": 3}, TypeError),
        ({"head": "linear"}, TypeError),
    ],
)
def test_options_are_checked_when_they_are_set(options, error):
    with pytest.raises(error):
        puad.Detector(**options)
    detector = puad.Detector()
    with pytest.raises((TypeError, ValueError)):
        detector.set_params(**options)
    assert detector.get_params() == puad.Detector().get_params()


def test_random_state_and_n_jobs_are_seed_and_threads(monkeypatch):
    X, y, _ = numbers()
    expected = puad.Detector("puforest", seed=5, threads=1).fit(X, y).score_samples(X)
    detector = puad.Detector("puforest", random_state=5, n_jobs=-1)
    assert np.array_equal(clone(detector).fit(X, y).score_samples(X), expected)
    assert not np.array_equal(puad.Detector("puforest", random_state=6).fit(X, y).score_samples(X), expected)
    drawn = [puad.Detector("puforest", random_state=np.random.RandomState(4)).fit(X, y).score_samples(X) for _ in range(2)]
    assert np.array_equal(*drawn)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert puad.Detector()._threads() == 1 and puad.Detector(threads=2)._threads() == 2
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert puad.Detector()._threads() is None


def test_missing_and_contradictory_labels_are_rejected():
    X, y, _ = numbers(200)
    with pytest.raises(ValueError, match="positive is 'Fraud'.*'fraud'"):
        puad.Detector("puforest", positive="Fraud").fit(X, np.where(y, "fraud", ""))
    with pytest.raises(ValueError, match="positive="):
        puad.Detector("puforest").fit(X, np.where(y, "anomaly", "normal"))
    assert puad.Detector("puforest", positive="anomaly").fit(X, np.where(y, "anomaly", "normal")).predict(X).sum()


def test_mostly_known_normal_rows_are_warned_of():
    X, y, _ = numbers(600)
    with pytest.warns(puad.PuadWarning) as caught:
        puad.Detector("pnu" if "pnu" in puad.methods() else "puforest", force=True).fit(X, np.where(y, 1, np.where(np.arange(600) % 3, -1, 0)))
    assert "many_normals" in [one.message.name for one in caught]


def test_missing_labels_in_cross_validation():
    from sklearn.model_selection import KFold, cross_val_score

    X, y, _ = numbers(600)
    assert cross_val_score(puad.Detector("puforest"), X, np.where(y, 1.0, np.nan), cv=KFold(3), error_score="raise").min() > 0.5


def test_no_probabilities_without_labels_is_an_error():
    X, _, _ = numbers(600)
    detector = puad.Detector("if", calibrate=0.3).fit(X)
    with pytest.raises(ValueError, match="alpha"):
        detector.predict_proba(X)


def test_progress_of_methods_without_epochs_is_reported():
    X, y, _ = numbers()
    seen = []
    puad.Detector(progress=seen.append).fit(X, y)
    assert [(now.epochs, now.batch, now.batches) for now in seen] == [(1, 1, 1)]


def test_dask_collections_are_refused_by_name():
    import dask.dataframe as dd

    frame, y, _ = payments(100)
    with pytest.raises(TypeError, match="map_partitions"):
        puad.Detector().fit(dd.from_pandas(frame, npartitions=2), y)


def test_messages_of_forests_do_not_mention_a_network():
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 100, 0)
    with pytest.raises(puad.PuadError) as raised:
        puad.Detector("if").fit(X)
    assert "network" not in str(raised.value)
