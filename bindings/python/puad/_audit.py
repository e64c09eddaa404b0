"""Audits: a guarantee for flagged rows from a few rows that a person checks."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _library as c


@dataclass
class Audited:
    """The result of an audit.

    `flags` are the rows to flag. The expected fraction of false alarms among them is at most `rate`; with the requested confidence it is
    at most `limit`. `precision`, `recall` and `alpha` are tuples (estimate, low, high), NaN if the audit cannot estimate them.
    `lowest_rate` is the smallest rate that the answers support. `checks_for_rate` is the approximate number of checks for half the rate
    (for the rate itself, if only checked rows are flagged), `checks_for_rows` that for half as many rows again; 0 if no number is enough.
    """

    flags: np.ndarray
    threshold: float
    rate: float
    round_rate: float
    limit: float
    lowest_rate: float
    lowest_rate_flagged: int
    checked: int
    anomalies: int
    unanswered: int
    checks_for_rate: int
    checks_for_rows: int
    precision: tuple
    recall: tuple
    alpha: tuple


class Audit:
    """Rows to check, sampled at random from scored rows by a known design; created by `Detector.audit`.

    `rows` are the numbers of the rows to check in this round, in data order, and `probability` is the sampling probability of each.
    """

    def __init__(self, scores: np.ndarray, checks: int, rate: float, rounds: int, model: Any, seed: int, answers=None):
        self._scores = np.ascontiguousarray(scores, np.float32)
        address, count = self._scores.ctypes.data, len(self._scores)
        if answers is None:
            plan = c.AuditPlan(ctypes.sizeof(c.AuditPlan), checks, rounds, rate, 0.0, seed, model.pointer)
            self._audit = c.make(c.audit_new, c.audit_free, address, count, ctypes.byref(plan))
        else:
            paths = [os.fsencode(path) for path in ([answers] if isinstance(answers, (str, os.PathLike)) else answers)]
            self._audit = c.make(c.audit_read, c.audit_free, address, count, (ctypes.c_char_p * len(paths))(*paths), len(paths))
        self._begin = 0

    def _drawn(self) -> list:
        found = []
        for i in range(c.audit_count(self._audit)):
            row = c.AuditRow(ctypes.sizeof(c.AuditRow))
            c.audit_get(self._audit, i, ctypes.byref(row))
            found.append(row)
        last = found[-1].round
        return sorted((row for row in found if row.round == last), key=lambda row: row.row)

    @property
    def rows(self) -> np.ndarray:
        return np.array([row.row for row in self._drawn()], np.intp)

    @property
    def probability(self) -> np.ndarray:
        return np.array([row.probability for row in self._drawn()])

    def answer(self, labels: Any, rows: Any = None) -> "Audit":
        """Answers for `rows` (default: those of this round): 1 an anomaly, -1 or 0 a normal row, NaN unknown, which counts as normal."""
        rows = np.ascontiguousarray(self.rows if rows is None else rows, np.uintp)
        given = np.asarray(labels, float)
        if given.shape != rows.shape:
            raise ValueError(f"{given.size} answers for {rows.size} rows")
        if not np.isin(given[~np.isnan(given)], (-1, 0, 1)).all():
            raise ValueError("answers are 1 (anomaly), -1 or 0 (normal) or NaN (unknown)")
        coded = np.where(np.isnan(given), 0, np.where(given == 1, 1, -1)).astype(np.int8)
        c.audit_answer(self._audit, rows.ctypes.data, coded.ctypes.data, len(rows))
        return self

    def next_round(self) -> "Audit":
        """Draws the rows of the next planned round."""
        c.audit_continue(self._audit)
        return self

    def decide(self, fdr: float | None = None, confidence: float = 0.9) -> Audited:
        """Chooses the threshold. Choose `fdr` before you see the answers; default: that of the audit."""
        result = c.AuditResult(ctypes.sizeof(c.AuditResult))
        c.audit_decide(self._audit, 0.0 if fdr is None else fdr, confidence, ctypes.byref(result))
        flags = self._scores >= result.threshold  # NaN: none
        for i in range(c.audit_count(self._audit)):
            row = c.AuditRow(ctypes.sizeof(c.AuditRow))
            c.audit_get(self._audit, i, ctypes.byref(row))
            flags[row.row] = c.audit_flags(self._audit, row.row)
        values = {name: getattr(result, name) for name, _ in c.AuditResult._fields_ if name not in ("struct_size", "flagged", "point_count")}
        for name in ("precision", "recall", "alpha"):
            values[name] = (values[name].value, values[name].low, values[name].high)
        return Audited(flags=flags, **values)
