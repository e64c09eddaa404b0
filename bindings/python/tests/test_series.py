"""Time series in frames: time and group name columns, and scores are those of the program on the CSV, bit for bit."""
import numpy as np
import pandas as pd
import pytest

import puad
from conftest import program, program_scores


def series(runs=("a", "b"), rows=700, seed=1):
    """A wave and its faults in each run, with a gap of a day."""
    draw = np.random.default_rng(seed)
    i = np.arange(rows)
    fault = (i % 300 >= 200) & (i % 300 < 230)
    frames = []
    for run in runs:
        when = pd.Timestamp("2024-03-01") + pd.to_timedelta(i + 1440 * (i >= 400), unit="min")
        heat = np.where(fault, 0.9, np.sin(i / 5)) + draw.normal(0, 0.05, rows)
        frames.append(pd.DataFrame({"when": when, "heat": heat.round(4), "flow": (np.cos(i / 9) + draw.normal(0, 0.05, rows)).round(4), "run": run, "fault": fault.astype(int)}))
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize("method", ["committee", "puae", "pca"])
def test_a_frame_trains_and_scores_as_the_program_does_on_its_csv(tmp_path, method):
    frame = series()
    frame.to_csv(tmp_path / "s.csv", index=False)
    program("fit", tmp_path / "s.csv", "--time-column", "when", "--series-column", "run", "--window", 16, "--label-column", "fault", "--method", method, "--epochs", 5, "--seed", 2, "--quiet",
            "-o", tmp_path / "m.safetensors")
    mine = puad.Detector(method, time_column="when", series_column="run", window=16, epochs=5, seed=2).fit(frame, "fault")
    rows = frame.drop(columns="fault")
    expected = program_scores(tmp_path / "m.safetensors", tmp_path / "s.csv")
    assert np.array_equal(mine.score_samples(rows), expected)
    mine.save(tmp_path / "mine.safetensors")
    assert np.array_equal(program_scores(tmp_path / "mine.safetensors", tmp_path / "s.csv"), expected)
    assert np.array_equal(puad.load(tmp_path / "m.safetensors").score_samples(rows), expected)
    assert np.array_equal(mine.decision_scores_, expected)


def test_gaps_and_groups_end_segments_and_explanations_name_the_channel():
    frame = series().drop(columns="fault")
    detector = puad.Detector("pca", time_column="when", series_column="run", window=16).fit(frame)
    whole = detector.score_samples(frame)
    alone = np.concatenate([detector.score_samples(frame[frame.run == run]) for run in ("a", "b")])
    assert np.array_equal(whole, alone)
    numbers = frame.assign(when=(frame.when - pd.Timestamp("1970-01-01")).dt.total_seconds())
    assert np.array_equal(puad.Detector("pca", time_column="when", series_column="run", window=16).fit(numbers).score_samples(numbers), whole)
    top = int(np.argmax(whole))
    assert detector.explain(frame, words=1)[top].split()[0] in ("heat", "flow")
    assert detector.explain(frame).iloc[top].sum() == pytest.approx(1, abs=1e-4)


def test_errors_in_time_stamps_are_reported():
    frame = series().drop(columns="fault")
    with pytest.raises(puad.PuadError, match="no column 'clock'"):
        puad.Detector(time_column="clock", window=16).fit(frame)
    with pytest.raises(puad.PuadError, match="row 1 "):
        puad.Detector(time_column="when", window=16).fit(frame.sample(frac=1, random_state=1))
    detector = puad.Detector("if", time_column="when", series_column="run", window=16).fit(frame)
    with pytest.raises(puad.PuadError, match="no time stamp"):
        detector.score_samples(frame.assign(when=frame.when.where(frame.index != 40)))
    with pytest.raises(puad.PuadError, match="no column 'when'"):
        detector.score_samples(frame.drop(columns="when"))
