"""Columns of strings and of mixed objects, parsed like the cells of a CSV file: which are numbers, and which are missing."""
from __future__ import annotations

import math
import re

import numpy as np

NUMBER = re.compile(r"[ \t]*[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf|infinity)[ \t]*", re.IGNORECASE)
MISSING = set("na n/a #n/a #na nan -nan null none nil \\n ? - . nat <na> missing".split()) | {""}


def is_missing(text: str) -> bool:
    return text.strip(" \t").lower() in MISSING


def number_text(value: float) -> str:
    """A number as the shortest string that reads back as the same number; strings of categories are made this way."""
    return str(int(value)) if value == math.trunc(value) and abs(value) < 1e15 else repr(float(value))


def cell_text(value) -> str | None:
    """An object as a CSV file would have it; None if it is missing."""
    if isinstance(value, str):
        return value
    if value is None or value != value:  # NaN and NaT differ from themselves
        return None
    if isinstance(value, (bool, np.bool_)):
        return "True" if value else "False"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return number_text(float(value)) if math.isfinite(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (dict, list, tuple, set, np.ndarray)):
        raise TypeError(f"argument must be a string or a number, not {type(value).__name__!r}")
    return str(value)


def factorize(values) -> tuple[list, np.ndarray]:
    """The distinct strings of a sequence of objects, and the index of each object's string (-1: missing)."""
    places: dict = {}
    codes = np.empty(len(values), np.intp)
    for i, value in enumerate(values):
        try:
            known = value is value and value == value  # pandas.NA is neither true nor false
            text = cell_text(value) if known else None
        except (TypeError, ValueError) as error:
            if "argument must be" in str(error):
                raise
            text = None if type(value).__name__ == "NAType" else cell_text_of_odd(value)
        codes[i] = -1 if text is None else places.setdefault(text, len(places))
    return list(places), codes


def cell_text_of_odd(value) -> str:
    raise TypeError(f"argument must be a string or a number, not {type(value).__name__!r}")


def are_codes(texts: list, numeric: np.ndarray, counts: np.ndarray, present: int) -> bool:
    """Whether digits with leading zeros are codes, which are categories: of equal length, or many of them (column_format.c)."""
    digits = [(text.strip(" \t"), int(count)) for text, is_number, count in zip(texts, numeric, counts) if is_number]
    if not all(text.isascii() and text.isdigit() for text, _ in digits):
        return False
    lengths = {len(text) for text, _ in digits}
    leading = sum(count for text, count in digits if len(text) > 1 and text[0] == "0")
    return leading > 0 and max(lengths) >= 3 and (len(lengths) == 1 or 10 * leading >= present)


def numbers_or_texts(texts: list, codes: np.ndarray, forced: bool = False):
    """A column of numbers (float64 with NaN) if the program would read it so, else (strings, codes) unchanged."""
    if len(texts) == 0:
        return (texts, codes)
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    missing = np.array([is_missing(text) for text in texts])
    numeric = np.array([NUMBER.fullmatch(text) is not None for text in texts]) & ~missing
    numbers, others = int(counts[numeric].sum()), int(counts[~numeric & ~missing].sum())
    if not (numbers > 0 and (numbers // 9 >= others or (others == 1 and numbers >= 3))):
        return (texts, codes)
    if not forced and are_codes(texts, numeric, counts, numbers + others):
        return (texts, codes)
    values = np.full(len(texts) + 1, np.nan)
    values[:-1][numeric] = [float(text) for text, is_number in zip(texts, numeric) if is_number]
    return values[codes]


def pointers(texts: list, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An address for each row (0: missing), and the memory of the strings."""
    encoded = [text.encode("utf-8", "replace").replace(b"\0", b" ") + b"\0" for text in texts]
    memory = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
    ends = np.cumsum([len(text) for text in encoded]) if encoded else np.empty(0, np.intp)
    addresses = np.zeros(len(texts) + 1, np.uintp)
    addresses[:-1] = memory.ctypes.data + np.concatenate([[0], ends[:-1]]).astype(np.uintp) if len(texts) else []
    return addresses[codes], memory
