"""The keywords of Detector: those of the library's option table that concern a training, and a few of this package."""
from __future__ import annotations

import inspect

from sklearn.base import BaseEstimator

# What is no option of the library, or one that only rows from a file or a frame need.
OWN = {"contamination", "positive", "negative", "unlabeled", "objective", "head", "progress", "options"}


class Parameters(BaseEstimator):
    """get_params and set_params that know the keywords of **options too, so that clone and GridSearchCV do."""

    _extra: dict = {}  # of a detector without further options

    @classmethod
    def _get_param_names(cls):
        signature = inspect.signature(cls.__init__)
        return sorted(p.name for p in signature.parameters.values() if p.name != "self" and p.kind != p.VAR_KEYWORD)

    def get_params(self, deep: bool = True) -> dict:
        return {**super().get_params(deep), **self._extra}

    def set_params(self, **params):
        known = set(self._get_param_names())
        own = {name: value for name, value in params.items() if name in known}
        for name in params:
            if name not in known and name not in self._extra and not is_option(name):
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {sorted(self.get_params())!r}.")
        super().set_params(**own)
        extra = {**self._extra, **{name: value for name, value in params.items() if name not in known}}
        if extra:
            self._extra = extra
        return self

    def _library_options(self) -> dict:
        """What is set, by the library's names."""
        for name in self._extra:
            if not is_option(name):
                raise TypeError(f"there is no option {name!r}; puad.options_table() has their names")
        return {name: value for name, value in self.get_params(False).items() if name not in OWN and value is not None}


def is_option(name: str) -> bool:
    from . import _library as c

    return c.option_find(name.encode()) < c.option_count()


def options_table() -> list:
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
            "name": c.text(c.option_name(i)),
            "group": groups[c.option_group_of(i)],
            "type": types[c.option_type_of(i)],
            "default": c.text(c.option_default(i)) or None,
            "choices": c.text(c.option_choices(i)) or None,
            "help": c.text(c.option_help(i)),
        }
        for i in range(c.option_count())
    ]
