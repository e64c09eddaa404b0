"""Custom objectives and score heads, as in <puad/objective.h> and <puad/detector.h>: Python callables, or compiled functions.

A compiled one (a numba `cfunc`, a ctypes function, an address) has the C signature and runs without the interpreter; use it for
large data.
"""
from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as c

USES = {"unlabeled": 1, "anomalies": 2, "normals": 4, "alpha": 8}


def _compiled(kind, call):
    """A C function from a ctypes function, a numba cfunc or an address; None for a Python callable."""
    if isinstance(call, kind):
        return call
    if hasattr(call, "address"):
        return kind(call.address)
    if isinstance(call, int):
        return kind(call)
    if isinstance(call, ctypes._CFuncPtr):
        return kind(ctypes.cast(call, ctypes.c_void_p).value)
    return None


def _array(pointer, count, dtype):
    if not pointer or not count:
        return np.empty(0, dtype)
    return np.ctypeslib.as_array(pointer, (count,))


class _Own:
    """The C struct is created when first needed, and not pickled."""

    failure = None

    @property
    def struct(self):
        if "_struct" not in self.__dict__:
            self._struct = self._make()
        return self._struct

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_struct", "failure", "_pair", "_calls")}

    def _guard(self, work, otherwise):
        """An exception must not pass through C: it is stored, and NaN ends the training."""
        try:
            return work()
        except BaseException as error:
            self.failure = error
            return otherwise


class Objective(_Own):
    """An objective: combines the losses of a mini-batch to one loss.

    `evaluate(neg, pos, labels, alpha)` receives each row's loss as a normal row and as an anomaly, and its label (1, 0, -1). It returns
    the loss and its derivatives by `neg` and by `pos`.

    >>> import numpy as np, puad
    >>> def mean_of_unlabeled(neg, pos, labels, alpha):
    ...     weight = (labels == 0) / max((labels == 0).sum(), 1)
    ...     return (weight * neg).sum(), weight, np.zeros_like(weight)
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> detector = puad.Detector("ae", objective=puad.Objective("mine", mean_of_unlabeled, uses=["unlabeled"]), steps=20).fit(X)
    >>> len(detector.score_samples(X))
    300
    """

    def __init__(self, name: str, evaluate: Any, uses: Any = ("unlabeled", "anomalies"), title: str = "") -> None:
        self.name, self.evaluate, self.uses, self.title = name, evaluate, list(uses), title or name
        unknown = [one for one in self.uses if one not in USES]
        if unknown:
            raise ValueError(f"uses has {unknown[0]!r}, expected {', '.join(USES)}")

    def _make(self):
        call = _compiled(c.ObjectiveEvaluate, self.evaluate) or c.ObjectiveEvaluate(self._call)
        labels = sum(USES[one] for one in set(self.uses))
        return c.Objective(self.name.encode(), self.title.encode(), labels, b"", 0, call, None)

    def _call(self, _context, batch):
        return self._guard(lambda: self._evaluate(batch.contents), float("nan"))

    def _evaluate(self, batch):
        rows = batch.rows
        losses = np.ctypeslib.as_array(ctypes.cast(batch.losses, ctypes.POINTER(ctypes.c_double)), (rows, 4))
        weights = np.ctypeslib.as_array(ctypes.cast(batch.weights, ctypes.POINTER(ctypes.c_double)), (rows, 2))
        loss, neg, pos = self.evaluate(losses[:, 0], losses[:, 1], _array(batch.labels, rows, np.int8), batch.options.contents.alpha)
        weights[:, 0], weights[:, 1] = neg, pos
        return float(loss)


class Head(_Own):
    """A score head: one score from the network's output for a row.

    `evaluate(values, row)` receives the embedding or the reconstruction, and the row itself; it returns the score and its derivatives by
    `values`. `losses` is the loss pair of a score: the name of a built-in pair, or a callable from the score to (loss as normal, loss as
    anomaly, and the slopes of both).

    >>> import numpy as np, puad
    >>> def largest_error(values, row):
    ...     error = values - row
    ...     slopes = np.zeros_like(error); worst = np.abs(error).argmax()
    ...     slopes[worst] = 2 * error[worst]
    ...     return error[worst] ** 2, slopes
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> detector = puad.Detector("ae", head=puad.Head("largest", largest_error), steps=10).fit(X)
    >>> len(detector.score_samples(X))
    200
    """

    def __init__(self, name: str, evaluate: Any, reads: str = "reconstruction", losses: Any = "reconstruction") -> None:
        if reads not in ("code", "reconstruction"):
            raise ValueError(f"reads is {reads!r}, expected 'code' or 'reconstruction'")
        self.name, self.evaluate, self.reads, self.losses = name, evaluate, reads, losses

    def _make(self):
        call = _compiled(c.OwnHeadEvaluate, self.evaluate) or c.OwnHeadEvaluate(self._call)
        return c.OwnHead(self.name.encode(), self.reads == "code", call, self._losses(), None)

    def _losses(self):
        if isinstance(self.losses, str):
            found = c.loss_pair_find(self.losses.encode())
            if not found:
                raise ValueError(f"there is no loss pair {self.losses!r}")
            return found
        call = _compiled(c.LossPairEvaluate, self.losses) or c.LossPairEvaluate(self._cost)
        self._pair = c.LossPair(self.name.encode(), self.name.encode(), call, None)
        return ctypes.pointer(self._pair)

    def _cost(self, _context, out, score):
        neg, pos, neg_slope, pos_slope = self._guard(lambda: self.losses(score), [float("nan")] * 4)
        out.contents.neg, out.contents.pos, out.contents.neg_slope, out.contents.pos_slope = neg, pos, neg_slope, pos_slope

    def _call(self, _context, slopes, values, count, row, columns):
        return self._guard(lambda: self._evaluate(slopes, values, count, row, columns), float("nan"))

    def _evaluate(self, slopes, values, count, row, columns):
        score, found = self.evaluate(_array(values, count, np.float32), _array(row, columns, np.float32))
        if slopes:
            _array(slopes, count, np.float32)[:] = found
        return float(score)

