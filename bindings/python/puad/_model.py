"""A trained model: the library's detector with scorers that threads borrow, its facts, and its bytes."""
from __future__ import annotations

import ctypes
import json
import threading
from ctypes import byref, c_double, c_size_t, c_void_p

import numpy as np

from . import _library as c
from ._calls import Options
from ._rows import Images, Path, Table


def array_of(pointer, count: int) -> np.ndarray:
    """A copy of `count` numbers that the library owns."""
    return np.ctypeslib.as_array(pointer, (count,)).copy() if pointer and count else np.empty(0)


INTERRUPTIBLE = 8192  # minimum number of rows for scoring in another thread, where Ctrl-C can stop it


class Model:
    """Any number of threads may use one: each borrows a scorer for a call."""

    def __init__(self, handle: c.Handle, threads: int | None = None, head=None):
        self.handle, self.threads, self.head = handle, threads, head
        self._scorers: list = []
        self._lock = threading.Lock()

    @property
    def pointer(self):
        return self.handle.pointer

    @property
    def _as_parameter_(self):
        return self.handle

    # --- bytes -------------------------------------------------------------------------------------------------

    @classmethod
    def from_bytes(cls, content: bytes, threads=None, head=None) -> "Model":
        return cls(c.make(c.detector_load_memory, c.detector_free, content, len(content)), threads, head)

    def to_bytes(self) -> bytes:
        out, size = c_void_p(), c_size_t()
        with self._lock:
            c.detector_save_memory(byref(out), byref(size), self)
        try:
            return ctypes.string_at(out.value, size.value)
        finally:
            c.free(out)

    def set_remark(self, text: str) -> None:
        with self._lock:
            c.detector_set_remark(self, text.encode())

    def remark(self) -> dict:
        try:
            found = json.loads(c.text(self.info().remark) or "{}")
        except ValueError:  # owned by somebody else
            found = {}
        return found if isinstance(found, dict) else {}

    # --- facts -------------------------------------------------------------------------------------------------

    def info(self):
        """puad_model_info."""
        out = c.sized(c.ModelInfo)
        c.detector_info(self, byref(out))
        return out

    def facts(self) -> dict:
        info, out = self.info(), {}
        for name, kind in c.ModelInfo._fields_[1:]:
            value = getattr(info, name)
            out[name] = c.text(value) if kind is ctypes.c_char_p else value
        return out

    def to_json(self) -> dict:
        out = c_void_p()
        c.detector_to_json(byref(out), self)
        try:
            return json.loads(ctypes.string_at(out.value).decode("utf-8", "replace"))
        finally:
            c.free(out)

    def calibration(self):
        """puad_calibration."""
        out = c.sized(c.Calibration)
        c.detector_calibration(self, byref(out))
        return out

    def column_names(self) -> list:
        return [c.text(self.column(i).name) for i in range(self.info().column_count)]

    def column(self, index: int):
        """A column of the training data as the library describes it."""
        out = c.sized(c.Column)
        c.detector_column(self, byref(out), index)
        return out

    def input_schema(self) -> list:
        """The columns of the input that the model uses; see Detector.input_schema_."""
        found: dict = {}
        for index in range(self.info().column_count):
            column = self.column(index)
            if column.kind == c.COLUMN_UNUSED or column.origin == c.ORIGIN_DERIVED or c.text(column.input) in found:
                continue
            date, category = column.origin == c.ORIGIN_DATE, column.kind == c.COLUMN_CATEGORY
            found[c.text(column.input)] = {
                "name": c.text(column.input),
                "kind": "date" if date else "category" if category else "number",
                "format": c.text(column.format) or None,
                "optional": bool(column.optional),
                "categories": [c.text(c.detector_category(self, index, i)) for i in range(column.category_count)] if category else None,
            }
        return list(found.values())

    def history(self) -> dict:
        """Lists by name, with a row for each epoch of either phase."""
        out = {"phase": [], "epoch": [], "train_loss": [], "valid_loss": [], "seconds": []}
        info = self.info()
        for phase, name, count in ((0, "pretraining", info.pretrain_epochs), (1, "training", info.epochs)):
            for i in range(count):
                row = c.sized(c.Epoch)
                c.detector_epoch(self, byref(row), phase, i)
                out["phase"].append(name)
                for what in ("epoch", "train_loss", "valid_loss", "seconds"):
                    out[what].append(getattr(row, what))
        return out

    # --- scores ------------------------------------------------------------------------------------------------

    def borrow(self) -> c.Handle:
        try:
            return self._scorers.pop()
        except IndexError:
            options = Options({"threads": self.threads}, head=self.head)
            made = c.make(c.scorer_new, c.scorer_free, self, options)
            made._owner = self.handle  # a scorer refers to its model
            return made

    def give_back(self, scorer: c.Handle) -> None:
        self._scorers.append(scorer)

    def score_matrix(self, matrix: np.ndarray, names) -> np.ndarray:
        """Few rows of floats, without a copy. The fastest path, without the drift check, which needs more rows."""
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
        scores = np.empty(rows.rows, np.float32)
        if isinstance(rows, Images):
            work, arguments = self._score_images, (rows, scores, options)
        else:
            work, arguments = self._score_table, (rows, scores, options, names)
        if rows.rows < INTERRUPTIBLE:
            work(*arguments)
        else:
            options.run(work, *arguments)
        return scores

    def _score_images(self, rows: Images, scores: np.ndarray, options: Options) -> None:
        for first in range(0, rows.rows, INTERRUPTIBLE):
            part = Images(rows.pixels[first : first + INTERRUPTIBLE])
            if options.stopped:
                raise c.CancelledError("scoring was stopped")
            scores[first : first + part.rows] = self.score_dataset(self.encode(part, options), part.rows)

    def _score_table(self, rows: Table, scores: np.ndarray, options: Options, names) -> None:
        table, _kept = rows.handle(names=names)
        scorer = self.borrow()
        c.scorer_run_table(scorer, scores.ctypes, rows.rows, table, options)
        self.give_back(scorer)

    def score_dataset(self, data: c.Handle, rows: int) -> np.ndarray:
        scores = np.empty(rows, np.float32)
        scorer = self.borrow()
        c.scorer_run(scorer, scores.ctypes, rows, data)
        self.give_back(scorer)
        return scores

    def score_sample(self, data: c.Handle, most: int) -> np.ndarray:
        """Scores of at most `most` rows of the training dataset, evenly spaced; of all rows for a series."""
        rows, columns = c.dataset_rows(data), dataset_info(data).columns
        if rows <= most or self.info().window > 0:
            return self.score_dataset(data, rows)
        chosen = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
        values = np.ascontiguousarray(np.ctypeslib.as_array(dataset_info(data).values, (rows, columns))[chosen])
        scores = np.empty(most, np.float32)
        scorer = self.borrow()
        c.scorer_run_encoded(scorer, scores.ctypes, values.ctypes, most, columns)
        self.give_back(scorer)
        return scores

    def score_path(self, rows: Path, options: Options) -> np.ndarray:
        stream = c.make(c.stream_open, c.stream_free, self, rows.path, options)
        pieces, block = [], c.sized(c.Block)
        while True:
            c.stream_next(stream)
            c.stream_block(stream, byref(block))
            if block.rows == 0:
                break
            pieces.append(np.ctypeslib.as_array(block.scores, (block.rows,)).copy())
        count = 0
        while note := c.stream_note(stream, count):
            options.notes.append(c.text(note))
            count += 1
        return np.concatenate(pieces) if pieces else np.empty(0, np.float32)

    def encode(self, rows, options: Options, labels=None, names=None) -> c.Handle:
        """A dataset for this model."""
        if isinstance(rows, Path):
            data = c.make(c.dataset_open, c.dataset_free, rows.path, self, options)
        elif isinstance(rows, Images):
            data = images_dataset(rows, labels, options, self)
        else:
            table, _kept = rows.handle(labels, names)
            data = c.make(c.dataset_from_table, c.dataset_free, table, self, options)
        take_notes(data, options)
        return data

    def encode_compared(self, rows, options: Options, labels=None, names=None) -> c.Handle:
        """`encode`, with the warnings of scoring the same rows."""
        data = self.encode(rows, options, labels, names)
        c.detector_compare(self, data, None, options)
        return data


def dataset_info(data: c.Handle):
    """puad_dataset_rows_info, which is valid as long as the dataset."""
    out = c.sized(c.DatasetRowsInfo)
    c.dataset_info(data, byref(out))
    return out


def take_notes(data: c.Handle, options: Options) -> None:
    for i in range(dataset_info(data).note_count):
        options.notes.append(c.text(c.dataset_note(data, i)))


PIXELS = {"u1": c.PIXEL_U8, "u2": c.PIXEL_U16, "f4": c.PIXEL_FLOAT, "f8": c.PIXEL_DOUBLE}


def images_dataset(rows: Images, labels, options: Options, model: "Model | None" = None) -> c.Handle:
    """Images for training, or encoded for a model."""
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
    given = c.sized(c.Pixels)
    given.values, given.type = pixels.ctypes.data, PIXELS[pixels.dtype.kind + str(pixels.dtype.itemsize)]
    given.rows, given.height, given.width, given.channels = shape
    if labels is not None:
        given.labels = labels.ctypes.data_as(ctypes.POINTER(ctypes.c_int8))
    return c.make(c.dataset_from_pixels, c.dataset_free, ctypes.byref(given), model, options)


def training_dataset(rows, options: Options, labels) -> c.Handle:
    """Rows for training."""
    if isinstance(rows, Path):
        data = c.make(c.dataset_open, c.dataset_free, rows.path, None, options)
    elif isinstance(rows, Images):
        data = images_dataset(rows, labels, options)
    else:
        table, _kept = rows.learned(options.values.get("numeric") or ()).handle(labels)
        data = c.make(c.dataset_from_table, c.dataset_free, table, None, options)
    take_notes(data, options)
    return data
