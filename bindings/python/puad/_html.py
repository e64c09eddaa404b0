"""The HTML representation of a Detector in a notebook."""
from __future__ import annotations

from html import escape


class Html:
    def _repr_html_(self) -> str:
        """scikit-learn's table of parameters before training; after it, a description of the model."""
        if "_model" not in self.__dict__:
            return super()._repr_html_() if hasattr(super(), "_repr_html_") else f"<pre>{escape(repr(self))}</pre>"
        facts = self._fitted().facts()
        shown = [("method", f"{facts['method']}: {facts['title']}")]
        shown += [(name, _figure(facts[name])) for name in ("rows", "anomalies", "normals", "columns", "alpha", "parameters", "trees", "epochs", "best_epoch", "seconds")]
        held_out = self.calibration()
        if len(held_out["unlabeled"]):
            shown.append(("calibration", f"{len(held_out['unlabeled'])} unlabeled rows, {len(held_out['anomalies'])} anomalies"))
        shown += [("note", note) for note in getattr(self, "notes_", [])]
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>" for name, value in shown if value
        )
        return f"<table><caption>puad.Detector</caption>{cells}</table>"

    def _repr_mimebundle_(self, **_arguments):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _figure(value: float) -> str:
    if value != value or value < 0:
        return ""
    return f"{value:,.0f}" if value == int(value) else f"{value:.4g}"
