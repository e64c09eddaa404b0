"""Converts X for the library: arrays, frames, Arrow tables, images and files."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass, field

import numpy as np

from . import _arrow, _library as c
from ._cells import factorize, numbers_or_texts, pointers


class Texts(tuple):
    """(strings, codes) of a column of objects; numbers are not separated from strings yet."""


@dataclass
class Table:
    """Columns in memory. `matrix` has all of them if they are one array of floats."""

    rows: int
    names: list | None  # None: matched by position
    columns: list = field(default_factory=list)  # one-dimensional float arrays, (strings, codes) of categories, or Texts
    matrix: np.ndarray | None = None

    @property
    def width(self) -> int:
        return self.matrix.shape[1] if self.matrix is not None else len(self.columns)

    def learned(self, numeric=()) -> "Table":
        """For training: columns of objects become numbers if the program would read them so, or if `numeric` names them."""
        names = self.names if self.names is not None else [None] * len(self.columns)
        columns = [numbers_or_texts(*column, name in numeric) if isinstance(column, Texts) else column for name, column in zip(names, self.columns)]
        return Table(self.rows, self.names, columns, self.matrix)

    def handle(self, labels: np.ndarray | None = None, names: list | None = None):
        """A puad_table, and the objects that must live as long as it."""
        made = c.make(c.table_new, c.table_free, self.rows)
        names = self.names if names is None else names
        kept = [labels]
        encoded = [str(name).encode() for name in names] if names is not None else [None] * self.width
        if self.matrix is not None:
            m = self.matrix
            add = c.table_add_float_matrix if m.dtype == np.float32 else c.table_add_double_matrix
            array = (ctypes.c_char_p * len(encoded))(*encoded) if names is not None else None
            kept += [m, array]
            add(made.pointer, array, m.ctypes.data, m.shape[1], m.strides[0], m.strides[1])
        for name, column in zip(encoded, self.columns):
            if isinstance(column, tuple):
                addresses, memory = pointers(*column)
                kept += [addresses, memory]
                c.table_add_texts(made.pointer, name, addresses.ctypes.data, 0)
            else:
                kept.append(column)
                add = c.table_add_floats if column.dtype == np.float32 else c.table_add_doubles
                add(made.pointer, name, column.ctypes.data, column.strides[0])
        if labels is not None:
            c.table_set_labels(made.pointer, labels.ctypes.data)
        return made, kept


@dataclass
class Images:
    """Pixels, rows x height x width x channels, of one of the types that the library reads."""

    pixels: np.ndarray

    @property
    def rows(self) -> int:
        return self.pixels.shape[0]


@dataclass
class Path:
    """A file or folder that the library reads itself."""

    path: bytes  # as the system stores it, in any encoding
    names = None


def floats(values: np.ndarray) -> np.ndarray:
    """Numbers in a type that the library reads: floats are not copied, others become the narrowest float type that holds them."""
    if values.dtype in (np.float32, np.float64) and values.dtype.isnative:
        # the library interprets a stride of 0 as contiguous; here it means one repeated value
        return values if all(values.strides) else np.array(values)
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    narrow = values.dtype.kind in "biuf" and values.dtype.itemsize <= 2
    return values.astype(np.float32 if narrow else np.float64)


def _object_column(values):
    return Texts(factorize(values))


def _from_array(X: np.ndarray) -> Table | Images:
    if X.ndim in (3, 4):
        return Images(X)
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {'scalar' if X.ndim == 0 else f'{X.ndim}D'} array instead. Reshape your data: one row per record, "
            "one column per feature. (Images have three or four dimensions.)"
        )
    if X.dtype.kind in "OUS":
        return Table(X.shape[0], None, [_object_column(X[:, i].tolist()) for i in range(X.shape[1])])
    if X.dtype.kind not in "biufc":
        raise TypeError(f"an array of {X.dtype}, expected numbers, texts or objects")
    return Table(X.shape[0], None, matrix=floats(X))


def _pandas_column(series):
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if str(dtype) == "category":
        words = [str(word) for word in series.cat.categories]
        return (words, np.asarray(series.cat.codes, np.intp))
    if isinstance(dtype, np.dtype) and kind in "iufc":
        return floats(series.to_numpy())
    if kind in "iuf":  # nullable
        return floats(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind == "m":
        return series.dt.total_seconds().to_numpy(dtype=np.float64)
    if kind == "M":
        missing = series.isna().to_numpy()
        words, codes = factorize(series.astype(str).tolist())
        return (words, np.where(missing, -1, codes))
    if isinstance(dtype, np.dtype) and kind == "b":
        return (["False", "True"], series.to_numpy().astype(np.intp))
    if kind == "b":
        return factorize([None if value is None or value != value else str(bool(value)) for value in series.astype(object).where(series.notna(), None)])
    return _object_column(series.astype(object).where(series.notna(), None).tolist())


def _is_pandas(X) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns")


def _from_pandas(X) -> Table:
    names = list(X.columns)
    by_place = all(isinstance(name, (int, np.integer)) for name in names)
    kept = None if by_place else [str(name) for name in names]
    if len(X) <= 1024 and set(X.dtypes) == {np.dtype(np.float64)}:  # few columns: one array, even if copied, is faster than single columns
        return Table(len(X), kept, matrix=floats(X.to_numpy()))
    return Table(len(X), kept, [_pandas_column(X.iloc[:, i]) for i in range(len(names))])


def _from_arrow(X) -> Table:
    names, columns, rows = _arrow.read(X)
    made = []
    for column in columns:
        if isinstance(column, np.ndarray):
            made.append(floats(column))
        else:
            made.append(column if isinstance(column, tuple) else Texts(factorize(column)))
    return Table(rows, names, made)


def rows_of(X) -> Table | Images | Path:
    """Any X as one of the three kinds."""
    if isinstance(X, np.ndarray):
        return _from_array(X)
    if isinstance(X, (str, bytes, os.PathLike)):
        return Path(os.fsencode(X))
    if hasattr(X, "tocsr") or type(X).__module__.startswith("scipy.sparse"):
        raise TypeError("sparse data are not supported; X.toarray() makes them dense")
    if type(X).__module__.split(".")[0] == "dask":
        raise TypeError("Dask collections are not supported: X.compute() makes a frame, X.map_partitions scores its parts (examples/score_dask.py)")
    if _is_pandas(X):
        return _from_pandas(X)
    if _arrow.is_arrow(X):
        return _from_arrow(X)
    return _from_array(np.asarray(X))


def column_of(X, name: str):
    """The column `name` of a frame or Arrow table, and the others."""
    if _is_pandas(X):
        return X[name], X.drop(columns=[name])
    if hasattr(X, "get_column") and hasattr(X, "drop"):  # polars
        return X.get_column(name).to_list(), X.drop(name)
    if hasattr(X, "column_names") and hasattr(X, "drop_columns"):  # pyarrow
        return X.column(name).to_pylist(), X.drop_columns([name])
    raise TypeError(f"y is {name!r}, the name of a column, and {type(X).__name__} has no named columns")
