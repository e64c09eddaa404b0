"""What a Detector keeps of its training, and how the columns of new rows are matched with those it knows."""
from __future__ import annotations

import threading
import warnings

import numpy as np

from . import _library as c
from ._model import floats_at
from ._rows import Table


def frame(columns: dict):
    """A pandas frame where pandas is installed, else the dict itself."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


class Training:
    """The training rows until their scores are asked for, then the scores."""

    def __init__(self, data=None, known=None, flagging=None):
        self.data, self.known, self.flagging = data, known, flagging
        self._lock = threading.Lock()

    def scores(self, model) -> np.ndarray:
        with self._lock:
            if self.known is None:
                self.known = model.score_dataset(self.data, c.dataset_rows(self.data.pointer))
            return self.known

    def _labels(self):
        address = c.dataset_labels(self.data.pointer)
        rows = c.dataset_rows(self.data.pointer)
        return np.frombuffer((c.ctypes.c_int8 * rows).from_address(address), np.int8) if address else np.zeros(rows, np.int8)

    def threshold(self, detector) -> float:
        if self.flagging is None or self.flagging[0] != detector.contamination:
            self.flagging = (detector.contamination, self._threshold(detector))
        return self.flagging[1]

    def _threshold(self, detector) -> float:
        model, share = detector._model, detector.contamination
        if share is not None and not 0 < share < 1:
            raise ValueError(f"contamination is {share!r}, expected a share between 0 and 1")
        alpha = detector.calibration()["alpha"]
        if not alpha > 0:  # not known, or none are thought to be hidden
            alpha = detector.alpha_ if detector.alpha_ > 0 else 0.1
        held_out = floats_at(c.calibration_unlabeled(model.pointer), c.calibration_unlabeled_count(model.pointer))
        if len(held_out):
            return _exceeded_by(held_out, share if share is not None else alpha)
        if self.data is None:
            raise AttributeError("a model without a calibration that was loaded from a file has no threshold: use score_samples, or train with calibrate=")
        scores = self.scores(model)
        if share is not None:
            return _exceeded_by(scores, share)
        labels = self._labels()
        expected = alpha * np.count_nonzero(labels == 0) + np.count_nonzero(labels == 1)
        return _exceeded_by(scores, expected / max(len(scores), 1))

    def settled(self, detector) -> "Training":
        """Without the rows, for a pickle."""
        if self.data is None:
            return Training(None, self.known, self.flagging)
        self.threshold(detector)
        return Training(None, self.scores(detector._model), self.flagging)

    def __getstate__(self):
        return {"known": self.known, "flagging": self.flagging}

    def __setstate__(self, state):
        self.__init__(None, **state)


def _exceeded_by(scores: np.ndarray, share: float) -> float:
    """A threshold that the largest `share` of the scores is above: half way to the next score."""
    ordered = np.sort(scores)[::-1].astype(np.float64)
    count = min(max(int(round(share * len(ordered))), 1), len(ordered))
    if count == len(ordered):
        return float(np.nextafter(ordered[-1], -np.inf))
    return float((ordered[count - 1] + ordered[count]) / 2)


class Columns:
    """How new rows are matched: by name where both sides have names, in any order; else by place."""

    def _names(self):
        """The names of the training columns; None where they go by their places."""
        if "feature_names_in_" in self.__dict__:
            return list(self.feature_names_in_)
        names = self._model.column_names()
        if not names or names == [f"column_{i + 1}" for i in range(len(names))]:
            return None
        return names

    def _match(self, rows):
        """Names for a table to score: its own, or the model's by place. Refuses what cannot be matched."""
        if not isinstance(rows, Table):
            return None
        known = self._names()
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
        """Options for reading rows to score: how files are read, and threads."""
        values = {"threads": self.threads}
        for name in ("header", "decimal", "delimiter", "x"):
            if name in self._extra:
                values[name] = self._extra[name]
        return values
