"""libpuad by ctypes: where it is, what its calls take, and what a failed call becomes.

Every call releases the interpreter's lock while it runs. The names are those of the C headers without `puad_`.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int8, c_size_t, c_ssize_t, c_uint, c_void_p


class PuadError(Exception):
    """What a call of the library failed with; every one below is also the built-in exception that fits."""


class InvalidError(PuadError, ValueError):
    """An argument or an option is wrong."""


class FileError(PuadError, OSError):
    """The system refused to open, read or write something."""


class FormatError(PuadError, ValueError):
    """A file is not what it should be: cut, corrupted or of another kind."""


class OutOfMemoryError(PuadError, MemoryError):
    """Memory ran out, or a size is beyond what this machine can hold."""


class NumericError(PuadError, ArithmeticError, ValueError):
    """Training or scoring met a value that is not finite, or the finished model is of no use (`force=True` keeps it)."""


class CancelledError(PuadError):
    """A callback asked to stop."""


class PuadWarning(UserWarning):
    """What the library wants people to know and does not fail for; `name` is that of the guard, `column` the column it is about, if any."""

    name = column = None


ERRORS = {1: InvalidError, 2: FileError, 3: FormatError, 4: OutOfMemoryError, 5: NumericError, 6: CancelledError}


class Progress(ctypes.Structure):
    """puad_progress: what a progress callback is told."""

    _fields_ = [
        ("pretraining", c_int),
        ("epoch", c_size_t),
        ("epochs", c_size_t),
        ("batch", c_size_t),
        ("batches", c_size_t),
        ("train_loss", c_double),
        ("valid_loss", c_double),
        ("best_epoch", c_size_t),
        ("seconds", c_double),
    ]


class Figure(ctypes.Structure):
    """puad_figure: an estimate with its 95% band."""

    _fields_ = [("value", c_double), ("low", c_double), ("high", c_double), ("raw", c_double)]


class AuditPlan(ctypes.Structure):
    """puad_audit_plan."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("checks", c_size_t),
        ("rounds", c_size_t),
        ("rate", c_double),
        ("alpha", c_double),
        ("seed", ctypes.c_uint64),
    ]


class AuditRow(ctypes.Structure):
    """puad_audit_row."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("row", c_size_t),
        ("round", c_size_t),
        ("stratum", c_size_t),
        ("probability", c_double),
        ("score", c_float),
        ("label", c_int8),
    ]


class AuditEstimate(ctypes.Structure):
    """puad_audit_estimate."""

    _fields_ = [("value", c_double), ("low", c_double), ("high", c_double)]


class AuditResult(ctypes.Structure):
    """puad_audit_result."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("checked", c_size_t),
        ("anomalies", c_size_t),
        ("unanswered", c_size_t),
        ("flagged", c_size_t),
        ("threshold", c_double),
        ("rate", c_double),
        ("round_rate", c_double),
        ("limit", c_double),
        ("lowest_rate", c_double),
        ("lowest_rate_flagged", c_size_t),
        ("checks_for_rate", c_size_t),
        ("checks_for_rows", c_size_t),
        ("precision", AuditEstimate),
        ("recall", AuditEstimate),
        ("alpha", AuditEstimate),
    ]


class Warned(ctypes.Structure):
    """puad_warning."""

    _fields_ = [("name", c_char_p), ("column", c_char_p), ("text", c_char_p)]


class Losses(ctypes.Structure):
    """puad_losses: what a score costs either way, and the slopes."""

    _fields_ = [("neg", c_double), ("pos", c_double), ("neg_slope", c_double), ("pos_slope", c_double)]


class LossPair(ctypes.Structure):
    """puad_loss_pair."""

    Call = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Losses), c_double)
    _fields_ = [("name", c_char_p), ("title", c_char_p), ("evaluate", Call), ("context", c_void_p)]


class ObjectiveOptions(ctypes.Structure):
    """puad_objective_options."""

    _fields_ = [
        ("alpha", c_double),
        ("weight", c_int),
        ("balance", c_int),
        ("soft", c_int),
        ("eta", c_double),
        ("training_anomalies", c_size_t),
        ("training_normals", c_size_t),
    ]


class Batch(ctypes.Structure):
    """puad_objective_batch."""

    _fields_ = [
        ("rows", c_size_t),
        ("labels", POINTER(c_int8)),
        ("losses", POINTER(Losses)),
        ("unlabeled", c_size_t),
        ("anomalies", c_size_t),
        ("normals", c_size_t),
        ("options", POINTER(ObjectiveOptions)),
        ("weights", POINTER(c_double)),
        ("scratch", c_void_p),
    ]


class Objective(ctypes.Structure):
    """puad_objective."""

    Call = ctypes.CFUNCTYPE(c_double, c_void_p, POINTER(Batch))
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("labels", c_uint),
        ("options", c_char_p),
        ("scratch_per_row", c_size_t),
        ("evaluate", Call),
        ("context", c_void_p),
    ]


class OwnHead(ctypes.Structure):
    """puad_own_head."""

    Call = ctypes.CFUNCTYPE(c_double, c_void_p, POINTER(c_float), POINTER(c_float), c_size_t, POINTER(c_float), c_size_t)
    _fields_ = [
        ("name", c_char_p),
        ("reads_code", c_int),
        ("evaluate", Call),
        ("losses", POINTER(LossPair)),
        ("context", c_void_p),
    ]


ProgressCall = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
NoteCall = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)
WarningCall = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Warned))

_P = c_void_p  # an object of the library, or an array by its address
_OUT = POINTER(c_void_p)

# Calls that return a status, checked; then calls that return a value.
_CHECKED = {
    "options_new": [_OUT],
    "stop_new": [_OUT],
    "options_set": [_P, c_char_p, c_char_p],
    "options_add": [_P, c_char_p, c_char_p],
    "options_take_input": [_P, _P],
    "table_new": [_OUT, c_size_t],
    "table_add_doubles": [_P, c_char_p, _P, c_ssize_t],
    "table_add_floats": [_P, c_char_p, _P, c_ssize_t],
    "table_add_texts": [_P, c_char_p, _P, c_ssize_t],
    "table_add_double_matrix": [_P, _P, _P, c_size_t, c_ssize_t, c_ssize_t],
    "table_add_float_matrix": [_P, _P, _P, c_size_t, c_ssize_t, c_ssize_t],
    "table_set_labels": [_P, _P],
    "dataset_open": [_OUT, c_char_p, _P],
    "dataset_open_for": [_OUT, _P, c_char_p, _P],
    "dataset_from_table": [_OUT, _P, _P],
    "dataset_from_table_for": [_OUT, _P, _P, _P],
    "dataset_from_pixels": [_OUT, _P, c_int, c_size_t, c_size_t, c_size_t, c_size_t, _P],
    "dataset_from_pixels_for": [_OUT, _P, _P, c_int, c_size_t, c_size_t, c_size_t, c_size_t, _P],
    "dataset_add_answer_list": [_P, _P, _P, c_size_t],
    "detector_fit": [_OUT, _P, _P],
    "detector_refit": [_OUT, _P, _P, _P],
    "detector_save": [_P, c_char_p],
    "detector_load": [_OUT, c_char_p],
    "detector_save_memory": [_OUT, POINTER(c_size_t), _P],
    "detector_load_memory": [_OUT, c_char_p, c_size_t],
    "detector_set_remark": [_P, c_char_p],
    "detector_option": [_P, c_size_t, _P, c_char_p],
    "detector_to_json": [_OUT, _P],
    "detector_part": [_P, c_size_t, _P, c_size_t],
    "detector_column_describe": [_P, c_size_t, _P, c_size_t],
    "export_onnx": [_P, c_char_p, _P],
    "scorer_new": [_OUT, _P, _P],
    "scorer_run": [_P, _P, c_size_t, _P],
    "scorer_run_table": [_P, _P, c_size_t, _P, _P],
    "detector_compare": [_P, _P, _P, _P],
    "scorer_run_encoded": [_P, _P, _P, c_size_t, c_size_t],
    "scorer_explain": [_P, _P, _P, c_size_t],
    "scorer_explain_columns": [_P, _P, c_size_t, _P, c_size_t],
    "scorer_because": [_P, _P, c_size_t, c_size_t, _P, c_size_t],
    "scorer_column_name": [_P, _P, c_size_t, c_size_t],
    "scorer_take": [_P, _P, c_size_t, _P, c_size_t],
    "stream_open": [_OUT, _P, c_char_p, _P],
    "stream_next": [_P],
    "decide": [_P, _P, _P, _P, c_size_t, _P, _P],
    "decider_new": [_OUT, _P, _P],
    "decider_count": [_P, _P, c_size_t],
    "decider_settle": [_P],
    "decider_known": [_P, _P, _P, _P, c_size_t, c_size_t],
    "operating_new": [_OUT, _P, c_size_t, _P],
    "prior_estimate": [_OUT, _P, _P],
    "query_choose": [_P, POINTER(c_size_t), c_size_t, _P, _P, _P],
    "audit_new": [_P, _P, c_size_t, POINTER(AuditPlan)],
    "audit_read": [_P, _P, c_size_t, POINTER(c_char_p), c_size_t],
    "audit_continue": [_P],
    "audit_get": [_P, c_size_t, POINTER(AuditRow)],
    "audit_answer": [_P, _P, _P, c_size_t],
    "audit_decide": [_P, c_double, c_double, POINTER(AuditResult)],
    "roc_new": [_OUT, _P, _P, c_size_t],
    "objective_evaluate": [POINTER(c_double), _P, _P, _P, _P, c_size_t, _P],
}
_PLAIN = {
    "last_error": (c_char_p, []),
    "version": (c_char_p, []),
    "options_free": (None, [_P]),
    "options_set_progress": (None, [_P, ProgressCall, _P]),
    "options_set_stop": (None, [_P, _P]),
    "stop_request": (None, [_P]),
    "stop_free": (None, [_P]),
    "options_set_note": (None, [_P, NoteCall, _P]),
    "options_set_warning": (None, [_P, WarningCall, _P]),
    "options_set_objective": (None, [_P, POINTER(Objective)]),
    "options_set_head": (None, [_P, POINTER(OwnHead)]),
    "option_count": (c_size_t, []),
    "option_find": (c_size_t, [c_char_p]),
    "option_name": (c_char_p, [c_size_t]),
    "option_type_of": (c_int, [c_size_t]),
    "option_group_of": (c_int, [c_size_t]),
    "option_help": (c_char_p, [c_size_t]),
    "option_default": (c_char_p, [c_size_t]),
    "option_choices": (c_char_p, [c_size_t]),
    "table_free": (None, [_P]),
    "dataset_free": (None, [_P]),
    "dataset_rows": (c_size_t, [_P]),
    "dataset_columns": (c_size_t, [_P]),
    "dataset_values": (_P, [_P]),
    "dataset_labels": (_P, [_P]),
    "dataset_is_image": (c_int, [_P]),
    "dataset_column_name": (c_char_p, [_P, c_size_t]),
    "dataset_note_count": (c_size_t, [_P]),
    "dataset_note": (c_char_p, [_P, c_size_t]),
    "dataset_scores": (_P, [_P]),
    "detector_free": (None, [_P]),
    "detector_text": (c_char_p, [_P, c_char_p]),
    "detector_number": (c_double, [_P, c_char_p]),
    "detector_column_count": (c_size_t, [_P]),
    "detector_column_name": (c_char_p, [_P, c_size_t]),
    "fact_count": (c_size_t, []),
    "fact_name": (c_char_p, [c_size_t]),
    "fact_is_text": (c_int, [c_size_t]),
    "method_name": (c_char_p, [c_size_t]),
    "method_title": (c_char_p, [c_size_t]),
    "bytes_free": (None, [_P]),
    "text_free": (None, [_P]),
    "scorer_free": (None, [_P]),
    "stream_free": (None, [_P]),
    "stream_rows": (c_size_t, [_P]),
    "stream_scores": (_P, [_P]),
    "stream_note_count": (c_size_t, [_P]),
    "stream_note": (c_char_p, [_P, c_size_t]),
    "history_count": (c_size_t, [_P, c_int]),
    "history_epoch": (c_double, [_P, c_int, c_size_t]),
    "history_train_loss": (c_double, [_P, c_int, c_size_t]),
    "history_valid_loss": (c_double, [_P, c_int, c_size_t]),
    "history_seconds": (c_double, [_P, c_int, c_size_t]),
    "calibration_unlabeled_count": (c_size_t, [_P]),
    "calibration_anomaly_count": (c_size_t, [_P]),
    "calibration_unlabeled": (_P, [_P]),
    "calibration_anomalies": (_P, [_P]),
    "calibration_alpha": (c_int, [_P, POINTER(c_double), POINTER(c_double), POINTER(c_double)]),
    "audit_free": (None, [_P]),
    "audit_alpha": (c_double, [_P]),
    "audit_count": (c_size_t, [_P]),
    "audit_flags": (c_int, [_P, c_size_t]),
    "decider_free": (None, [_P]),
    "decider_has_p": (c_int, [_P]),
    "decider_has_probability": (c_int, [_P]),
    "decider_threshold": (c_double, [_P]),
    "decider_report": (c_char_p, [_P, c_size_t]),
    "operating_free": (None, [_P]),
    "operating_count": (c_size_t, [_P]),
    "operating_at": (Figure, [_P, c_size_t, c_int]),
    "operating_best_f1": (c_size_t, [_P]),
    "operating_auroc": (Figure, [_P]),
    "operating_alpha": (Figure, [_P]),
    "prior_free": (None, [_P]),
    "prior_number": (c_double, [_P, c_int]),
    "prior_refused": (c_int, [_P]),
    "prior_reason": (c_char_p, [_P]),
    "prior_point_count": (c_size_t, [_P]),
    "prior_points_x": (_P, [_P]),
    "prior_points_y": (_P, [_P]),
    "roc_free": (None, [_P]),
    "roc_auroc": (c_double, [_P]),
    "roc_average_precision": (c_double, [_P]),
    "roc_tpr_at_fpr": (c_double, [_P, c_double]),
    "roc_points": (c_size_t, [_P]),
    "roc_fpr": (c_double, [_P, c_size_t]),
    "roc_tpr": (c_double, [_P, c_size_t]),
    "roc_threshold": (c_float, [_P, c_size_t]),
    "objective_find": (POINTER(Objective), [c_char_p]),
    "objective_at": (POINTER(Objective), [c_size_t]),
    "loss_pair_find": (POINTER(LossPair), [c_char_p]),
    "objective_options_standard": (ObjectiveOptions, []),
    "objective_workspace": (c_size_t, [POINTER(Objective), c_size_t]),
}


def failure(status: int) -> Exception:
    """The exception of a status, with the message that this thread's last failing call left."""
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
for _name, _takes in _CHECKED.items():
    _call = getattr(_loaded, "puad_" + _name)
    _call.restype, _call.argtypes = _raise, _takes
    globals()[_name] = _call
for _name, (_gives, _takes) in _PLAIN.items():
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
        """Calls take the handle itself, so that the arguments of a call that runs in another thread keep it alive."""
        return c_void_p(self.pointer)

    def __del__(self):
        if self.pointer:
            self._free(self.pointer)
            self.pointer = None


def make(new, free, *arguments) -> Handle:
    """Calls `new(out, *arguments)` and owns what it makes."""
    out = c_void_p()
    new(ctypes.byref(out), *arguments)
    return Handle(out.value, free)


def text(value: bytes | None) -> str:
    return value.decode("utf-8", "replace") if value else ""
