"""How well scores rank anomalies, from the truth or from positive and unlabeled rows."""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as c


class Roc:
    """The ROC curve of scores (larger = more anomalous) against the truth (1 or True is an anomaly, all else is normal).

    >>> from puad.metrics import Roc
    >>> curve = Roc([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.5])
    >>> curve.auroc, round(curve.average_precision, 4)
    (0.75, 0.8333)
    """

    def __init__(self, truth: Any, scores: Any) -> None:
        scores = np.ascontiguousarray(scores, np.float32)
        truth = np.ascontiguousarray(np.asarray(truth) == 1, np.int8)
        if scores.ndim != 1 or scores.shape != truth.shape:
            raise ValueError(f"{truth.shape} labels and {scores.shape} scores, expected one of each for every row")
        self._handle = c.make(c.roc_new, c.roc_free, scores.ctypes.data, truth.ctypes.data, len(scores))

    @property
    def auroc(self) -> float:
        return self._metrics().auroc

    @property
    def average_precision(self) -> float:
        return self._metrics().average_precision

    def tpr_at_fpr(self, fpr: float) -> float:
        return c.roc_tpr_at_fpr(self._handle.pointer, fpr)

    def curve(self) -> tuple:
        """False positive rates, true positive rates and thresholds."""
        points, point = [], c.sized(c.RocPoint)
        for i in range(self._metrics().points):
            c.roc_at(self._handle, ctypes.byref(point), i)
            points.append((point.fpr, point.tpr, point.threshold))
        return tuple(np.array(column) for column in zip(*points))

    def _metrics(self):
        out = c.sized(c.RocMetrics)
        c.roc_summary(self._handle, ctypes.byref(out))
        return out


def auroc(truth: Any, scores: Any) -> float:
    """Area under the ROC curve; ties count half, NaN if one of the classes is empty."""
    return Roc(truth, scores).auroc


def average_precision(truth: Any, scores: Any) -> float:
    """Sum of precision x increase of recall."""
    return Roc(truth, scores).average_precision


def tpr_at_fpr(truth: Any, scores: Any, fpr: float = 0.05) -> float:
    """The largest true positive rate at a false positive rate of at most `fpr`."""
    return Roc(truth, scores).tpr_at_fpr(fpr)


def pu_auroc(y: Any, scores: Any, alpha: float) -> float:
    """AUROC of anomalies against normal rows from labels that are positive (1) or missing (0 or NaN), if the fraction alpha of the
    unlabeled rows is anomalous: (AUC of positive against unlabeled - alpha / 2) / (1 - alpha), at most 1.

    >>> from puad.metrics import pu_auroc
    >>> pu_auroc([1, 1, 0, 0, 0, 0], [3, 4, 4, 1, 0, 1], alpha=0.25)
    0.9166666666666666
    """
    y = np.asarray(y, float)
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha is {alpha!r}, expected a fraction of at least 0 and below 1")
    used = ~(y == -1)
    plain = auroc(y[used] == 1, np.asarray(scores)[used])
    return min((plain - alpha / 2) / (1 - alpha), 1.0)


def pu_scorer(alpha: float) -> Any:
    """A scorer for GridSearchCV and cross_val_score: `pu_auroc` with a given alpha. It needs no known normal rows.

    Use the same alpha for all candidates, otherwise their scores are not comparable."""
    return PuScorer(alpha)


class PuScorer:
    """The result of `pu_scorer`; a class, so that it can be pickled."""

    def __init__(self, alpha: float):
        self.alpha = alpha

    def __call__(self, estimator, X, y) -> float:
        scores = estimator.score_samples(X) if hasattr(estimator, "score_samples") else estimator.decision_function(X)
        return pu_auroc(y, scores, self.alpha)

    def __repr__(self) -> str:
        return f"pu_scorer(alpha={self.alpha})"
