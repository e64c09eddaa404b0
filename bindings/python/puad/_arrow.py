"""Tables through the Arrow C data interface (polars, pyarrow, DuckDB ...), read without these packages.

An object offers `__arrow_c_stream__` or `__arrow_c_array__`; the result is a struct array whose children are the columns. Numbers
without missing values are used without a copy.
"""
from __future__ import annotations

import ctypes
import datetime
import re
import zoneinfo
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p

import numpy as np


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


class Stream(ctypes.Structure):
    pass


Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", c_void_p),
    ("private_data", c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class Released:
    """A struct of the interface that is released when it is no longer referenced."""

    def __init__(self, kind):
        self.struct = kind()

    def __del__(self):
        if self.struct.release:
            ctypes.CFUNCTYPE(None, c_void_p)(self.struct.release)(ctypes.addressof(self.struct))


NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4", "g": "f8"}


def is_arrow(data) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _memory(address, count, dtype, owner):
    """`count` elements at an address; the array keeps their owner alive."""
    dtype = np.dtype(dtype)
    if not address or count == 0:
        return np.empty(count, dtype)
    buffer = (ctypes.c_byte * (count * dtype.itemsize)).from_address(address)
    buffer._owner = owner
    return np.frombuffer(buffer, dtype)


def _valid(array, owner):
    """The validity mask; None if all elements are valid."""
    if array.null_count == 0 or not array.n_buffers or not array.buffers[0]:
        return None
    end = array.offset + array.length
    bits = np.unpackbits(_memory(array.buffers[0], (end + 7) // 8, "u1", owner), bitorder="little")
    return bits[array.offset : end].astype(bool)


def _texts(format, array, owner):
    """Strings of any layout as objects, None where missing."""
    count, offset = array.length, array.offset
    valid = _valid(array, owner)
    if format in ("vu", "vz"):  # views: a length, then the bytes themselves (up to 12) or a prefix, a buffer and an offset
        views = _memory(array.buffers[1], (offset + count) * 4, "i4", owner).reshape(-1, 4)[offset:]
        sizes = _memory(array.buffers[array.n_buffers - 1], array.n_buffers - 3, "i8", owner)
        blocks = [_memory(array.buffers[2 + i], int(size), "u1", owner).tobytes() for i, size in enumerate(sizes)]
        inline = views.tobytes()
        pieces = [
            inline[16 * i + 4 : 16 * i + 4 + size] if size <= 12 else blocks[block][start : start + size]
            for i, (size, _, block, start) in enumerate(views.tolist())
        ]
    else:
        ends = _memory(array.buffers[1], offset + count + 1, "i8" if format in ("U", "Z") else "i4", owner)[offset:].tolist()
        data = _memory(array.buffers[2], ends[-1] if ends else 0, "u1", owner).tobytes()
        pieces = [data[ends[i] : ends[i + 1]] for i in range(count)]
    return [piece.decode("utf-8", "replace") if valid is None or valid[i] else None for i, piece in enumerate(pieces)]


def _masked(values, valid):
    if valid is None:
        return values
    values = values.astype("f4" if values.dtype == "f4" else "f8")
    values[~valid] = np.nan
    return values


def _times(values, format, valid):
    """Dates and times as ISO strings, which are categories."""
    if format == "tdD":
        stamps = values.astype("M8[D]")
    elif format == "tdm":
        stamps = values.astype("M8[ms]").astype("M8[D]")
    else:
        stamps = values.astype(f"M8[{ {'s': 's', 'm': 'ms', 'u': 'us', 'n': 'ns'}[format[2]] }]")
    zone = format.split(":", 1)[1] if format.startswith("ts") and ":" in format else ""
    if zone:
        return _zoned(values, stamps, zone, valid)
    texts = np.datetime_as_string(stamps).tolist()
    if format.startswith("tt"):
        texts = [text[11:] for text in texts]
    return [text if valid is None or valid[i] else None for i, text in enumerate(texts)]


def _zoned(values, stamps, zone, valid):
    """Times with a zone as local time with the offset from UTC, in pandas' format."""
    zoned = datetime.timezone.utc if zone in ("UTC", "Z") else _fixed(zone) or zoneinfo.ZoneInfo(zone)
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    instants, codes = np.unique(stamps, return_inverse=True)
    texts = []
    for instant in instants:
        seconds = int(instant.astype("M8[s]").astype("i8"))
        offset = (epoch + datetime.timedelta(seconds=seconds)).astimezone(zoned).utcoffset()
        shown = np.datetime_as_string(instant + np.timedelta64(int(offset.total_seconds()), "s"))
        minutes = int(offset.total_seconds()) // 60
        texts.append(f"{shown}{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}")
    return [texts[code] if valid is None or valid[i] else None for i, code in enumerate(codes.reshape(-1).tolist())]


def _fixed(zone):
    found = re.fullmatch(r"([+-])(\d\d):?(\d\d)", zone)
    if not found:
        return None
    offset = datetime.timedelta(hours=int(found[2]), minutes=int(found[3]))
    return datetime.timezone(-offset if found[1] == "-" else offset)


def _decimals(format, array, owner):
    """Decimal numbers, integers of 4 to 32 bytes over a power of ten, as the nearest floats."""
    parts = [int(part) for part in format[2:].split(",")]
    scale, size = 10 ** abs(parts[1]), (parts[2] if len(parts) > 2 else 128) // 8
    content = _memory(array.buffers[1], (array.offset + array.length) * size, "u1", owner).tobytes()
    whole = [int.from_bytes(content[i * size : (i + 1) * size], "little", signed=True) for i in range(array.offset, array.offset + array.length)]
    values = np.array([number / scale if parts[1] >= 0 else number * scale for number in whole], np.float64)
    return _masked(values, _valid(array, owner))


SECONDS = {"s": 1, "m": 1e3, "u": 1e6, "n": 1e9}


def _column(schema, array, owner):
    """A column as a NumPy array of numbers, a list of strings, or (strings, codes) of a dictionary."""
    format = schema.format.decode()
    if schema.dictionary:
        codes = np.asarray(_memory(array.buffers[1], array.offset + array.length, NUMBERS[format], owner)[array.offset :], np.intp)
        valid = _valid(array, owner)
        words = _column(schema.dictionary.contents, array.dictionary.contents, owner)
        words = [None if word is None else str(word) for word in (words.tolist() if isinstance(words, np.ndarray) else words)]
        codes = codes if valid is None else np.where(valid, codes, -1)
        missing = [i for i, word in enumerate(words) if word is None]
        return ([word or "" for word in words], np.where(np.isin(codes, missing), -1, codes) if missing else codes)
    if format in NUMBERS:
        values = _memory(array.buffers[1], array.offset + array.length, NUMBERS[format], owner)[array.offset :]
        return _masked(values, _valid(array, owner))
    if format == "b":
        valid = _valid(array, owner)
        end = array.offset + array.length
        bits = np.unpackbits(_memory(array.buffers[1], (end + 7) // 8, "u1", owner), bitorder="little")[array.offset : end]
        return [None if valid is not None and not valid[i] else "True" if bit else "False" for i, bit in enumerate(bits)]
    if format in ("u", "U", "vu"):
        return _texts(format, array, owner)
    if format[:2] in ("td", "ts", "tt"):
        wide = "i4" if format in ("tdD", "tts", "ttm") else "i8"
        values = _memory(array.buffers[1], array.offset + array.length, wide, owner)[array.offset :]
        return _times(values.astype("i8"), format, _valid(array, owner))
    if format.startswith("tD"):  # a duration
        values = _memory(array.buffers[1], array.offset + array.length, "i8", owner)[array.offset :]
        return _masked(values / SECONDS[format[2]], _valid(array, owner))
    if format.startswith("d:"):
        return _decimals(format, array, owner)
    if format == "n":
        return np.full(array.length, np.nan)
    name = (schema.name or b"").decode()
    raise TypeError(f"column '{name}' has the Arrow type '{format}', expected numbers, strings, booleans, dates, durations or dictionaries")


def _join(pieces):
    """Concatenates the chunks of one column."""
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    if isinstance(pieces[0], list):
        return [text for piece in pieces for text in piece]
    places: dict = {}
    codes = []
    for texts, own in pieces:
        moved = np.array([places.setdefault(text, len(places)) for text in texts] + [-1], np.intp)
        codes.append(moved[own])
    return (list(places), np.concatenate(codes))


def read(data) -> tuple[list, list, int]:
    """Names, columns (see `_column`) and the number of rows."""
    schema, chunks = Released(Schema), []
    if hasattr(data, "__arrow_c_stream__"):
        capsule = data.__arrow_c_stream__()
        stream = Stream.from_address(_pointer_of(capsule, b"arrow_array_stream"))
        _check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema.struct)))
        while True:
            chunk = Released(Array)
            _check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(chunk.struct)))
            if not chunk.struct.release:
                break
            chunks.append(chunk)
    else:
        held_schema, held = data.__arrow_c_array__()
        schema = type("Held", (), {"struct": Schema.from_address(_pointer_of(held_schema, b"arrow_schema"))})
        chunks = [type("Held", (), {"struct": Array.from_address(_pointer_of(held, b"arrow_array")), "capsules": (held_schema, held)})]
    if schema.struct.format != b"+s":
        raise TypeError("the Arrow data are one array, expected a table or a record batch")
    count = schema.struct.n_children
    kinds = [schema.struct.children[i].contents for i in range(count)]
    names = [(kind.name or b"").decode() for kind in kinds]
    chunks = [chunk for chunk in chunks if chunk.struct.length] or chunks[:1]
    rows = sum(chunk.struct.length for chunk in chunks)
    if not chunks:
        return names, [np.empty(0)] * count, 0
    columns = [_join([_column(kinds[i], chunk.struct.children[i].contents, chunk) for chunk in chunks]) for i in range(count)]
    return names, columns, rows


def _check(stream, code):
    if code:
        message = stream.get_last_error(ctypes.byref(stream))
        raise ValueError(f"the Arrow stream failed: {message.decode('utf-8', 'replace') if message else code}")
