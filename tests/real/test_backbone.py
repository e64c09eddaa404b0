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
# repeats, taps, stride, expansion: table 1 of the EfficientNet paper, without its squeeze-excitation
BLOCKS = [(1, 3, 1, 1), (2, 3, 2, 6), (2, 5, 2, 6), (3, 3, 2, 6), (3, 5, 1, 6), (4, 5, 2, 6), (1, 3, 1, 6)]


def torch_features(pictures):
    import torch
    from torch.nn import functional

    state = torch.load(WEIGHTS, map_location="cpu", weights_only=True)

    def conv(x, weight, norm, stride=1, depthwise=False, activate=True):
        kernel = state[weight + ".weight"]
        size, taps = x.shape[-1], kernel.shape[-1]
        padding = max((-(-size // stride) - 1) * stride + taps - size, 0)
        x = functional.pad(x, (padding // 2, padding - padding // 2) * 2)
        x = functional.conv2d(x, kernel, stride=stride, groups=x.shape[1] if depthwise else 1)
        parts = [state[f"{norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
        x = functional.batch_norm(x, *parts, eps=1e-3)
        return functional.relu6(x) if activate else x

    x = (torch.from_numpy(pictures).permute(0, 3, 1, 2) * 255 - 127) / 128
    x, block, features = conv(x, "_conv_stem", "_bn0", 2), 0, []
    for stage, (repeats, _, stride, expansion) in enumerate(BLOCKS):
        for repeat in range(repeats):
            name, y = f"_blocks.{block}.", x
            if expansion > 1:
                y = conv(y, name + "_expand_conv", name + "_bn0")
            y = conv(y, name + "_depthwise_conv", name + "_bn1", 1 if repeat else stride, True)
            y = conv(y, name + "_project_conv", name + "_bn2", activate=False)
            x, block = x + y if repeat else y, block + 1
        if stage >= 2:
            flat = x.flatten(2)
            features += [flat.mean(2), flat.std(2, unbiased=False), flat.amax(2)]
    return torch.cat(features, 1).numpy()


@test
def features_equal_those_of_pytorch():
    if not os.path.exists(WEIGHTS):
        skip("PUAD_LITE0 names no file")
    if not importlib.util.find_spec("torch"):
        skip("PyTorch is not installed")
    random = np.random.default_rng(1)
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
