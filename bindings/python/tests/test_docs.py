"""Runs the code in README.md, the pages about Python and the docstrings."""
import contextlib
import doctest
import importlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import pytest

import puad

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULES = ["puad", "puad.detector", "puad.metrics", "puad.own", "puad._decide", "puad._parameters"]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    subprocess.run([sys.executable, str(ROOT / "examples" / "payments.py")], check=True, cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    found = blocks("README.md")
    assert len(found) == 1 and len(found[0].strip().splitlines()) <= 10
    with warnings.catch_warnings():
        warnings.simplefilter("error", puad.PuadWarning)  # nothing of it declines
        exec(compile(found[0], "README.md", "exec"), {})
    assert "threshold" in capsys.readouterr().out and (tmp_path / "p.safetensors").exists()


def alike(shown, printed):
    """The same words, and numbers of similar size: other instruction sets round differently, and methods improve."""
    left, right = shown.split(), printed.split()
    assert len(left) == len(right), printed
    for one, other in zip(left, right):
        numbers = [re.fullmatch(r"[(\[]*(-?[\d.]*\d)[%),;:\]]*", word) for word in (one, other)]
        if all(numbers):
            assert float(numbers[0][1]) == pytest.approx(float(numbers[1][1]), rel=0.5, abs=0.15), (one, other)
        elif not any(numbers):
            assert re.sub(r"\d+", "0", one) == re.sub(r"\d+", "0", other), (one, other)


PYTHON_PAGES = {"docs/tutorial/3-python.md": ["alpha.png", "operating.png", "scores.png"], "docs/howto/scikit-learn.md": [],
                "docs/howto/audit.md": [], "bindings/python/README.md": []}


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_pages_show_what_their_code_prints(page, tmp_path, monkeypatch):
    """With PUAD_WRITE_DOCS=1 the outputs and pictures of the pages are written instead."""
    writing = os.environ.get("PUAD_WRITE_DOCS") == "1"
    subprocess.run([sys.executable, str(ROOT / "examples" / "payments.py")], check=True, cwd=tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    names, parts, place = {}, [], 0
    for block in re.finditer(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", text, re.S):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block[1], page, "exec"), names)
        if not writing:
            alike(block[2] or "", printed.getvalue())
        output = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        parts += [text[place : block.start()], f"```python\n{block[1]}```\n", output]
        place = block.end()
    assert parts
    assert sorted(path.name for path in tmp_path.glob("*.png")) == PYTHON_PAGES[page]
    if writing:
        (ROOT / page).write_text("".join(parts) + text[place:])
        for name in PYTHON_PAGES[page]:
            shutil.copy(name, ROOT / "docs" / "pictures" / f"python-{name}")


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
