"""The committed results of PyTorch are those that the PyTorch of this machine gives: make_step.py run again agrees."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

if importlib.util.find_spec("torch") is None:
    print("skipped: needs PyTorch (python3-torch)")
    sys.exit(77)
import numpy as np

FOLDER = os.path.join(os.environ.get("SOURCE", "."), "tests", "parity")


def load(path):
    raw = open(path, "rb").read()
    length = int.from_bytes(raw[:8], "little")
    header, data = json.loads(raw[8:8 + length]), raw[8 + length:]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4") for name, entry in header.items()}


with tempfile.TemporaryDirectory() as folder:
    made = os.path.join(folder, "step.safetensors")
    subprocess.run([sys.executable, os.path.join(FOLDER, "make_step.py"), made], check=True)
    new, old = load(made), load(os.path.join(FOLDER, "step.safetensors"))
assert new.keys() == old.keys(), "other tensors than the committed ones"
for name in old:
    scale = np.abs(old[name]).max()
    assert np.abs(new[name] - old[name]).max() <= 1e-5 * scale + 1e-12, f"{name} differs"
print(f"{len(old)} tensors agree\n1 passed, 0 failed")
