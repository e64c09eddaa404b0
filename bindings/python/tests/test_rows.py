"""The types of X."""
import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import puad
from conftest import numbers, payments


def test_strides_orders_and_views_score_the_same():
    X, y, _ = numbers()
    detector = puad.Detector("puforest").fit(X, y)
    scores = detector.score_samples(X)
    wide = np.zeros((600, 8))
    wide[:, ::2] = X
    for view in (np.asfortranarray(X), wide[:, ::2], X[::-1][::-1], X.tolist(), pd.DataFrame(X), X.astype(">f8"), X.astype(object)):
        assert np.array_equal(detector.score_samples(view), scores)
    assert np.array_equal(detector.score_samples(X[::-1]), scores[::-1])
    assert np.array_equal(detector.score_samples(np.broadcast_to(X[0], (5, 4))), np.repeat(scores[0], 5))


def test_training_takes_any_order_of_memory():
    X, y, _ = numbers()
    expected = puad.Detector("puforest").fit(X, y).score_samples(X)
    assert np.array_equal(puad.Detector("puforest").fit(np.asfortranarray(X), y).score_samples(X), expected)


def test_columns_of_a_frame_are_found_by_name_in_any_order():
    frame, y, _ = payments()
    detector = puad.Detector().fit(frame, y)
    assert np.array_equal(detector.score_samples(frame[frame.columns[::-1]]), detector.score_samples(frame))
    assert list(detector.feature_names_in_) == list(frame.columns)


def arrow_columns(rows=500):
    generator = np.random.default_rng(1)
    numbers = generator.normal(size=rows) + 4 * (np.arange(rows) % 10 == 0)
    return {
        "double": numbers,
        "int": np.arange(rows) % 7,
        "text": ["short" if i % 3 else "a string of more than twelve bytes" for i in range(rows)],
        "bool": [bool(i % 2) for i in range(rows)],
        "day": [datetime.date(2024, 1, 1 + i % 5) for i in range(rows)],
        "gaps": [None if i % 4 == 0 else float(i % 3) for i in range(rows)],
        "holes": [None if i % 5 == 0 else f"t{i % 4}" for i in range(rows)],
    }


def test_polars_and_arrow_tables_score_as_their_csv(tmp_path):
    frame = pl.DataFrame(arrow_columns()).with_columns(category=pl.Series([f"c{i % 4}" for i in range(500)]).cast(pl.Categorical))
    y = (np.arange(500) % 20 == 0).astype(int)
    detector = puad.Detector().fit(frame, y)
    scores = detector.score_samples(frame)
    frame.write_csv(tmp_path / "rows.csv")
    assert np.array_equal(detector.score_samples(tmp_path / "rows.csv"), scores)
    table = frame.to_arrow()
    assert np.array_equal(detector.score_samples(table), scores)
    assert np.array_equal(detector.score_samples(pa.concat_tables([table.slice(0, 99), table.slice(99)])), scores)
    assert np.array_equal(detector.score_samples(table.slice(123, 77)), scores[123:200])
    assert np.array_equal(detector.score_samples(table.to_batches()[0]), scores)


def test_the_label_column_may_be_named():
    frame, y, _ = payments()
    expected = puad.Detector("puforest").fit(frame, y).score_samples(frame)
    for labeled in (frame.assign(label=y), pl.from_pandas(frame.assign(label=y))):
        assert np.allclose(puad.Detector("puforest").fit(labeled, "label").decision_scores_, expected, atol=1) and "label" in labeled.columns


@pytest.mark.parametrize(
    "y, options",
    [
        (np.array([1, 0, -1]), {}),
        (np.array([1.0, np.nan, -1.0]), {}),
        (np.array(["1", "", "-1"], object), {}),
        (np.array(["fraud", "?", "checked"]), {"positive": "fraud", "negative": "checked"}),
        (np.array(["fraud", None, "ok"], object), {"positive": ["fraud", "theft"], "negative": "ok"}),
        (np.array([7, 8, 9]), {"positive": 7, "unlabeled": 8, "negative": 9}),
        (pd.Series([True, pd.NA, False], dtype="boolean"), {"negative": False}),
    ],
)
def test_labels_of_every_kind(y, options):
    from puad._labels import labels_of

    labels, classes = labels_of(y, 3, **options)
    assert labels.tolist() == [1, 0, -1] and classes.tolist() == [0, 1]


def test_the_id_column_of_a_frame_is_not_a_feature():
    X, y, _ = numbers(200)
    frame = pd.DataFrame(X, columns=list("abcd")[: X.shape[1]]).assign(account=[f"A{i}" for i in range(len(X))])
    with warnings.catch_warnings():
        warnings.simplefilter("error", puad.PuadWarning)
        detector = puad.Detector("puforest", id_column="account", seed=1).fit(frame, y)
        scores = detector.score_samples(frame)
    assert "account" not in [column["name"] for column in detector.input_schema_]
    assert np.array_equal(scores, puad.Detector("puforest", ignore=["account"], seed=1).fit(frame, y).score_samples(frame))
    with pytest.raises(ValueError, match="id_column.*'name'"):
        puad.Detector("puforest", id_column="name").fit(frame, y)


def test_unknown_labels_are_refused_and_two_classes_are_taken_with_a_warning():
    X, y, _ = numbers(200)
    with pytest.raises(ValueError, match="expected 1 .known anomaly."):
        puad.Detector().fit(X, np.arange(200) % 4)
    with pytest.warns(puad.PuadWarning, match="5 for unlabeled"):
        detector = puad.Detector("puforest").fit(X, np.where(y, 6, 5))
    assert set(detector.predict(X)) <= {5, 6}


def test_invalid_rows_are_rejected():
    X, y, _ = numbers(200)
    detector = puad.Detector("puforest").fit(X, y)
    for wrong, message in ((X[:, :2], "2 features, but Detector is expecting 4"), (X[0], "Reshape"), (X + 1j, "Complex")):
        with pytest.raises(ValueError, match=message):
            detector.score_samples(wrong)
    with pytest.raises(puad.FileError, match="no-such-file"):
        detector.score_samples("no-such-file.csv")
    with pytest.raises(TypeError, match="no option 'epoch'"):
        puad.Detector(epoch=3).fit(X, y)
    with pytest.raises(puad.InvalidError, match="epochs"):
        puad.Detector(epochs=-3).fit(X, y)


def test_cells_that_are_odd_are_told_to_the_logger(caplog):
    frame, y, _ = payments()
    detector = puad.Detector("puforest").fit(frame, y)
    with caplog.at_level("INFO", "puad"):
        detector.score_samples(frame.assign(amount="much"))
    assert "'amount'" in caplog.text


def test_a_forgotten_label_column_is_refused():
    generator = np.random.default_rng(3)
    frame = pd.DataFrame(generator.normal(size=(300, 2)), columns=["a", "b"])
    frame["status"] = np.where(np.arange(300) < 10, "fraud", None)
    with pytest.raises(ValueError, match="'status'.*label_column.*no_labels"):
        puad.Detector("puforest").fit(frame)
    meant = puad.Detector("if", no_labels=True).fit(frame)
    assert "status" in meant.feature_names_in_
    by_name = puad.Detector("puforest", positive="fraud").fit(frame, "status")
    by_option = puad.Detector("puforest", positive="fraud", label_column="status").fit(frame)
    assert np.array_equal(by_name.decision_scores_, by_option.decision_scores_) and by_name.facts_["anomalies"] == 10
    frame["status"] = generator.integers(0, 2, 300) * 0.5  # a feature is a feature
    frame = frame.rename(columns={"status": "sex"})
    assert puad.Detector("if").fit(frame).n_features_in_ == 3
