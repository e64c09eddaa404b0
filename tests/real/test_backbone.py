#!/usr/bin/python3
"""EfficientNet-Lite0 (PUAD_LITE0: its state dict, efficientnet-lite0-57934424.pth) gives the features that PyTorch gives, imported from
the state dict. Needs PyTorch."""
import importlib.util
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, skip, test  # noqa: E402

WEIGHTS = os.environ.get("PUAD_LITE0", "")
SOURCE, BUILD = os.environ.get("SOURCE", "."), os.environ.get("BUILD", "build")


@test
def features_equal_those_of_pytorch():
    if not os.path.exists(WEIGHTS):
        skip("PUAD_LITE0 names no file")
    if not importlib.util.find_spec("torch"):
        skip("PyTorch is not installed")
    from lite0_in_torch import features_of

    torch_features, random = features_of(WEIGHTS), np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        model, raw, out = (os.path.join(folder, name) for name in ("lite0", "pictures", "features"))
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "import_backbone"), WEIGHTS, "-o", model],
                              capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        for side in (224, 96, 75):
            pictures = random.random((3, side, side, 3)).astype("<f4")
            pictures[1:] = np.clip(np.cumsum(np.cumsum(pictures[1:] - 0.5, 1), 2) / 20 + 0.5, 0, 1)
            pictures.tofile(raw)
            helper = [os.path.join(BUILD, "tests", "helper-backbone_features"), model, str(side), "2", raw, out]
            check(subprocess.run(helper, capture_output=True).returncode == 0, f"side {side}")
            error = np.abs(np.fromfile(out, "<f4").reshape(3, -1) - torch_features(pictures)).max()
            check(error < 1e-4, f"side {side}: the largest difference is {error:g}")


finish()
