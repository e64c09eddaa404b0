"""A trained model: the library's detector with the scorers that threads borrow, its facts, and its bytes."""
from __future__ import annotations

import ctypes
import json
import threading
from ctypes import byref, c_double, c_size_t, c_void_p

import numpy as np

from . import _library as c
from ._calls import Options
from ._rows import Images, Path, Table


def floats_at(address, count: int, dtype=np.float32) -> np.ndarray:
    """A copy of `count` numbers that the library keeps."""
    if not address or count == 0:
        return np.empty(0, dtype)
    kind = {4: ctypes.c_float, 8: c_double}[np.dtype(dtype).itemsize]
    return np.ctypeslib.as_array((kind * count).from_address(address)).copy()


class Model:
    """Any number of threads may use one: each borrows a scorer for a call."""

    def __init__(self, handle: c.Handle, threads: int | None = None, head=None):
        self.handle, self.threads, self.head = handle, threads, head
        self._scorers: list = []
        self._lock = threading.Lock()

    @property
    def pointer(self):
        return self.handle.pointer

    # --- bytes -------------------------------------------------------------------------------------------------

    @classmethod
    def from_bytes(cls, content: bytes, threads=None, head=None) -> "Model":
        return cls(c.make(c.detector_load_memory, c.detector_free, content, len(content)), threads, head)

    def to_bytes(self) -> bytes:
        out, size = c_void_p(), c_size_t()
        c.detector_save_memory(byref(out), byref(size), self.pointer)
        try:
            return ctypes.string_at(out.value, size.value)
        finally:
            c.bytes_free(out)

    def __reduce__(self):
        return (Model.from_bytes, (self.to_bytes(), self.threads, self.head))

    # --- facts -------------------------------------------------------------------------------------------------

    def facts(self) -> dict:
        out = {}
        for i in range(c.fact_count()):
            name = c.fact_name(i)
            out[name.decode()] = c.text(c.detector_text(self.pointer, name)) if c.fact_is_text(i) else c.detector_number(self.pointer, name)
        return out

    def to_json(self) -> dict:
        out = c_void_p()
        c.detector_to_json(byref(out), self.pointer)
        try:
            return json.loads(ctypes.string_at(out.value).decode("utf-8", "replace"))
        finally:
            c.text_free(out)

    def column_names(self) -> list:
        return [c.text(c.detector_column_name(self.pointer, i)) for i in range(c.detector_column_count(self.pointer))]

    def history(self) -> dict:
        """Lists by name, a row for each epoch of either phase."""
        out = {"phase": [], "epoch": [], "train_loss": [], "valid_loss": [], "seconds": []}
        for phase, name in enumerate(("pretraining", "training")):
            for i in range(c.history_count(self.pointer, phase)):
                out["phase"].append(name)
                out["epoch"].append(int(c.history_epoch(self.pointer, phase, i)))
                for what in ("train_loss", "valid_loss", "seconds"):
                    out[what].append(getattr(c, "history_" + what)(self.pointer, phase, i))
        return out

    # --- scores ------------------------------------------------------------------------------------------------

    def borrow(self) -> c.Handle:
        try:
            return self._scorers.pop()
        except IndexError:
            options = Options({"threads": self.threads}, head=self.head)
            return c.make(c.scorer_new, c.scorer_free, self.pointer, options.pointer)

    def give_back(self, scorer: c.Handle) -> None:
        self._scorers.append(scorer)

    def score_matrix(self, matrix: np.ndarray, names) -> np.ndarray:
        """Rows of floats, read where they lie. The shortest way, for calls with few rows."""
        rows = matrix.shape[0]
        scores = np.empty(rows, np.float32)
        table = c_void_p()
        c.table_new(byref(table), rows)
        try:
            add = c.table_add_float_matrix if matrix.dtype.char == "f" else c.table_add_double_matrix
            add(table, names, matrix.ctypes.data, matrix.shape[1], *matrix.strides)
            scorer = self.borrow()
            c.scorer_run_table(scorer.pointer, scores.ctypes.data, rows, table, None)
            self._scorers.append(scorer)
        finally:
            c.table_free(table)
        return scores

    def score(self, rows, options: Options, names=None) -> np.ndarray:
        if isinstance(rows, Path):
            return self.score_path(rows, options)
        if isinstance(rows, Images):
            return self.score_dataset(self.encode(rows, options), rows.rows)
        table, _kept = rows.handle(names=names)
        scores = np.empty(rows.rows, np.float32)
        scorer = self.borrow()
        c.scorer_run_table(scorer.pointer, scores.ctypes.data, rows.rows, table.pointer, options.pointer)
        self.give_back(scorer)
        return scores

    def score_dataset(self, data: c.Handle, rows: int) -> np.ndarray:
        scores = np.empty(rows, np.float32)
        scorer = self.borrow()
        c.scorer_run(scorer.pointer, scores.ctypes.data, rows, data.pointer)
        self.give_back(scorer)
        return scores

    def score_path(self, rows: Path, options: Options) -> np.ndarray:
        stream = c.make(c.stream_open, c.stream_free, self.pointer, rows.path.encode(), options.pointer)
        pieces = []
        while True:
            c.stream_next(stream.pointer)
            count = c.stream_rows(stream.pointer)
            if count == 0:
                break
            pieces.append(floats_at(c.stream_scores(stream.pointer), count))
        for i in range(c.stream_note_count(stream.pointer)):
            options.notes.append(c.text(c.stream_note(stream.pointer, i)))
        return np.concatenate(pieces) if pieces else np.empty(0, np.float32)

    def encode(self, rows, options: Options, labels=None, names=None) -> c.Handle:
        """A dataset for this model."""
        if isinstance(rows, Path):
            data = c.make(c.dataset_open_for, c.dataset_free, self.pointer, rows.path.encode(), options.pointer)
        elif isinstance(rows, Images):
            data = images_dataset(rows, labels, self)
        else:
            table, _kept = rows.handle(labels, names)
            data = c.make(c.dataset_from_table_for, c.dataset_free, self.pointer, table.pointer, options.pointer)
        take_notes(data, options)
        return data


def take_notes(data: c.Handle, options: Options) -> None:
    for i in range(c.dataset_note_count(data.pointer)):
        options.notes.append(c.text(c.dataset_note(data.pointer, i)))


PIXELS = {"u1": 0, "u2": 1, "f4": 2, "f8": 3}


def images_dataset(rows: Images, labels, model: "Model | None" = None) -> c.Handle:
    """Images to learn from, or read as those of the model's training were."""
    pixels = rows.pixels
    kind = pixels.dtype.kind + str(pixels.dtype.itemsize)
    if pixels.dtype.kind == "b":
        pixels = pixels.astype(np.float32)
    elif kind not in PIXELS:
        if pixels.dtype.kind not in "iuf":
            raise TypeError(f"images of {pixels.dtype}, expected numbers")
        pixels = pixels.astype(np.float64)
    pixels = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder("="))
    shape = pixels.shape if pixels.ndim == 4 else (*pixels.shape, 1)
    address = labels.ctypes.data if labels is not None else None
    given = (pixels.ctypes.data, PIXELS[pixels.dtype.kind + str(pixels.dtype.itemsize)], *shape, address)
    if model is None:
        return c.make(c.dataset_from_pixels, c.dataset_free, *given)
    return c.make(c.dataset_from_pixels_for, c.dataset_free, model.pointer, *given)


def training_dataset(rows, options: Options, labels) -> c.Handle:
    """Rows to learn from."""
    if isinstance(rows, Path):
        data = c.make(c.dataset_open, c.dataset_free, rows.path.encode(), options.pointer)
    elif isinstance(rows, Images):
        data = images_dataset(rows, labels)
    else:
        table, _kept = rows.handle(labels)
        data = c.make(c.dataset_from_table, c.dataset_free, table.pointer, options.pointer)
    take_notes(data, options)
    return data
