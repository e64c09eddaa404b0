"""puad.Detector: train, score, predict, save."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from . import _library as c
from ._calls import Bar, Options
from ._decide import Decisions
from ._html import Html
from ._labels import labels_of
from ._model import Model, training_dataset
from ._parameters import Parameters
from ._rows import Images, Path, column_of, rows_of
from ._state import Columns, Training, frame

if TYPE_CHECKING:
    from .own import Head, Objective


COMPARED = 20  # minimum number of rows for the library's drift check


def _has_probabilities(self) -> bool:
    model = self.__dict__.get("_model")
    if model is not None:
        return model.calibration().unlabeled_count > 0
    return self.calibrate is not None


class Detector(Columns, Decisions, Html, ClassifierMixin, Parameters):
    """A positive-unlabeled anomaly detector as a scikit-learn estimator.

    Scores are larger for rows that are more anomalous, in `score_samples`, `decision_function` and `decision_scores_` alike. (As in PyOD; the outlier
    detectors of scikit-learn have the opposite sign.)

    Parameters are the program's options, by its names with underscores; `puad.options_table()` has them all with their help. None
    means the program's default.

    Parameters
    ----------
    method : str, optional
        The detector; `puad.methods()` names them. By default `committee` for tables, `recurrence` for time series and `pulogistic` for images (`pusvdd` without labels).
    alpha : float or "auto", optional
        Fraction of anomalies among the unlabeled rows.
    epochs, pretrain_epochs, steps, patience, batch, lr, network, sampler : optional
        How a network is trained.
    calibrate : float, optional
        Fraction of the rows to hold out for decisions: `p_values`, `flag`, `operate` and `predict_proba` need it.
    contamination : float, optional
        Fraction of rows that `predict` flags (PyOD's name). By default alpha as estimated or given, or 0.1 if it is not known.
    seed, threads : int, optional
        `random_state` and `n_jobs` are scikit-learn's names for them. Without either, OMP_NUM_THREADS limits the threads.
    positive, negative, unlabeled : optional
        Values of y that mean a known anomaly, a known normal row and an unlabeled one, instead of 1, -1 and 0; one or a list. If only
        `positive` is given, other values are unlabeled.
    objective, head : optional
        Custom ones, see `puad.Objective` and `puad.Head`.
    force : bool
        Keep a model that the checks find useless.
    progress : bool or callable
        True shows a tqdm bar. A callable is given the state after every mini-batch, and ends the training by returning False. Methods
        without epochs report once, at the end.
    **options
        Any other option, such as `noise=0.1`, `categorical=["code"]`, `label_column="label"` for files and frames, or `no_labels=True`.

    Examples
    --------
    >>> import numpy as np, puad
    >>> generator = np.random.default_rng(0)
    >>> X = generator.normal(size=(600, 3)); X[:60] += 4
    >>> y = np.zeros(600); y[:30] = 1                     # half of the anomalies are known
    >>> detector = puad.Detector(seed=1).fit(X, y)
    >>> scores = detector.score_samples(X)
    >>> bool(scores[30:60].min() > np.median(scores[60:]))    # the hidden ones stand out
    True
    """

    def __init__(
        self,
        method: str | None = None,
        *,
        alpha: float | str | None = None,
        epochs: int | None = None,
        pretrain_epochs: int | None = None,
        steps: int | None = None,
        patience: int | None = None,
        batch: int | None = None,
        lr: float | None = None,
        network: str | None = None,
        sampler: str | None = None,
        calibrate: float | None = None,
        contamination: float | None = None,
        seed: int | None = 0,
        threads: int | None = None,
        positive: Any = None,
        negative: Any = None,
        unlabeled: Any = None,
        objective: Objective | None = None,
        head: Head | None = None,
        force: bool = False,
        progress: bool | Callable[..., Any] = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.epochs = epochs
        self.pretrain_epochs = pretrain_epochs
        self.steps = steps
        self.patience = patience
        self.batch = batch
        self.lr = lr
        self.network = network
        self.sampler = sampler
        self.calibrate = calibrate
        self.contamination = contamination
        self.seed = seed
        self.threads = threads
        self.positive = positive
        self.negative = negative
        self.unlabeled = unlabeled
        self.objective = objective
        self.head = head
        self.force = force
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs
        if options:
            self._extra = options
        self._check(self.get_params(False))

    # --- training ----------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Detector:
        """Trains on rows X and labels y.

        X is an array, a pandas or polars frame, anything with the Arrow C data interface, images (rows, height, width[, channels]), or
        the path of a file or folder that the program could read. y has 1 for a known anomaly, 0 or NaN for an unlabeled row and -1
        for a known normal one; it may be the name of a column of X. None: no labels. If a column of X then looks like the labels,
        fit raises ValueError: name it as y, or train without labels by Detector(no_labels=True).
        """
        return self._train(X, y, None, None)

    def refit(self, X: Any, y: Any = None, answers: dict[int, int] | None = None) -> Detector:
        """Trains again with more labels, with the settings of this model unless the parameters are set.

        `answers` maps rows of X to 1 or -1, for rows proposed by `query`. Rows that the model held out are held out again.
        """
        return self._train(X, y, answers, self._fitted())

    def _train(self, X, y, answers, before):
        rows, labels, values = self._take(X, y)
        bar = Bar() if self.progress is True else None
        options = Options(values, progress=bar or self.progress or None, objective=self.objective, head=self.head)
        try:
            model, training = options.run(self._fit_call, rows, labels, options, answers, before)
            options.finish_progress()
        finally:
            if bar is not None:
                bar.close()
        self._training = training
        self._model = model
        self._take_facts(model)
        self.notes_ = options.tell(stacklevel=4)
        return self

    def _take(self, X, y):
        """Rows, labels and options of a training."""
        values = self._library_options()
        if y is None and not isinstance(X, (str, os.PathLike)):
            y = values.pop("label_column", None)
        if isinstance(y, str):
            if isinstance(X, (str, bytes, os.PathLike)):
                values["label_column"], y = y, None
            else:
                values["label_column"] = y  # the label column is not a new column when scoring
                y, X = column_of(X, y)
        rows = rows_of(X)
        self.classes_ = np.array([0, 1])
        labels = None
        if isinstance(rows, Path):
            if y is not None:
                raise ValueError("X is a file: name its labels by label_column=, or by y='NAME'")
            values.update({name: getattr(self, name) for name in ("positive", "negative", "unlabeled")})
            return rows, None, values
        if y is not None:
            labels, self.classes_ = labels_of(y, rows.rows, self.positive, self.unlabeled, self.negative)
        self._take_names(rows, X)
        return rows, labels, values

    def _fit_call(self, rows, labels, options, answers, before):
        data = training_dataset(rows, options, labels)
        if answers:
            places = np.array(list(answers), np.uintp)
            given = np.array([answers[i] for i in answers], np.int8)
            c.dataset_add_answers(data, places.ctypes, given.ctypes, len(places))
        if before is None:
            handle = c.make(c.detector_fit, c.detector_free, data, options)
        else:
            handle = c.make(c.detector_refit, c.detector_free, before, data, options)
        model = Model(handle, self._threads(), self.head)
        return model, Training.of(model, data)

    def _take_names(self, rows, X):
        self.__dict__.pop("feature_names_in_", None)
        if isinstance(rows, Images):
            self.n_features_in_ = int(np.prod(rows.pixels.shape[1:]))
            return
        if rows.rows == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {rows.width})) while a minimum of 1 is required.")
        if rows.rows == 1:
            raise ValueError(f"Found array with n_samples=1 (shape=(1, {rows.width})): a single row cannot be compared with others")
        if rows.width == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape=({rows.rows}, 0)) while a minimum of 1 is required.")
        self.n_features_in_ = rows.width
        if rows.names is not None:
            self.feature_names_in_ = np.array(rows.names, dtype=object)

    def _take_facts(self, model):
        facts = model.facts()
        self.method_, self.alpha_ = facts["method"], facts["alpha"]
        self.n_iter_ = max(int(facts["epochs"] or 0) if facts["epochs"] == facts["epochs"] else 0, 1)
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = len(model.column_names()) or int(facts["columns"])
        names = self._names(model)
        self._name_array = None if names is None else (ctypes.c_char_p * len(names))(*[str(name).encode() for name in names])

    # --- scores ------------------------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> np.ndarray:
        """One score per row, larger = more anomalous; bit-identical to `puad score` with the same model and rows."""
        return self._score(self._fitted(), X)

    def _score(self, model, X) -> np.ndarray:
        """Uses one model for all steps, even if another thread trains meanwhile."""
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "fd" and len(X) < COMPARED:
            if X.shape[1] == self.n_features_in_ and X.size and all(X.strides) and X.dtype.isnative and self._by_matrix:
                return model.score_matrix(X, self._name_array)
        rows = rows_of(X)
        options = Options(self._reading())
        scores = model.score(rows, options, self._match(model, rows))
        options.tell(stacklevel=4)
        return scores

    def decision_function(self, X: Any) -> np.ndarray:
        """`score_samples(X) - threshold_`: positive for rows that `predict` flags."""
        model = self._fitted()
        return self._score(model, X).astype(np.float64) - self.threshold_

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows flagged as anomalies, else 0: scores above `threshold_`."""
        flagged = self.decision_function(X) > 0
        return self.classes_[flagged.astype(int)]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Columns: the probability of a normal row, and of an anomaly. Needs `calibrate`."""
        model = self._fitted()
        from_scores = self._decide(model, self._score(model, X))
        if np.isnan(from_scores.probabilities).all() and len(from_scores.probabilities):
            if self.facts_["anomalies"]:
                warnings.warn("the labels do not support probabilities: all are NaN", stacklevel=2)
                return np.full((len(from_scores.probabilities), 2), np.nan)
            raise ValueError("the model has no estimate of alpha, so there are no probabilities: train with labeled anomalies, or give alpha=")
        return np.column_stack([1 - from_scores.probabilities, from_scores.probabilities])

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """`fit(X, y)`, then the flags of the same rows."""
        self.fit(X, y)
        if self._training.data is None:
            return self.predict(X)
        return self.classes_[self.labels_]

    def score(self, X: Any, y: Any) -> float:
        """AUROC of rows with y = 1 against all others. `puad.metrics` has metrics for positive and unlabeled rows."""
        from .metrics import auroc

        rows = self.score_samples(X)
        labels, _ = labels_of(y, len(rows), self.positive, self.unlabeled, self.negative)
        return auroc(labels == 1, rows)

    @property
    def decision_scores_(self) -> np.ndarray:
        """Scores of the training rows (PyOD's name), larger = more anomalous. Copies, loaded models and models of many rows (16 million encoded values) do not have them."""
        self._fitted()
        return self._training.scores()

    @property
    def labels_(self) -> np.ndarray:
        """Flags of the training rows (PyOD's name): 1 an anomaly, 0 not. These are predictions, not y."""
        return (self.decision_scores_ > self.threshold_).astype(int)

    @property
    def threshold_(self) -> float:
        """Rows with larger scores are flagged by `predict`.

        With `calibrate`: the score that the fraction `contamination` (default alpha) of the held-out unlabeled rows exceeds. Without: the
        same for all training rows, where the known anomalies count too if alpha says how many are hidden.
        """
        self._fitted()
        return self._training.threshold(self.contamination)

    # --- state -------------------------------------------------------------------------------------------------

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the model file of the program (safetensors)."""
        c.detector_save(self._remarked(), os.fsencode(path))

    def to_bytes(self) -> bytes:
        """The bytes of the model file."""
        return self._remarked().to_bytes()

    def _remarked(self) -> Model:
        """The model and the state of this class, for a file."""
        model = self._fitted()
        parameters = {name: _plain(value) for name, value in self.get_params(False).items() if value is not None}
        known = {
            "parameters": {name: value for name, value in parameters.items() if value is not None},
            "classes": [_plain(one) for one in self.classes_.tolist()],
            "features": int(self.n_features_in_),
            "names": [str(name) for name in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None,
            "training": self._training.state(self.contamination),
        }
        model.set_remark(json.dumps({"puad.Detector": known}))
        return model

    def export(self, path: str | bytes | os.PathLike[Any], **options: Any) -> None:
        """Writes the model as ONNX, from raw columns to score, p-value and flag; `threshold`, `flag_rate`, `p` and `alpha` as in `flag`."""
        how = Options(options)
        c.export_onnx(self._fitted(), os.fsencode(path), how)
        how.tell()

    @property
    def history_(self) -> Any:
        """The course of training, one row per epoch: a pandas frame if pandas is installed, else a dict of lists."""
        return frame(self._fitted().history())

    @property
    def facts_(self) -> dict[str, Any]:
        """Facts about the model: method, alpha, rows, parameters, seconds ..."""
        return self._fitted().facts()

    @property
    def input_schema_(self) -> list[dict[str, Any]]:
        """The columns of the input that the model uses: `name`, `kind` ("number", "category" or "date"), `format` of the cells (None for
        plain numbers and strings), `optional` (training rows had missing cells), and `categories`. Empty for images and arrays without names.
        """
        return self._fitted().input_schema()

    def _fitted(self) -> Model:
        """The model for this call: another thread may train a new one at any time."""
        model = self.__dict__.get("_model")
        if model is None:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def __getstate__(self):
        """Only plain types, with the model as the bytes of its file, which every serializer supports."""
        state = dict(self.__dict__)
        if "_model" in state:
            state["_model"] = self._fitted().to_bytes()
            state["_training"] = self._training.state(self.contamination)
            state.pop("_name_array", None)
        state["_sklearn_version_of_puad"] = c.text(c.version())
        return state

    def __setstate__(self, state):
        state = dict(state)
        state.pop("_sklearn_version_of_puad", None)
        content, training = state.pop("_model", None), state.pop("_training", None)
        self.__dict__.update(state)
        if content is not None:
            self._training = Training.from_state(training)
            self._model = Model.from_bytes(content, self._threads(), self.head)
            self._take_facts(self._model)

    def _more_tags(self):
        return {"allow_nan": True, "binary_only": True, "X_types": ["2darray", "string"], "non_deterministic": False}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.required = False
        return tags


def load(path: str | bytes | os.PathLike[Any], threads: int | None = None, head: Head | None = None) -> Detector:
    """A detector from a model file, of this package or of the program. `head` is needed for a model with a custom head."""
    return _from_model(Model(c.make(c.detector_load, c.detector_free, os.fsencode(path)), threads, head))


def load_once(path: str | os.PathLike[str], threads: int | None = 1) -> Detector:
    """`load`, once per process while the file is unchanged: for the workers of Dask, joblib and the like. One thread each by default,
    because there is one worker per processor."""
    about = os.stat(path)
    return _load_once(os.path.abspath(os.fspath(path)), about.st_mtime_ns, about.st_size, threads)


@functools.lru_cache(maxsize=4)
def _load_once(path, _changed, _size, threads):
    return load(path, threads)


def loads(content: bytes, threads: int | None = None, head: Head | None = None) -> Detector:
    """A detector from the bytes of a model file."""
    return _from_model(Model.from_bytes(content, threads, head))


def _plain(value):
    """A parameter in JSON form; None for functions and the like, which a file cannot store."""
    if isinstance(value, (set, tuple, list, np.ndarray)):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (bool, int, float, str)) else None


def _from_model(model: Model) -> Detector:
    known = model.remark().get("puad.Detector", {})
    parameters = {"method": model.facts()["method"], **known.get("parameters", {})}
    if model.threads is not None:
        parameters.pop("n_jobs", None)
        parameters["threads"] = model.threads
    made = Detector(**{**parameters, "head": model.head})
    made.classes_ = np.array(known.get("classes", [0, 1]))
    if known.get("names"):
        made.feature_names_in_ = np.array(known["names"], dtype=object)
    if known:
        made.n_features_in_ = known["features"]
    made._training = Training.from_state(known["training"]) if known.get("training") else Training.of(model)
    made._model = model
    made._take_facts(model)
    return made
