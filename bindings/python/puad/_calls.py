"""Long calls of the library: options and their callbacks, notes and warnings, progress, and Ctrl-C."""
from __future__ import annotations

import ctypes
import logging
import math
import os
import threading
import warnings

from . import _library as c

GO_ON, FINISH, ABORT = 0, 1, 2
log = logging.getLogger("puad")


def option_text(value) -> str:
    """A value in the form of puad_options_set."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, float) or type(value).__name__.startswith("float"):
        return repr(float(value))
    return str(value)


class Options:
    """A puad_options from keywords, with the callbacks of one call. None leaves the library's default."""

    def __init__(self, values: dict | None = None, progress=None, objective=None, head=None):
        self.handle = c.make(c.options_new, c.options_free)
        self.values = values or {}
        self.notes: list = []  # strings, and PuadWarning
        self.progress, self.stepped = progress, False
        self.stop = c.make(c.stop_new, c.stop_free)  # checked by the library
        self.stopped = False  # the same for loops of this package
        self.failure = None  # an exception raised by a callback of the user
        self._note = c.NoteCall(self._take_note)
        self._warning = c.WarningCall(self._take_warning)
        self._step = c.ProgressCall(self._take_step)
        self._kept = [objective, head]
        for name, value in (values or {}).items():
            self.set(name, value)
        c.options_set_note(self.pointer, self._note, None)
        c.options_set_warning(self.pointer, self._warning, None)
        if objective is not None:
            c.options_set_objective(self.pointer, ctypes.byref(objective.struct))
        if head is not None:
            c.options_set_head(self.pointer, ctypes.byref(head.struct))

    @property
    def pointer(self):
        return self.handle.pointer

    @property
    def _as_parameter_(self):
        return self.handle

    def set(self, name: str, value) -> None:
        if value is None:
            return
        key = name.encode()
        if isinstance(value, (list, tuple, set)):
            for one in value:
                c.options_add(self.pointer, key, option_text(one).encode())
        else:
            c.options_set(self.pointer, key, option_text(value).encode())

    def _take_note(self, _context, _kind, text):
        self.notes.append(c.text(text))

    def _take_warning(self, _context, warned):
        made = c.PuadWarning(c.text(warned.contents.text))
        made.name, made.column = c.text(warned.contents.name), c.text(warned.contents.column) or None
        self.notes.append(made)

    def finish_progress(self) -> None:
        """Methods without epochs report only their single step, when it is complete."""
        if self.progress is not None and not self.stepped:
            self.progress(c.Progress(0, 0, 1, 1, 1, math.nan, math.nan, 0, math.nan))

    def _take_step(self, _context, now):
        self.stepped = True
        try:
            return FINISH if self.progress(now.contents) is False else GO_ON
        except BaseException as error:  # it must not pass through C
            self.failure = error
            return ABORT

    def run(self, call, *arguments):
        """Runs a long call so that Ctrl-C stops it: in another thread, because only the main thread handles signals.

        After Ctrl-C that thread may continue for a while. The arguments are therefore objects that stay alive, never addresses.
        """
        c.options_set_stop(self.pointer, self.stop.pointer)
        if self.progress is not None:
            c.options_set_progress(self.pointer, self._step, None)
        try:
            return interruptible(self, call, arguments)
        except c.PuadError:
            for failure in [self.failure] + [own.failure for own in self._kept if own is not None]:
                if failure is not None:
                    raise failure from None
            raise

    def tell(self, stacklevel: int = 3) -> list:
        """Warnings of the call become Python warnings; its notes go to the logger `puad`. Returns the texts of both."""
        for note in self.notes:
            if isinstance(note, c.PuadWarning):
                warnings.warn(note, stacklevel=stacklevel)
            else:
                log.info(note)
        return [str(note) for note in self.notes]


def interruptible(options: Options, call, arguments):
    if threading.current_thread() is not threading.main_thread():
        return call(*arguments)
    result: list = []
    done = threading.Event()  # Thread.join does not survive an interruption before Python 3.12

    def work():
        try:
            result.append((call(*arguments), None))
        except BaseException as error:
            result.append((None, error))
        done.set()

    threading.Thread(target=work, name="puad", daemon=True).start()
    try:
        while not done.wait(0.5):
            pass
    except KeyboardInterrupt:
        options.stopped = True
        c.stop_request(options.stop.pointer)
        done.wait(10)  # a network stops after its mini-batch, a forest after its tree; the remaining work ends in the background
        raise
    value, error = result[0]
    if error is not None:
        raise error
    return value


class Bar:
    """A tqdm bar over the epochs of a training."""

    def __init__(self):
        from tqdm.auto import tqdm

        self._new, self._bar, self._phase = tqdm, None, None

    def __call__(self, now) -> None:
        phase = "pretraining" if now.pretraining else "training"
        if self._bar is None or phase != self._phase:
            self.close()
            self._bar, self._phase = self._new(total=now.epochs, desc=f"puad {phase}", unit="epoch"), phase
        done = now.epoch + (now.batch == now.batches)
        if done > self._bar.n:
            self._bar.update(done - self._bar.n)
            if math.isfinite(now.valid_loss):
                self._bar.set_postfix(valid_loss=f"{now.valid_loss:.4g}")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
