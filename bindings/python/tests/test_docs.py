"""Code in README.md, docs/python.md and the docstrings is run."""
import doctest
import importlib
import pathlib
import re

import pytest

import puad
from conftest import payments

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULES = ["puad", "puad.detector", "puad.metrics", "puad.own", "puad._decide", "puad._parameters"]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame, y, _ = payments(1500)
    frame.assign(label=y.astype(int)).to_csv("train.csv", index=False)
    payments(300, seed=1)[0].to_csv("new.csv", index=False)
    found = blocks("README.md")
    assert len(found) == 1 and len(found[0].strip().splitlines()) <= 10
    exec(compile(found[0], "README.md", "exec"), {})
    assert "threshold" in capsys.readouterr().out and (tmp_path / "m.safetensors").exists()


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_every_public_name_has_a_docstring():
    for name in puad.__all__:
        assert getattr(puad, name).__doc__, name
    for name, value in vars(puad.Detector).items():
        if not name.startswith("_") and (callable(value) or isinstance(value, property)):
            assert getattr(puad.Detector, name).__doc__, name
