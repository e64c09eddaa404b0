"""From scores to decisions: p-values, flags, the operating table, explanations, queries, the fraction of hidden anomalies."""
from __future__ import annotations

import ctypes
import os
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _library as c
from ._audit import Audit
from ._calls import Options, log
from ._model import array_of, dataset_info, training_dataset
from ._rows import Images, Path, rows_of
from ._state import frame

DECISION = np.dtype(c.Decision)  # the layout of puad_decision
FIGURES = ("recall", "fpr", "precision", "f1")
PRIOR = ("alpha", "low", "high", "alpha_all", "alpha_all_low", "alpha_all_high", "auroc", "auroc_low", "auroc_high")


@dataclass
class Decided:
    """A decision about rows: `flags`, `p_values`, `probabilities` (NaN if the model cannot estimate them), and `report`: the guarantee, its
    assumptions, and the reason if nothing is flagged."""

    flags: np.ndarray
    p_values: np.ndarray
    probabilities: np.ndarray
    report: list

    def __str__(self) -> str:
        return "\n".join(self.report)


@dataclass
class Prior:
    """The fraction of anomalies hidden among the unlabeled rows, with an interval of at least 95%.

    If alpha is not identifiable, `refused` is True and `reason` says why. `points` is the evidence: the fraction of known anomalies
    above a threshold, and the fraction of unlabeled rows above it divided by that, which converges to alpha.
    """

    alpha: float
    low: float
    high: float
    refused: bool
    reason: str
    numbers: dict
    points: tuple

    def __float__(self) -> float:
        return self.alpha


class Decisions:
    """Methods of a Detector that use scores. All except `explain` and `query` need a model trained with `calibrate`."""

    def _decide(self, model, scores: np.ndarray, **options) -> Decided:
        scores = np.ascontiguousarray(scores, np.float32)
        rows = len(scores)
        how = Options(options)
        calibrated = model.calibration().unlabeled_count > 0
        if not calibrated and "threshold" not in options:
            raise ValueError("the model has no held-out rows: p-values and flags need Detector(calibrate=0.2)")
        decisions = np.zeros(rows, DECISION)
        decisions["struct_size"][:1] = DECISION.itemsize
        c.detector_decide(model, decisions.ctypes, scores.ctypes, rows, how)
        made = Decided(decisions["flagged"].astype(bool), decisions["p"].copy(), decisions["probability"].copy(), [])
        if set(options) & {"fdr", "flag_rate", "threshold"}:
            made.report = self._report(model, scores, Options(options))
        how.tell(stacklevel=5)
        return made

    def _report(self, model, scores: np.ndarray, how: Options) -> list:
        """A message of the library about a decision, with the names of these calls."""
        decider = c.make(c.decider_new, c.decider_free, model, how)
        c.decider_count(decider, scores.ctypes.data, len(scores))
        c.decider_settle(decider)
        lines: list = []
        while line := c.text(c.decider_report(decider, len(lines))):
            lines.append(line)
        return [re.sub(r"option '(\w+)(=[^']*)?'", lambda found: found[1] + (found[2] or "="), line) for line in lines]

    def p_values(self, X: Any, kind: str = "corrected") -> np.ndarray:
        """The p-value of each row against the held-out rows: small = anomalous.

        "corrected" accounts for the anomalies hidden among the held-out rows (asymptotic); "plain" is conformal, valid and conservative.
        """
        model = self._fitted()
        return self._decide(model, self._score(model, X), p_values=kind).p_values

    def flag(
        self, X: Any, fdr: float | None = None, *, flag_rate: float | None = None, threshold: float | None = None, p_values: str = "corrected"
    ) -> np.ndarray:
        """Which rows to flag, as booleans: at a false discovery rate (default 0.1), at a flag rate ("alpha" for the estimate), or above a
        score. Rows that are decided together must be passed together.

        If no row is flagged, a `PuadWarning` says why; `decide` also reports the guarantee for flagged rows.
        """
        made = self.decide(X, fdr, flag_rate=flag_rate, threshold=threshold, p_values=p_values)
        if len(made.flags) and not made.flags.any():
            warning = c.PuadWarning(next((line for line in made.report if line.startswith("no row")), "no row is flagged"))
            warning.name = "nothing flagged"
            warnings.warn(warning, stacklevel=2)
        for line in made.report:
            log.info(line)
        return made.flags

    def decide(
        self, X: Any, fdr: float | None = None, *, flag_rate: float | None = None, threshold: float | None = None, p_values: str = "corrected"
    ) -> Decided:
        """Like `flag`, with all details: flags, p-values, probabilities and a report of the guarantee and its assumptions.

        >>> import numpy as np, puad
        >>> X = np.random.default_rng(0).normal(size=(2000, 3)); X[:300] += 4
        >>> y = np.zeros(2000); y[:100] = 1
        >>> decided = puad.Detector(calibrate=0.3, alpha="auto").fit(X, y).decide(X, fdr=0.1)
        >>> "the expected fraction of false alarms is at most 0.1" in str(decided)
        True
        """
        chosen = {"fdr": fdr, "flag_rate": flag_rate, "threshold": threshold}
        chosen = {name: value for name, value in chosen.items() if value is not None} or {"fdr": 0.1}
        model = self._fitted()
        return self._decide(model, self._score(model, X), **chosen, p_values=p_values)

    def calibration(self) -> dict:
        """The held-out scores, `unlabeled` and `anomalies`, and alpha with its interval."""
        return self._calibration(self._fitted())

    @staticmethod
    def _calibration(model) -> dict:
        held = model.calibration()
        return {
            "unlabeled": array_of(held.unlabeled, held.unlabeled_count),
            "anomalies": array_of(held.anomalies, held.anomaly_count),
            "alpha": held.alpha,
            "alpha_low": held.alpha_low,
            "alpha_high": held.alpha_high,
        }

    def operate(self, points: int = 64, alpha: float | None = None) -> Any:
        """The operating table: what each threshold would do, estimated without labeled normal rows. A pandas frame (a dict without pandas)
        with `threshold`, `flagged`, `recall`, `fpr`, `precision`, `f1` and the ends of their 95% bands (`recall_low` ...). If alpha is not
        identifiable, there is a warning, and `fpr`, `precision` and `f1` are NaN."""
        model = self._fitted()
        how = Options({**self._drawing(), "alpha": alpha})
        table = how.run(c.make, c.operating_new, c.operating_free, model, points, how)
        how.tell()
        about = c.sized(c.OperatingInfo)
        c.operating_summary(table, ctypes.byref(about))
        rows = [c.sized(c.OperatingPoint) for _ in range(about.count)]
        for i, row in enumerate(rows):
            c.operating_at(table, ctypes.byref(row), i)
        columns: dict = {name: [getattr(row, name) for row in rows] for name in ("threshold", "flagged")}
        for name in FIGURES:
            for part in ("value", "low", "high"):
                columns[name if part == "value" else f"{name}_{part}"] = [getattr(getattr(row, name), part) for row in rows]
        made = frame(columns)
        if hasattr(made, "attrs"):
            made.attrs = {
                "best_f1": about.best_f1,
                "auroc": (about.auroc.value, about.auroc.low, about.auroc.high),
                "alpha": (about.alpha.value, about.alpha.low, about.alpha.high),
            }
        return made

    def explain(self, X: Any, words: int | None = None) -> Any:
        """The contribution of each column to the score of each row: fractions that sum to 1, a pandas frame (an array without pandas). Images
        have a column per pixel.

        With `words`, a list of strings instead: the `words` largest contributions, with the values and what would be typical.
        """
        model = self._fitted()
        how = Options(self._reading())
        rows = rows_of(X)
        data = model.encode_compared(rows, how, names=self._match(model, rows))
        how.tell()
        scorer = model.borrow()
        try:
            if words is not None:
                return self._because(model, scorer, data, words)
            shares, names = self._shares(model, scorer, data)
        finally:
            model.give_back(scorer)
        made = frame({name: shares[:, i] for i, name in enumerate(names)})
        if hasattr(made, "index") and hasattr(X, "index") and len(X.index) == len(made):
            made.index = X.index
        return made

    def heat_map(self, image) -> np.ndarray:
        """How unusual each place of a photograph is: standard deviations above the mean of usual patches, height x width floats.

        For a detector with a backbone. `image` is the path of an image file, or an array of bytes: height x width, or height x width x 3.
        """
        model = self._fitted()
        if isinstance(image, (str, os.PathLike)):
            made = c.make(c.heat_map_read, c.heat_map_free, model, os.fsencode(image))
        else:
            pixels = np.ascontiguousarray(image)
            if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3):
                raise ValueError("heat_map takes a path, or an array of uint8, height x width or height x width x 3")
            shape = (*pixels.shape, 1)[:3]
            made = c.make(c.heat_map_new, c.heat_map_free, model, pixels.ctypes.data, *shape)
        info = c.sized(c.HeatMapInfo)
        c.heat_map_get(made, ctypes.byref(info))
        return np.ctypeslib.as_array(info.heat, (info.height, info.width)).copy()

    def _taken(self, model, scorer, data):
        """The model's input for each row, as an address and a size: the row, or in a series the window around it."""
        info = dataset_info(data)
        columns, values = info.columns, ctypes.cast(info.values, ctypes.c_void_p).value
        rows = range(c.dataset_rows(data))
        if not model.info().window:
            return columns, (values + 4 * i * columns for i in rows)
        columns = model.info().columns
        window = np.empty(columns, np.float32)

        def windows():
            for i in rows:
                c.scorer_take(scorer, window.ctypes.data, columns, data, i)
                yield window.ctypes.data

        return columns, windows()

    def _because(self, model, scorer, data, words: int) -> list:
        columns, taken = self._taken(model, scorer, data)
        reasons, count = c.sized(c.Reason, max(words, 1)), ctypes.c_size_t()
        room, texts = ctypes.create_string_buffer(256 * max(words, 1)), []
        for row in taken:
            c.scorer_reasons(scorer, reasons, words, ctypes.byref(count), row, columns)
            c.reasons_text(reasons, count, room, len(room))
            texts.append(c.text(room.value))
        return texts

    def _shares(self, model, scorer, data):
        rows = c.dataset_rows(data)
        columns, taken = self._taken(model, scorer, data)
        names = model.column_names()
        if names:
            shares = np.zeros((rows, len(names)), np.float32)
            for i, row in enumerate(taken):
                c.scorer_explain_columns(scorer, shares[i].ctypes.data, len(names), row, columns)
            return shares, names
        shares, room = np.zeros((rows, columns), np.float32), ctypes.create_string_buffer(256)
        for i, row in enumerate(taken):
            c.scorer_explain(scorer, shares[i].ctypes.data, row, columns)
        for i in range(columns):
            c.detector_value_name(model, room, len(room), i)
            names.append(c.text(room.value))
        return shares, names

    def _drawing(self) -> dict:
        return {name: value for name, value in self._library_options().items() if name in ("seed", "threads")}

    def query(self, X: Any, k: int = 10, y: Any = None) -> np.ndarray:
        """At most k rows of X for a person to check next: high scores, and different from each other. Rows with labels in y are not proposed.
        Pass the answers to `refit`."""
        from ._labels import labels_of

        model = self._fitted()
        rows = rows_of(X)
        labels = None
        if y is not None:
            labels, _ = labels_of(y, rows.rows, self.positive, self.unlabeled, self.negative)
        how = Options(self._drawing())
        data = model.encode_compared(rows, how, labels, self._match(model, rows))
        chosen = np.empty(k, np.uintp)
        count = ctypes.c_size_t()
        how.run(c.query_choose, model, chosen.ctypes, k, ctypes.byref(count), data, how)
        how.tell()
        return chosen[: count.value].astype(np.intp)

    def audit(
        self,
        X: Any = None,
        checks: int = 30,
        fdr: float = 0.1,
        *,
        rounds: int = 1,
        seed: int = 0,
        answers: Any = None,
        scores: Any = None,
    ) -> Audit:
        """Samples rows of X for a person to check, for a guarantee that makes no assumptions about labels, model or drift. The model needs no
        calibration. `answers` reads files that `puad query --audit` wrote and a person filled in; the other arguments then come from them.
        `scores` instead of X: scores of this model that were computed elsewhere, such as on a cluster.

        >>> import numpy as np, puad
        >>> X = np.random.default_rng(0).normal(size=(2000, 3)); X[:200] += 4
        >>> y = np.zeros(2000); y[:50] = 1
        >>> audit = puad.Detector().fit(X, y).audit(X, checks=30, fdr=0.1)
        >>> truth = np.arange(2000) < 200                   # what a person would find
        >>> audited = audit.answer(truth[audit.rows]).decide()
        >>> float((~truth[audited.flags]).mean()) <= audited.limit
        True
        """
        model = self._fitted()
        if (X is None) == (scores is None):
            raise ValueError("expected either X or scores")
        given = self._score(model, X) if scores is None else np.asarray(scores, np.float32)
        if given.ndim != 1:
            raise ValueError(f"expected one score per row, found an array of shape {given.shape}")
        return Audit(given, checks, fdr, rounds, model, seed, answers)


def prior(
    X: Any,
    y: Any = None,
    *,
    positive: Any = None,
    negative: Any = None,
    unlabeled: Any = None,
    seed: int | None = 0,
    threads: int | None = None,
    **options: Any,
) -> Prior:
    """Estimates the fraction of anomalies hidden among the unlabeled rows from these and the known anomalies.

    >>> import numpy as np, puad
    >>> X = np.random.default_rng(0).normal(size=(2000, 3)); X[:300] += 3
    >>> y = np.zeros(2000); y[:100] = 1                 # 200 more are hidden among 1900
    >>> estimate = puad.prior(X, y)
    >>> estimate.low <= 200 / 1900 <= estimate.high
    True
    """
    from .detector import Detector

    rows, labels, values = Detector(positive=positive, negative=negative, unlabeled=unlabeled, seed=seed, threads=threads, **options)._take(X, y)
    how = Options(values)
    data = how.run(training_dataset, rows, how, labels)
    made = how.run(c.make, c.prior_estimate, c.prior_free, data, how)
    how.tell()
    evidence = c.sized(c.PriorEvidence)
    c.prior_result(made, ctypes.byref(evidence))
    numbers = {name: getattr(evidence, {"low": "alpha_low", "high": "alpha_high"}.get(name, name)) for name in PRIOR}
    points = tuple(array_of(numbers_of, evidence.point_count) for numbers_of in (evidence.x, evidence.y))
    return Prior(
        numbers["alpha"], numbers["low"], numbers["high"], bool(evidence.refused), c.text(evidence.reason), numbers, points
    )
