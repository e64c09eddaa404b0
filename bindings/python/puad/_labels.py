"""The labels in y: 1 a known anomaly, 0 or missing unlabeled, -1 known to be normal."""
from __future__ import annotations

import warnings

import numpy as np

from sklearn.exceptions import DataConversionWarning

from ._cells import cell_text, is_missing
from ._library import PuadWarning


def _listed(values) -> list:
    if values is None:
        return []
    return list(values) if isinstance(values, (list, tuple, set, np.ndarray)) else [values]


def _key(value):
    """A canonical form that is equal for equal labels: 1, 1.0, True and "1"; None if there is no label."""
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    text = cell_text(value)
    if text is None or is_missing(text):
        return None
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _place(value):
    """An object unchanged; pandas' missing values as None."""
    return None if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value else value


def labels_of(y, rows: int, positive=None, unlabeled=None, negative=None) -> tuple[np.ndarray, np.ndarray]:
    """The labels as int8, and the two values that `predict` returns (not an anomaly, an anomaly)."""
    plain = positive is None and unlabeled is None and negative is None
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning, stacklevel=5)
        values = values[:, 0]
    if values.ndim != 1 or len(values) != rows:
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead; X has {rows} rows")
    if plain and values.dtype.kind in "iub":
        wide = values.astype(np.int64)
        if rows == 0 or (wide.min() >= -1 and wide.max() <= 1):
            return _not_all_anomalies(wide.astype(np.int8)), np.array([0, 1])
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if values.dtype.kind == "O":
        places: dict = {}
        codes = np.array([places.setdefault(_place(value), len(places)) for value in values], np.intp)
        words, kinds = list(places), None
    else:
        kinds, codes = np.unique(values, return_inverse=True)
        words, codes = kinds.tolist(), codes.reshape(-1)
    if any(isinstance(word, float) and np.isinf(word) for word in words):
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    meaning = {}
    for label, given, standard in ((0, unlabeled, 0.0), (-1, negative, -1.0), (1, positive, 1.0)):
        for value in _listed(given) or [standard]:
            meaning[_key(value)] = label
    keys = [_key(word) for word in words]
    strange = [i for i, key in enumerate(keys) if key is not None and key not in meaning]
    if strange and positive is not None and not any(_key(value) in keys for value in _listed(positive)):
        raise ValueError(f"positive is {positive!r}, and y has no such value; it has {_shown(words)}")
    if strange and positive is not None and unlabeled is None:
        meaning.update((keys[i], 0) for i in strange)  # values that are not named are unlabeled
    elif strange and plain and len(words) == 2 and None not in keys and all(isinstance(key, float) for key in keys):
        if kinds is None:
            words, codes = (words, codes) if words[0] < words[1] else (words[::-1], 1 - codes)
            kinds = np.array(words)
        warnings.warn(
            f"y has the values {words[0]!r} and {words[1]!r}: {words[1]!r} is used for known anomalies and {words[0]!r} for unlabeled rows; "
            "positive= and negative= set their meaning",
            PuadWarning,
            stacklevel=4,
        )
        return np.array([0, 1], np.int8)[codes], kinds
    elif strange:
        raise ValueError(_unknown(words[strange[0]], words, plain))
    return _not_all_anomalies(np.array([0 if key is None else meaning[key] for key in keys], np.int8)[codes]), np.array([0, 1])


def _not_all_anomalies(labels: np.ndarray) -> np.ndarray:
    if 2 * np.count_nonzero(labels == -1) > len(labels):
        warning = PuadWarning("most rows have y = -1, known to be normal: use 0 or NaN for rows that nobody checked (elsewhere -1 means outlier or unlabeled)")
        warning.name = "many_normals"
        warnings.warn(warning, stacklevel=5)
    if len(labels) and labels.min() == 1:
        raise ValueError("y has only one class: all rows are known anomalies, so there are no other rows to compare them with")
    return labels


def _shown(words) -> str:
    return ", ".join(repr(word) for word in words[:6]) + (" ..." if len(words) > 6 else "")


def _unknown(word, words, plain) -> str:
    if plain and len(words) > 2 and any(isinstance(one, float) and one != int(one) for one in words if one == one):
        return "Unknown label type: continuous. y is 1 (known anomaly), 0 or NaN (unlabeled), -1 (known normal)"
    more = "Only binary classification is supported. The type of the target is multiclass. " if len(words) > 2 else ""
    return (
        f"{more}Unknown label {word!r} in y, expected 1 (known anomaly), 0 or NaN (unlabeled), -1 (known normal); positive=, unlabeled= and "
        "negative= name other values"
    )
