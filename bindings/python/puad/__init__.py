"""Positive-unlabeled anomaly detection: a few anomalies are known, and others hide among the unlabeled rows.

    >>> import puad
    >>> puad.methods()["committee"]
    'ensemble of a positive-unlabeled forest, an isolation forest and nearest neighbors'
"""
from __future__ import annotations

from . import _library, metrics
from ._audit import Audit, Audited
from ._decide import Decided, Prior, prior
from ._library import (
    CancelledError,
    FileError,
    FormatError,
    InvalidError,
    NumericError,
    OutOfMemoryError,
    PuadError,
    PuadWarning,
)
from ._parameters import options_table
from .detector import Detector, load, load_once, loads
from .own import Head, Objective
from .plot import plot_alpha, plot_operating, plot_scores

__version__ = _library.text(_library.version())
__all__ = [
    "Audit",
    "Audited",
    "CancelledError",
    "Detector",
    "FileError",
    "FormatError",
    "Head",
    "InvalidError",
    "NumericError",
    "Objective",
    "OutOfMemoryError",
    "Decided",
    "Prior",
    "PuadError",
    "PuadWarning",
    "load",
    "load_once",
    "loads",
    "methods",
    "metrics",
    "options_table",
    "plot_alpha",
    "plot_operating",
    "plot_scores",
    "prior",
]


def methods() -> dict[str, str]:
    """The detectors by name, with a description."""
    return {_library.text(one.name): _library.text(one.title) for one in _library.listed(_library.Method, _library.method_at)}
