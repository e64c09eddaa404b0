"""Drawings with matplotlib, which only this module needs. Each takes the axes to draw on (`ax`) and returns them."""
from __future__ import annotations

from typing import Any

import numpy as np


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6, 4), layout="constrained")[1]


def plot_operating(detector: Any, ax: Any = None, points: int = 64, **options: Any) -> Any:
    """Recall, precision and F1 over the fraction of unlabeled rows flagged, with their 95% intervals; the best F1 is marked."""
    table = detector.operate(points, **options)
    ax = _axes(ax)
    flagged = np.asarray(table["flagged"])
    for name, color in (("recall", "tab:blue"), ("precision", "tab:orange"), ("f1", "tab:green")):
        ax.plot(flagged, table[name], color=color, label=name)
        ax.fill_between(flagged, table[name + "_low"], table[name + "_high"], color=color, alpha=0.15, linewidth=0)
    best = int(np.argmax(table["f1"]))
    ax.axvline(flagged[best], color="0.5", linestyle=":", label=f"best F1 at {np.asarray(table['threshold'])[best]:.3g}")
    ax.set(xlabel="fraction of the unlabeled rows that is flagged", ylabel="estimate", ylim=(0, 1.02), xscale="log")
    ax.legend()
    return ax


def plot_alpha(estimate: Any, ax: Any = None) -> Any:
    """The evidence of `puad.prior`: the ratio converges to alpha."""
    ax = _axes(ax)
    x, y = estimate.points
    ax.plot(x, y, color="tab:blue", label="unlabeled above / known above")
    if not estimate.refused:
        ax.axhline(estimate.alpha, color="tab:orange", label=f"alpha {estimate.alpha:.3f}")
        ax.axhspan(estimate.low, estimate.high, color="tab:orange", alpha=0.15, linewidth=0)
    top = np.nanmax(y[x > 0.2]) if np.any(x > 0.2) else 1
    ax.set(xlabel="fraction of the known anomalies above the threshold", ylabel="ratio", xlim=(0, 1.01), ylim=(0, min(max(1.5 * top, 0.05), 1.2)))
    ax.legend()
    return ax


def plot_scores(detector: Any, X: Any = None, y: Any = None, ax: Any = None, bins: int = 60) -> Any:
    """Histograms of scores: of X, split by y if given; without X, of the held-out rows. The threshold of `predict` is marked."""
    ax = _axes(ax)
    if X is None:
        held_out = detector.calibration()
        groups = {"held-out unlabeled": held_out["unlabeled"], "held-out anomalies": held_out["anomalies"]}
    else:
        scores = detector.score_samples(X)
        y = np.zeros(len(scores)) if y is None else np.asarray(y, float)
        groups = {"unlabeled": scores[~np.isin(y, (1, -1))], "known anomalies": scores[y == 1], "known normal": scores[y == -1]}
    groups = {name: scores for name, scores in groups.items() if len(scores)}
    low, high = min(s.min() for s in groups.values()), max(s.max() for s in groups.values())
    colors = {"unlabeled": "0.6", "anomalies": "tab:red", "normal": "tab:blue"}
    for name, scores in groups.items():
        ax.hist(scores, np.linspace(low, high, bins + 1), density=True, alpha=0.6, color=colors[name.split()[-1]], label=f"{name} ({len(scores)})")
    try:
        ax.axvline(detector.threshold_, color="k", linestyle=":", label="threshold")
    except AttributeError:
        pass  # a model from a file without a calibration has none
    ax.set(xlabel="score (larger = more anomalous)", ylabel="density")
    ax.legend()
    return ax
