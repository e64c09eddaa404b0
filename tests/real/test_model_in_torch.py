"""A model file opened with numpy, its weights in PyTorch: the same scores as `puad score`."""
import csv
import importlib.util
import io
import os
import subprocess
import sys
import tempfile

if importlib.util.find_spec("torch") is None:
    print("skipped: needs PyTorch (python3-torch)")
    sys.exit(77)
import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from model_in_torch import Model

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
TOLERANCE = 1e-4
torch.set_num_threads(1)


def check(folder, name, source, rows, arguments):
    model = os.path.join(folder, "m.safetensors")
    common = ["--epochs", "2", "--threads", "2", "--quiet"]
    subprocess.run([PUAD, "fit", source, "-o", model, *common, *arguments], check=True)
    text = subprocess.run([PUAD, "score", model, source, "--threads", "1"], check=True, capture_output=True, text=True).stdout
    ours = np.array([float(row["score"]) for row in csv.DictReader(io.StringIO(text))])
    theirs = Model(model).scores(rows)
    assert len(ours) == len(theirs)
    worst = np.abs(ours - theirs).max() / max(1, np.abs(ours).max())
    print(f"{name}: largest difference {worst:.2g} of the largest score")
    assert worst < TOLERANCE, name
    spread = np.abs(ours - theirs) / np.maximum(1, np.abs(ours))
    assert spread.max() < TOLERANCE, f"{name}: row {spread.argmax()}"


def main():
    draw = np.random.default_rng(5)
    labels = (np.arange(200) % 10 == 0).astype(np.int64)
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "rows.csv")
        rows = {name: np.round(draw.normal(5 * i, 1 + i, 200) + 3 * labels, 3) for i, name in enumerate("abcde")}
        with open(table, "w", newline="", encoding="ascii") as out:
            writer = csv.writer(out)
            writer.writerow([*rows, "label"])
            writer.writerows(zip(*rows.values(), labels))
        for method in ("puae", "pusvdd", "pu"):
            check(folder, f"mlp {method}", table, rows, ["--method", method, "--label-column", "label"])
            passed += 1
        for shape in ((200, 32, 32), (200, 32, 32, 3)):
            images = os.path.join(folder, "images.npz")
            pixels = draw.integers(0, 256, shape).astype(np.uint8)
            np.savez(images, X=pixels, y=labels)
            for method, more in (("puae", []), ("pusvdd", ["--set", "embedding=linear"]),
                                 ("pusvdd", ["--set", "embedding=bn"]), ("pu", [])):
                check(folder, f"conv32 {method} {' '.join(more[1:])} of {shape[3:] or (1,)} channels", images,
                      pixels.astype(np.float64), ["--method", method, *more])
                passed += 1
    print(f"{passed} passed, 0 failed")


main()
