"""From scores to decisions."""
import json
import re

import numpy as np
import pytest

import puad
from conftest import numbers, payments, program


def test_p_values_flags_and_probabilities_are_the_programs(calibrated, tmp_path):
    detector, frame, _, truth = calibrated
    detector.save(tmp_path / "m.safetensors")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    lines = [line.split(",") for line in program("score", tmp_path / "m.safetensors", tmp_path / "rows.csv", "--fdr", "0.1", "--quiet").splitlines()]
    column = {name: [line[i] for line in lines[1:]] for i, name in enumerate(lines[0])}
    assert np.allclose(np.array(column["p_value"], float), detector.p_values(frame), rtol=1e-5)
    flags = detector.flag(frame, fdr=0.1)
    assert flags.tolist() == [cell == "1" for cell in column["flag"]]
    assert flags.sum() > 50 and truth[flags].mean() > 0.7
    probabilities = detector.predict_proba(frame)
    assert np.allclose(probabilities.sum(axis=1), 1) and probabilities[truth == 1, 1].mean() > 0.5 > probabilities[truth == 0, 1].mean()


def test_a_decision_says_what_is_promised(calibrated, tmp_path):
    detector, frame, _, _ = calibrated
    decided = detector.decide(frame, fdr=0.1)
    assert np.array_equal(decided.flags, detector.flag(frame, fdr=0.1)) and np.array_equal(decided.p_values, detector.p_values(frame))
    assert np.array_equal(decided.probabilities, detector.predict_proba(frame)[:, 1])
    assert f"{decided.flags.sum()} of {len(frame)} rows are flagged; the expected fraction of false alarms is at most 0.1" in str(decided)
    detector.save(tmp_path / "m.safetensors")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    program("score", tmp_path / "m.safetensors", tmp_path / "rows.csv", "--fdr", "0.1", "--quiet", "--summary", tmp_path / "report.json", "-o", tmp_path / "out.csv")
    notes = json.loads((tmp_path / "report.json").read_text())["notes"]
    assert [re.sub(r"--\S+|\w+=", "", note) for note in notes] == [re.sub(r"\w+=", "", line) for line in decided.report]


def test_where_nothing_can_be_flagged_a_warning_says_why(calibrated):
    detector, frame, _, truth = calibrated
    with pytest.warns(puad.PuadWarning, match=r"fdr=0\.0001\b") as caught:
        assert not detector.flag(frame, fdr=0.0001).any()
    assert [one.message.name for one in caught] == ["nothing flagged"] and caught[0].filename == __file__
    with pytest.warns(puad.PuadWarning, match="no row is flagged"):
        detector.flag(frame, threshold=1e30)


def test_flags_by_rate_and_threshold(calibrated):
    detector, frame, _, _ = calibrated
    scores = detector.score_samples(frame)
    assert np.array_equal(detector.flag(frame, threshold=float(np.median(scores))), scores >= np.median(scores))
    assert 0.05 < detector.flag(frame, flag_rate=0.1).mean() < 0.2
    assert detector.p_values(frame, "plain").min() > 0


def test_without_a_calibration_there_are_no_p_values():
    X, y, _ = numbers()
    detector = puad.Detector("puforest").fit(X, y)
    with pytest.raises(ValueError, match="calibrate=0.2"):
        detector.flag(X)
    assert not hasattr(detector, "predict_proba")


def test_the_operating_table_is_a_frame(calibrated):
    detector, _, _, _ = calibrated
    table = detector.operate(points=20)
    assert len(table) <= 20 and {"threshold", "recall", "precision_low", "f1_high"} <= set(table.columns)
    assert table["recall"].is_monotonic_increasing and 0.5 < table.attrs["auroc"][0] <= 1


@pytest.mark.parametrize("method", ["puae", "committee"])
def test_explanations_name_columns_and_sum_to_one(method):
    frame, y, _ = payments()
    detector = puad.Detector(method, steps=50).fit(frame, y)
    shares = detector.explain(frame.iloc[10:17])
    assert set(frame.columns) - {"day"} < set(shares.columns) and list(shares.index) == list(range(10, 17))
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-4)
    texts = detector.explain(frame.iloc[10:17], words=2)
    assert len(texts) == 7 and all(text.count(";") == 1 and "usual" in text for text in texts)


def test_questions_and_answers(calibrated):
    detector, frame, y, truth = calibrated
    asked = detector.query(frame, 20, y)
    assert len(asked) == 20 and not y[asked].any()
    answers = {int(row): 1 if truth[row] else -1 for row in asked}
    known = {**answers}
    again = puad.loads(detector.to_bytes()).refit(frame, y, known)
    assert again.facts_["answers"] == 20 and len(again.score_samples(frame)) == len(frame)


def test_the_interval_of_the_prior_contains_the_truth():
    X, y, truth = numbers(2000)
    estimate = puad.prior(X, y)
    share = truth[y == 0].mean()
    assert not estimate.refused and estimate.low <= share <= estimate.high
    assert len(estimate.points[0]) == len(estimate.points[1]) > 10 and float(estimate) == estimate.alpha
    refused = puad.prior(X[:100], (np.arange(100) < 5).astype(int))
    assert refused.refused and refused.reason


def test_metrics_agree_with_scikit_learn():
    from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

    generator = np.random.default_rng(2)
    truth, scores = generator.integers(0, 2, 300), np.round(generator.normal(size=300), 1).astype(np.float32)
    assert puad.metrics.auroc(truth, scores) == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert puad.metrics.average_precision(truth, scores) == pytest.approx(average_precision_score(truth, scores), abs=1e-12)
    fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
    mine = puad.metrics.Roc(truth, scores).curve()
    assert np.allclose(mine[0], fpr) and np.allclose(mine[1], tpr)
    assert puad.metrics.tpr_at_fpr(truth, scores, 0.1) == pytest.approx(tpr[fpr <= 0.1].max())
    hidden = np.where(generator.random(300) < 0.5, truth, 0)
    alpha = truth[hidden == 0].mean()
    assert puad.metrics.pu_auroc(hidden, scores, alpha) == pytest.approx(
        (roc_auc_score(hidden, scores) - alpha / 2) / (1 - alpha), abs=1e-12
    )


def test_pictures_are_drawn(calibrated):
    detector, frame, y, _ = calibrated
    X, labels, _ = numbers(1000)
    axes = [puad.plot_operating(detector), puad.plot_scores(detector), puad.plot_scores(detector, frame, y), puad.plot_alpha(puad.prior(X, labels))]
    for ax in axes:
        ax.figure.canvas.draw()
        assert ax.get_xlabel() and ax.get_legend() is not None
