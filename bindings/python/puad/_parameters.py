"""The keywords of Detector: those of the library's option table that affect training, and a few of this package."""
from __future__ import annotations

import inspect
import operator
import os
from typing import Any

from sklearn.base import BaseEstimator

from ._calls import cores, option_text

# Not options of the library, or only for rows from a file or a frame.
OWN = {"random_state", "n_jobs", "contamination", "positive", "negative", "unlabeled", "objective", "head", "progress", "options"}


class Parameters(BaseEstimator):
    """get_params and set_params that include the keywords of **options, as clone and GridSearchCV need."""

    _extra: dict = {}  # of a detector without further options

    @classmethod
    def _get_param_names(cls):
        signature = inspect.signature(cls.__init__)
        return sorted(p.name for p in signature.parameters.values() if p.name != "self" and p.kind != p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {**super().get_params(deep), **self._extra}

    def set_params(self, **params: Any) -> Any:
        known = set(self._get_param_names())
        own = {name: value for name, value in params.items() if name in known}
        for name in params:
            if name not in known and name not in self._extra and not is_option(name):
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {sorted(self.get_params())!r}.")
        self._check({**self.get_params(False), **params})
        super().set_params(**own)
        extra = {**self._extra, **{name: value for name, value in params.items() if name not in known}}
        if extra:
            self._extra = extra
        return self

    def _library_options(self) -> dict:
        """The parameters that are set, by the library's names."""
        return _library_values(self.get_params(False))

    def _threads(self):
        return threads_of(self.threads, self.n_jobs)

    def _check(self, params: dict) -> None:
        """Rejects unknown names and invalid values of parameters at once."""
        from . import _library as c
        from ._state import check_contamination

        extra = [name for name in params if name not in self._get_param_names() and not is_option(name)]
        if extra:
            raise TypeError(f"there is no option {extra[0]!r}; puad.options_table() has their names")
        values = _library_values(params)
        made = c.make(c.options_new, c.options_free)
        for name, value in values.items():
            for one in value if isinstance(value, (list, tuple, set)) else [value]:
                c.options_set(made, name.encode(), option_text(one).encode())
        method, alpha, progress = params.get("method"), params.get("alpha"), params.get("progress")
        if method is not None and method not in method_names():
            raise ValueError(f"method is {method!r}, expected one of {', '.join(method_names())}")
        if alpha is not None and alpha != "auto" and not (_is_real(alpha) and 0 <= alpha < 1):
            raise ValueError(f"alpha is {alpha!r}, expected 'auto' or a fraction from 0 to below 1")
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise TypeError(f"progress is {progress!r}, expected True, False or a callable")
        for name, kind in (("objective", "Objective"), ("head", "Head")):
            if params.get(name) is not None and not hasattr(params[name], "struct"):
                raise TypeError(f"{name} is {params[name]!r}, expected a puad.{kind}")
        check_contamination(params.get("contamination"))


def _is_real(value) -> bool:
    try:
        return float(value) == float(value)
    except (TypeError, ValueError):
        return False


def _library_values(params: dict) -> dict:
    """Parameters by the library's names, without those that are None."""
    values = {name: value for name, value in params.items() if name not in OWN and value is not None}
    if params.get("random_state") is not None:
        if params.get("seed"):
            raise ValueError("seed and random_state are the same parameter: give one of them")
        values["seed"] = seed_of(params["random_state"])
    threads = threads_of(params.get("threads"), params.get("n_jobs"))
    if threads is not None:
        values["threads"] = threads
    return values


def seed_of(random_state) -> int:
    """scikit-learn's form of a seed: a number, or a generator to draw one from."""
    if hasattr(random_state, "randint"):
        return int(random_state.randint(1 << 31))
    return operator.index(random_state)


def threads_of(threads, n_jobs):
    """`threads`, or joblib's equivalents: n_jobs (-1 for all processors), then OMP_NUM_THREADS, which joblib sets in its workers. None: all."""
    if n_jobs is not None:
        if threads is not None:
            raise ValueError("threads and n_jobs are the same parameter: give one of them")
        jobs = operator.index(n_jobs)
        if jobs == 0:
            raise ValueError("n_jobs is 0, expected a number of threads or -1 for all processors")
        return jobs if jobs > 0 else max(cores() + 1 + jobs, 1)
    if threads is None and (limit := os.environ.get("OMP_NUM_THREADS", "").split(",")[0]).isdigit() and int(limit) > 0:
        return min(int(limit), cores())
    return threads


def method_names() -> list:
    from . import _library as c

    return [c.text(method.name) for method in c.listed(c.Method, c.method_at)]


def is_option(name: str) -> bool:
    from . import _library as c

    return c.option_find(name.encode()) < c.option_count()


def options_table() -> list[dict[str, Any]]:
    """The library's options: a dict each with `name`, `group`, `type`, `default`, `choices` and `help`.

    >>> import puad
    >>> [option["default"] for option in puad.options_table() if option["name"] == "epochs"]
    ['200']
    """
    from . import _library as c

    groups = ["input", "more", "fit", "method", "common", "decision", "hidden", "answers"]
    types = ["flag", "integer", "number", "text", "list", "choice"]
    return [
        {
            "name": c.text(option.name),
            "group": groups[option.group],
            "type": types[option.type],
            "default": c.text(option.standard) or None,
            "choices": c.text(option.choices) or None,
            "help": c.text(option.help),
        }
        for option in c.listed(c.Option, c.option_at)
    ]
