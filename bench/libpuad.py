"""libpuad by ctypes for benches: scores of columns and images in memory."""
import ctypes

import numpy as np


class Pixels(ctypes.Structure):
    """puad_pixels; type 0 is 8-bit."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("values", ctypes.c_void_p), ("type", ctypes.c_int),
                *((name, ctypes.c_size_t) for name in ("rows", "height", "width", "channels")), ("labels", ctypes.c_void_p)]


class Library:
    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        self.calls.puad_last_error.restype = ctypes.c_char_p

    def do(self, name, *arguments):
        if getattr(self.calls, name)(*arguments) != 0:
            raise RuntimeError(f"{name}: {self.calls.puad_last_error().decode()}")


class Scorer:
    """A model and a scorer; scores() starts from raw numbers, like an exported model."""

    def __init__(self, library, path, threads):
        self.library, self.model, self.scorer, options = library, ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        library.do("puad_detector_load", ctypes.byref(self.model), path.encode())
        library.do("puad_options_new", ctypes.byref(options))
        library.do("puad_options_set", options, b"threads", str(threads).encode())
        library.do("puad_scorer_new", ctypes.byref(self.scorer), self.model, options)
        library.calls.puad_options_free(options)

    def table_scores(self, columns):
        """Of a dictionary of columns of doubles."""
        rows = len(next(iter(columns.values())))
        table, scores = ctypes.c_void_p(), np.empty(rows, np.float32)
        self.library.do("puad_table_new", ctypes.byref(table), ctypes.c_size_t(rows))
        for name, values in columns.items():
            self.library.do("puad_table_add_doubles", table, name.encode(), values.ctypes.data_as(ctypes.c_void_p),
                            ctypes.c_ssize_t(values.strides[0]))
        self.library.do("puad_scorer_run_table", self.scorer, scores.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(rows), table, None)
        self.library.calls.puad_table_free(table)
        return scores

    def image_scores(self, pixels):
        """Of rows x height x width x channels bytes."""
        data, scores = ctypes.c_void_p(), np.empty(len(pixels), np.float32)
        images = Pixels(ctypes.sizeof(Pixels), pixels.ctypes.data, 0, *pixels.shape, None)
        self.library.do("puad_dataset_from_pixels", ctypes.byref(data), ctypes.byref(images), self.model, None)
        self.library.do("puad_scorer_run", self.scorer, scores.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(pixels)), data)
        self.library.calls.puad_dataset_free(data)
        return scores
