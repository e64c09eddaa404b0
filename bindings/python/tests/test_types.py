"""Types of the public interface, for mypy, and the formats that other packages store a detector in."""
from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import puad

HERE = pathlib.Path(__file__).parent


def run_mypy(path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(path)], capture_output=True, text=True, cwd=path.parent)
    return done.returncode, done.stdout + done.stderr


def test_a_typed_program_passes_mypy_strict():
    status, text = run_mypy(HERE / "typed_sample.py")
    assert status == 0, text


def test_mypy_finds_a_wrong_type(tmp_path):
    sample = tmp_path / "wrong.py"
    sample.write_text("import puad\n\npuad.Detector(epochs='many').fit([[1.0]]).save(3)\n")
    status, text = run_mypy(sample)
    assert status == 1 and "epochs" in text and "save" in text, text


def test_skops_stores_a_detector():
    skops = pytest.importorskip("skops.io")
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 3))
    X[:40] += 3
    y = np.zeros(400)
    y[:20] = 1
    detector = puad.Detector(seed=1, threads=1, contamination=0.1).fit(X, y)
    stored = skops.dumps(detector)
    unknown = skops.get_untrusted_types(data=stored)
    assert unknown == ["puad.detector.Detector"]
    again = skops.loads(stored, trusted=unknown)
    assert np.array_equal(again.score_samples(X), detector.score_samples(X))
    assert np.array_equal(again.predict(X), detector.predict(X)) and again.get_params() == detector.get_params()


def test_input_schema_names_kinds_and_categories():
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(0)
    X = pandas.DataFrame({
        "amount": generator.normal(size=300),
        "country": generator.choice(["home", "abroad"], 300),
        "when": pandas.date_range("2024-01-01", periods=300, freq="7h").astype(str),
    })
    schema = {column["name"]: column for column in puad.Detector(seed=1, no_labels=True).fit(X).input_schema_}
    assert set(schema) == {"amount", "country", "when"}
    assert {name: column["kind"] for name, column in schema.items()} == {"amount": "number", "country": "category", "when": "date"}
    assert sorted(schema["country"]["categories"]) == ["abroad", "home"] and schema["amount"]["categories"] is None
    assert schema["when"]["format"] and schema["amount"]["format"] is None
