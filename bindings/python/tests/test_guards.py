"""Rows to score that differ from the training rows cause warnings by name, in every format."""
import warnings

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import puad
from conftest import payments


@pytest.fixture(scope="module")
def trained():
    frame, y, _ = payments(2000)
    frame = frame.drop(columns=["day", "code"])
    return puad.Detector("puforest").fit(frame, y), frame


def warned(call, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments)
    return {(one.message.name, one.message.column) for one in caught if isinstance(one.message, puad.PuadWarning)}


CHANGES = [
    (lambda frame: frame.rename(columns={"country": "nation"}), {("missing_column", "country"), ("new_column", "nation")}),
    (lambda frame: frame.assign(amount=frame.amount * 1000), {("units_changed", "amount")}),
    (lambda frame: frame.assign(hour=frame.hour // 3), {("column_drift", "hour"), ("units_changed", "hour")}),
    (lambda frame: frame.assign(country="elsewhere"), {("new_categories", "country")}),
]


@pytest.mark.parametrize("change, expected", CHANGES)
@pytest.mark.parametrize("kind", [lambda frame, _: frame, lambda frame, _: pl.from_pandas(frame), lambda frame, _: pa.Table.from_pandas(frame, preserve_index=False), lambda frame, folder: to_csv(frame, folder)])
def test_frames_arrow_and_files_give_the_same_warnings(trained, tmp_path, kind, change, expected):
    detector, frame = trained
    assert warned(detector.score_samples, kind(frame, tmp_path)) == set()
    found = warned(detector.score_samples, kind(change(frame), tmp_path))
    assert found & expected and found <= expected, found


def to_csv(frame, folder):
    frame.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def test_arrays_explanations_queries_and_single_rows_are_compared_too(trained):
    detector, frame = trained
    renamed = frame.rename(columns={"country": "nation"})
    for call in (detector.explain, detector.query, lambda rows: detector.score_samples(rows[:1])):
        assert ("missing_column", "country") in warned(call, renamed[:50])
    X = np.random.default_rng(0).normal(5, 1, size=(600, 3))
    plain = puad.Detector("if").fit(X)
    assert warned(plain.score_samples, X) == set()
    assert {name for name, _ in warned(plain.score_samples, 1000 * X)} == {"units_changed"}


def test_columns_left_out_on_purpose_are_not_new():
    frame, y, _ = payments()
    detector = puad.Detector("puforest", ignore=["code"]).fit(frame.assign(label=y), "label")
    assert warned(detector.score_samples, frame.assign(label=y)) == set()


def test_operate_has_no_precision_if_alpha_is_not_identifiable():
    draws = np.random.default_rng(1)
    values, anomalous = draws.normal(size=(3000, 4)), np.arange(3000) < 500
    values[anomalous] += 0.6
    detector = puad.Detector(calibrate=0).fit(values, (np.arange(3000) < 200).astype(int))
    table = {}
    names = {name for name, _ in warned(lambda: table.update(found=detector.operate()))}
    assert names & {"scores_overlap", "alpha_wide", "labels_spread"}
    assert np.isnan(table["found"]["precision"]).all() and not np.isnan(table["found"]["recall"]).any()
    assert np.isnan(table["found"].attrs["alpha"][0])
