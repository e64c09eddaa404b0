"""Uses the package as a typed program does: `mypy --strict` finds nothing (test_types.py)."""
from __future__ import annotations

import numpy as np

import puad


def ranked(path: str, rows: np.ndarray[tuple[int, int], np.dtype[np.float64]], labels: list[int]) -> list[tuple[float, str]]:
    detector = puad.Detector("puforest", alpha=0.05, seed=1, calibrate=0.2, threads=1)
    detector.fit(rows, labels).save(path)
    again: puad.Detector = puad.load(path)
    scores = again.score_samples(rows)
    flags = again.flag(rows, fdr=0.1)
    decided = again.decide(rows, flag_rate=0.1)
    words: list[str] = again.explain(rows, words=2)
    share: float = float(puad.prior(rows, labels))
    names: dict[str, str] = puad.methods()
    columns = [column["name"] for column in again.input_schema_]
    print(share, len(names), columns, decided.report, flags.sum(), puad.metrics.pu_auroc(labels, scores, share))
    return [(float(score), word) for score, word in zip(scores, words)]
