"""libpuad by ctypes: finding the library, and converting failed calls to exceptions.

Every call releases the interpreter lock while it runs. The names are those of the C headers without `puad_`; `_api` has their
signatures, structs and constants, generated from the headers when the package is built.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import c_void_p

from . import _api
from ._api import *  # noqa: F401,F403: structs, callbacks and constants under their names in C, without PUAD_


class PuadError(Exception):
    """Base class of failures of the library; each subclass is also the matching built-in exception."""


class InvalidError(PuadError, ValueError):
    """An argument or an option is wrong."""


class FileError(PuadError, OSError):
    """Opening, reading or writing a file failed."""


class FormatError(PuadError, ValueError):
    """A file is truncated, corrupted or of another kind."""


class OutOfMemoryError(PuadError, MemoryError):
    """Memory ran out, or a size exceeds what this machine can hold."""


class NumericError(PuadError, ArithmeticError, ValueError):
    """A non-finite value occurred in training or scoring, or the trained model is useless (`force=True` keeps it)."""


class CancelledError(PuadError):
    """A callback requested a stop."""


class PuadWarning(UserWarning):
    """A warning of the library; `name` is that of the check, `column` the column it is about, if any."""

    name = column = None


ERRORS = {1: InvalidError, 2: FileError, 3: FormatError, 4: OutOfMemoryError, 5: NumericError, 6: CancelledError}


def failure(status: int) -> Exception:
    """The exception for a status, with the message of this thread's last failed call."""
    text = last_error().decode("utf-8", "replace")
    return ERRORS.get(status, PuadError)(text)


def _raise(status: int) -> int:
    if status:
        raise failure(status)
    return status


def _load() -> ctypes.CDLL:
    given = os.environ.get("PUAD_LIBRARY")
    path = given or str(pathlib.Path(__file__).parent / "lib" / "libpuad.so")
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"puad cannot load its library: {error}") from None


_loaded = _load()
for _name, _takes in _api.CHECKED.items():
    _call = getattr(_loaded, "puad_" + _name)
    _call.restype, _call.argtypes = _raise, _takes
    globals()[_name] = _call
for _name, (_gives, _takes) in _api.PLAIN.items():
    _call = getattr(_loaded, "puad_" + _name)
    _call.restype, _call.argtypes = _gives, _takes
    globals()[_name] = _call


class Handle:
    """An object of the library that is freed with this one."""

    __slots__ = ("pointer", "_free", "_owner", "__weakref__")

    def __init__(self, pointer, free, owner=None):
        self.pointer, self._free, self._owner = pointer, free, owner

    @property
    def _as_parameter_(self):
        """Calls receive the handle itself, so that the arguments of a call in another thread keep it alive."""
        return c_void_p(self.pointer)

    def __del__(self):
        if self.pointer:
            self._free(self.pointer)
            self.pointer = None


def make(new, free, *arguments) -> Handle:
    """Calls `new(out, *arguments)` and owns the result."""
    out = c_void_p()
    new(ctypes.byref(out), *arguments)
    return Handle(out.value, free)


def sized(kind, count: int | None = None):
    """A struct that starts with its size, or an array of them, for the library to fill."""
    made = kind() if count is None else (kind * count)()
    (made if count is None else made[0] if count else kind()).struct_size = ctypes.sizeof(kind)
    return made


def listed(kind, call):
    """All structs that `call(out, index)` fills, up to the index that it rejects."""
    index = 0
    while True:
        made = sized(kind)
        try:
            call(ctypes.byref(made), index)
        except InvalidError:
            return
        yield made
        index += 1


def text(value: bytes | None) -> str:
    return value.decode("utf-8", "replace") if value else ""
