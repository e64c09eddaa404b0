"""The training data that a Detector remembers, and matching the columns of new rows to it."""
from __future__ import annotations

import numbers
import threading
import warnings

import numpy as np

from . import _library as c
from ._model import array_of, dataset_info
from ._rows import Table


def frame(columns: dict):
    """A pandas frame if pandas is installed, else the dict itself."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


SAMPLE_MAX = 65536  # maximum number of training rows from which the threshold is computed
KEPT_MAX = 1 << 24  # maximum number of values of training rows kept for decision_scores_
QUANTILES = 1025


class Training:
    """Facts about the training rows: their scores, for thresholds, and the rows themselves if there are not too many.

    `sample` has ascending scores: of the rows held out by `calibrate`, else of the training rows. `expected` is the fraction of them to
    flag if `contamination` is not given.
    """

    def __init__(self, sample=None, expected=None, flagging=None, known=None):
        self.sample, self.expected, self.flagging, self.known = sample, expected, flagging, known
        self.data = self.model = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, model, data=None) -> "Training":
        held = model.calibration()
        held_out = array_of(held.unlabeled, held.unlabeled_count)
        alpha = held.alpha if held.alpha > 0 else model.info().alpha  # of training if unknown, or if none are hidden
        expected = alpha if alpha > 0 else 0.1
        if len(held_out):
            made = cls(np.sort(held_out), expected)
        elif data is None:
            return cls()
        else:
            labels = _labels(data)
            expected = (expected * np.count_nonzero(labels == 0) + np.count_nonzero(labels == 1)) / max(len(labels), 1)
            made = cls(np.sort(model.score_sample(data, SAMPLE_MAX)), expected)
        complete = data is not None and c.dataset_rows(data) == dataset_info(data).rows_read  # not a sample of a large file
        if complete and c.dataset_rows(data) * dataset_info(data).columns <= KEPT_MAX:
            made.data, made.model = data, model
        return made

    def scores(self) -> np.ndarray:
        with self._lock:
            if self.known is None:
                if self.data is None:
                    raise AttributeError("the scores of the training rows are not kept in copies, in files, and of many rows; score_samples(X) has them")
                self.known = self.model.score_dataset(self.data, c.dataset_rows(self.data))
                self.data = self.model = None
            return self.known

    def threshold(self, contamination) -> float:
        check_contamination(contamination)
        if self.flagging is None or self.flagging[0] != contamination:
            if self.sample is None:
                raise AttributeError("the model file has no calibration and no scores of its training: use score_samples, or train with calibrate=")
            self.flagging = (contamination, _exceeded_by(self.sample, self.expected if contamination is None else contamination))
        return self.flagging[1]

    def state(self, contamination) -> dict:
        """The state of copies and files, in plain types: a summary of the scores, and the threshold."""
        if self.sample is None:
            return {}
        sample = self.sample
        if len(sample) > QUANTILES:
            sample = np.quantile(sample, np.linspace(0, 1, QUANTILES))
        return {"sample": [float(score) for score in sample], "expected": float(self.expected), "flagging": [contamination, self.threshold(contamination)]}

    @classmethod
    def from_state(cls, state: dict) -> "Training":
        if not state:
            return cls()
        return cls(np.array(state["sample"], np.float32), state["expected"], tuple(state["flagging"]))


def check_contamination(share) -> None:
    if share is not None and not (isinstance(share, numbers.Real) and 0 < share < 1):
        raise ValueError(f"contamination is {share!r}, expected a fraction between 0 and 1")


def _labels(data) -> np.ndarray:
    labels, rows = dataset_info(data).labels, c.dataset_rows(data)
    return np.ctypeslib.as_array(labels, (rows,)) if labels and rows else np.zeros(rows, np.int8)


def _exceeded_by(scores: np.ndarray, share: float) -> float:
    """A threshold that the fraction `share` of the ascending scores exceeds: half way to the next score."""
    ordered = scores[::-1].astype(np.float64)
    count = min(max(int(round(share * len(ordered))), 1), len(ordered))
    if count == len(ordered):
        return float(np.nextafter(ordered[-1], -np.inf))
    return float((ordered[count - 1] + ordered[count]) / 2)


class Columns:
    """Matches columns of new rows: by name if both sides have names, in any order; else by position."""

    def _names(self, model):
        """The names of the training columns; None if they are matched by position."""
        if "feature_names_in_" in self.__dict__:
            return list(self.feature_names_in_)
        names = model.column_names()
        if not names or names == [f"column_{i + 1}" for i in range(len(names))]:
            return None
        return names

    def _match(self, model, rows):
        """Names for a table to score: its own, or the model's by position. Rejects tables that cannot be matched."""
        if not isinstance(rows, Table):
            return None
        known = self._names(model)
        if rows.rows == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {rows.width})) while a minimum of 1 is required.")
        if known is not None and rows.names is not None:
            return None
        if rows.names is not None:
            warnings.warn(f"X has feature names, but {type(self).__name__} was fitted without feature names", UserWarning, stacklevel=4)
            rows.names = None
        if rows.width != self.n_features_in_:
            raise ValueError(f"X has {rows.width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input.")
        if known is not None:
            warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names", UserWarning, stacklevel=4)
        return known

    @property
    def _by_matrix(self) -> bool:
        return "feature_names_in_" not in self.__dict__

    def _reading(self) -> dict:
        """Options for reading rows to score: file format, and threads."""
        values = {"threads": self._threads()}
        for name in ("header", "decimal", "delimiter", "features"):
            if name in self._extra:
                values[name] = self._extra[name]
        return values
