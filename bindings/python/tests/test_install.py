"""The wheel in an empty virtual environment: what it holds, and the ten lines of the README."""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

import puad
from conftest import program_scores

ROOT = pathlib.Path(__file__).resolve().parents[3]
SITE = pathlib.Path(puad.__file__).resolve().parent.parent
WHEEL = next(iter(SITE.parent.glob("*.whl")), None)
pytestmark = pytest.mark.skipif(WHEEL is None or "LD_PRELOAD" in os.environ, reason="for the wheel as people get it")


def test_every_library_comes_with_the_wheel_and_has_its_notice():
    libraries = SITE / "puad" / "lib"
    linked = subprocess.run(["ldd", str(libraries / "libpuad.so")], capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", linked, re.M))
    others = {name for name, path in found.items() if pathlib.Path(path).resolve().parent != libraries}
    assert {name.split(".so")[0] for name in others} <= {"libc", "libm", "libpthread", "libdl"}, others
    bundled = {name.split(".so")[0] for name in found if name not in others}
    assert {"libz", "libpng16", "libjpeg", "libcjson", "libzstd", "liblzma"} <= bundled
    names = zipfile.ZipFile(WHEEL).namelist()
    if pathlib.Path("/usr/bin/dpkg-query").exists():
        assert bundled == {pathlib.Path(name).stem for name in names if "/licenses/" in name}
    assert any(name.endswith("dist-info/LICENSE") for name in names)


def test_the_readme_runs_in_an_empty_environment(tmp_path):
    """NumPy, pandas and scikit-learn come from the environment of the tests, so that no registry is asked."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    run = lambda *words: subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, cwd=tmp_path, env=environment)
    run(sys.executable, "-m", "venv", "empty")
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", WHEEL)
    others = next(pathlib.Path(path) for path in sys.path if path.endswith("site-packages") and (pathlib.Path(path) / "sklearn").exists())
    next((tmp_path / "empty" / "lib").glob("python*/site-packages")).joinpath("others.pth").write_text(f"{others}\n")
    run(python, ROOT / "examples" / "payments.py")
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    (tmp_path / "readme.py").write_text(code + 'assert "empty" in puad.__file__\npd.DataFrame({"score": score}).to_csv("scores.csv", index=False)\n')
    shown = run(python, "readme.py").stdout
    assert "recall" in shown
    expected = program_scores(tmp_path / "m.safetensors", tmp_path / "new.csv")
    assert np.array_equal(pd.read_csv(tmp_path / "scores.csv")["score"].to_numpy(np.float32), expected)
