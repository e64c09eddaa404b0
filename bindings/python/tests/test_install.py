"""The wheel in an empty virtual environment: its contents, and the ten lines of the README."""
import io
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
from conftest import numbers, program_scores

ROOT = pathlib.Path(__file__).resolve().parents[3]
SITE = pathlib.Path(puad.__file__).resolve().parent.parent
WHEEL = next(iter(SITE.parent.glob("*.whl")), None)
pytestmark = pytest.mark.skipif(WHEEL is None or "LD_PRELOAD" in os.environ, reason="only for the wheel as distributed")


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


def test_the_wheel_runs_with_glibc_2_28():
    tag = re.search(r"manylinux_(\d+)_(\d+)_", WHEEL.name)
    assert (int(tag[1]), int(tag[2])) <= (2, 28)
    for path in (SITE / "puad" / "lib").iterdir():
        listed = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True, check=True).stdout
        needed = [(int(found[0]), int(found[1])) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", listed)]
        assert needed and max(needed) <= (int(tag[1]), int(tag[2])), (path, max(needed))


def test_the_program_comes_with_the_wheel(tmp_path):
    X, y, _ = numbers()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.assign(label=y).to_csv(tmp_path / "train.csv", index=False)
    run = lambda *words, **more: subprocess.run([sys.executable, "-m", "puad", *words], cwd=tmp_path, capture_output=True, text=True, **more)
    assert run("fit", "train.csv", "--label-column", "label", "--calibrate", "-o", "m.safetensors", "--quiet").returncode == 0
    scored = pd.read_csv(io.StringIO(run("score", "m.safetensors", "train.csv", "--quiet").stdout))
    assert np.array_equal(scored["score"].to_numpy(np.float32), puad.load(tmp_path / "m.safetensors").score_samples(frame))
    refused = run("fit", "absent.csv", "-o", "x")
    assert refused.returncode and "absent.csv" in refused.stderr
    linked = subprocess.run(["ldd", str(SITE / "puad" / "lib" / "puad")], capture_output=True, text=True, check=True).stdout
    assert "cairo" not in linked and "X11" not in linked
    assert run("operate", "m.safetensors", "--plot", "a.svg").returncode == 0 and b"<svg" in (tmp_path / "a.svg").read_bytes()
    (tmp_path / "libcairo.so.2").write_bytes(b"no library")  # a machine without Cairo draws SVG only
    without = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    assert run("operate", "m.safetensors", "--plot", "b.svg", env=without).returncode == 0 and (tmp_path / "b.svg").exists()
    failed = run("operate", "m.safetensors", "--plot", "b.png", env=without)
    assert failed.returncode and "libcairo.so.2" in failed.stderr and not (tmp_path / "b.png").exists()
    assert run("report", "train.csv", "--label-column", "label", "-o", "r.html", "--quiet", env=without).returncode == 0
    (entry,) = (path for path in zipfile.ZipFile(WHEEL).namelist() if path.endswith("entry_points.txt"))
    assert b"puad = puad.__main__:main" in zipfile.ZipFile(WHEEL).read(entry)


def test_the_readme_runs_in_an_empty_environment(tmp_path):
    """NumPy, pandas and scikit-learn come from the tests' environment, so that no registry is needed."""
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
    expected = program_scores(tmp_path / "p.safetensors", tmp_path / "new.csv")
    assert np.array_equal(pd.read_csv(tmp_path / "scores.csv")["score"].to_numpy(np.float32), expected)
