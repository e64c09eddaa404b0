"""Audits from Python."""
import numpy as np
import pytest

import puad
from conftest import program


@pytest.fixture(scope="module")
def fitted():
    draws = np.random.default_rng(3)
    truth = np.arange(3000) % 10 == 0
    X = draws.normal(size=(3000, 3)) + np.where(truth, 4, 0)[:, None]
    y = np.where(truth & (np.arange(3000) % 40 == 0), 1, 0)
    return puad.Detector().fit(X, y), X, truth


def test_answers_flag_rows(fitted):
    detector, X, truth = fitted
    audit = detector.audit(X, checks=30, fdr=0.1)
    assert len(audit.rows) == 30 and (np.diff(audit.rows) > 0).all() and ((audit.probability > 0) & (audit.probability <= 1)).all()
    audited = audit.answer(np.where(truth[audit.rows], 1, -1)).decide()
    assert audited.flags.sum() > 100 and (~truth[audited.flags]).mean() <= audited.limit
    assert (audited.flags[audit.rows] == truth[audit.rows]).all()
    assert audited.checked == 30 and audited.anomalies == truth[audit.rows].sum() and audited.unanswered == 0
    assert audited.alpha[1] <= truth.mean() <= audited.alpha[2] and audited.rate == 0.1


def test_scores_that_were_computed_elsewhere(fitted):
    detector, X, _ = fitted
    scores = detector.score_samples(X)
    drawn, expected = detector.audit(scores=scores, checks=20, seed=2), detector.audit(X, 20, seed=2)
    assert np.array_equal(drawn.rows, expected.rows) and np.array_equal(drawn.probability, expected.probability)
    for given in ({}, {"X": X, "scores": scores}, {"scores": X}):
        with pytest.raises(ValueError, match="score"):
            detector.audit(**given)


def test_rounds_go_on(fitted):
    detector, X, truth = fitted
    audit = detector.audit(X, checks=15, rounds=2)
    first = audit.rows
    audit.answer(truth[first]).next_round()
    assert not set(first) & set(audit.rows)
    audited = audit.answer(truth[audit.rows]).decide()
    assert audited.checked == 30 and audited.round_rate == 0.05
    with pytest.raises(puad.InvalidError):
        audit.next_round()


def test_wrong_answers_are_refused(fitted):
    detector, X, _ = fitted
    audit = detector.audit(X)
    with pytest.raises(puad.InvalidError):
        audit.decide()
    with pytest.raises(ValueError):
        audit.answer([1, -1])
    with pytest.raises(ValueError):
        audit.answer(np.full(30, 2))
    with pytest.raises(puad.InvalidError):
        audit.answer([1], rows=[next(row for row in range(3000) if row not in audit.rows)])
    with pytest.raises(puad.InvalidError):
        detector.audit(X, checks=0)


def test_the_file_of_the_program_is_read(fitted, tmp_path):
    detector, X, truth = fitted
    detector.save(tmp_path / "m.safetensors")
    np.save(tmp_path / "X.npy", X)
    text = program("query", tmp_path / "m.safetensors", tmp_path / "X.npy", "--audit", "30", "--quiet").splitlines()
    place = text[0].split(",").index("label")
    lines = [text[0]]
    for line in text[1:]:
        cells = line.split(",")
        cells[place] = "1" if truth[int(cells[0])] else "-1"
        lines.append(",".join(cells))
    (tmp_path / "audit.csv").write_text("\n".join(lines) + "\n")
    read = detector.audit(X, answers=tmp_path / "audit.csv")
    own = detector.audit(X)
    assert (read.rows == own.rows).all()
    assert (read.decide().flags == own.answer(truth[own.rows]).decide().flags).all()
    with pytest.raises(puad.InvalidError):
        detector.audit(X[:-1], answers=tmp_path / "audit.csv")
