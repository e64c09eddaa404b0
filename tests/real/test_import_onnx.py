#!/usr/bin/python3
"""Networks exported by PyTorch to ONNX give PyTorch's features: residual blocks, inverted residuals with squeeze-excitation, SiLU and
hard-swish; an operator that is not supported is named. Needs PyTorch and onnx."""
import importlib.util
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, has, skip, test  # noqa: E402

SOURCE, BUILD = os.environ.get("SOURCE", "."), os.environ.get("BUILD", "build")
SIDE = 64
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def networks():
    import torch
    from torch import nn

    class Residual(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                                      nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
            self.skip = nn.Identity() if stride == 1 else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                                                        nn.BatchNorm2d(outputs))

        def forward(self, x):
            return nn.functional.relu(self.body(x) + self.skip(x))

    class Inverted(nn.Module):
        def __init__(self, channels, activation, gate):
            super().__init__()
            wide = 4 * channels
            self.expand = nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), activation(),
                                        nn.Conv2d(wide, wide, 5, 1, 2, groups=wide, bias=False), nn.BatchNorm2d(wide), activation())
            self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, channels, 1), activation(),
                                         nn.Conv2d(channels, wide, 1), gate())
            self.project = nn.Sequential(nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels))

        def forward(self, x):
            wide = self.expand(x)
            return x + self.project(wide * self.squeeze(wide))

    def head(channels):
        return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 10))

    torch.manual_seed(1)
    stem = [nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    resnet = nn.Sequential(*stem, Residual(16, 16, 1), Residual(16, 24, 2), Residual(24, 24, 1))
    yield "resnet", resnet, head(24)
    for name, activation, gate in (("efficientnet", nn.SiLU, nn.Sigmoid), ("mobilenet", nn.Hardswish, nn.Hardsigmoid)):
        stem = [nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16), activation(), nn.Conv2d(16, 16, 3, 2, 1, groups=4),
                nn.ReLU6(), nn.AvgPool2d(2)]
        yield name, nn.Sequential(*stem, Inverted(16, activation, gate), Inverted(16, activation, gate)), head(16)


def export(name, network):
    import torch

    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
    network.eval()
    torch.onnx.export(network, torch.zeros(1, 3, SIDE, SIDE), path(name + ".onnx"), dynamo=False,
                      training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    return subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "import_backbone"), path(name + ".onnx"), "-o", path(name)],
                          capture_output=True, text=True)


def need_peers():
    for module in ("torch", "onnx"):
        if not importlib.util.find_spec(module):
            skip(f"{module} is not installed")


@test
def features_equal_those_of_pytorch():
    need_peers()
    import torch

    pictures = np.random.default_rng(1).random((3, SIDE, SIDE, 3)).astype("<f4")
    pictures.tofile(path("pictures"))
    scaled = (pictures * 255 - [123.675, 116.28, 103.53]) / [58.395, 57.12, 57.375]
    for name, body, head in networks():
        done = export(name, torch.nn.Sequential(body, head))
        check(done.returncode == 0, f"{name}: {done.stderr}")
        helper = [os.path.join(BUILD, "tests", "helper-backbone_features"), path(name), str(SIDE), "1", path("pictures"), path("out")]
        done = subprocess.run(helper, capture_output=True, text=True)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        with torch.no_grad():
            last = body(torch.from_numpy(scaled).float().permute(0, 3, 1, 2)).flatten(2)
        expected = torch.cat([last.mean(2), last.std(2, unbiased=False), last.amax(2)], 1).numpy()
        found = np.fromfile(path("out"), "<f4").reshape(3, -1)[:, -expected.shape[1]:]
        check(np.abs(found - expected).max() < 1e-4, f"{name}: the largest difference is {np.abs(found - expected).max():g}")


@test
def an_unsupported_operator_is_named():
    need_peers()
    from torch import nn

    done = export("odd", nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Softplus(), nn.Conv2d(8, 8, 3)))
    check(done.returncode != 0 and has(done.stderr, "Softplus", "odd.onnx"), done.stderr)
    check(not os.path.exists(path("odd")), "no file is left")


finish()
