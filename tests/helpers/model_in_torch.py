"""A model file opened with numpy, its weights in PyTorch. docs/reference/model-format.md says what the tensors are called,
docs/explanation/networks.md how they lie beside PyTorch's."""
import json
import struct

import numpy as np
import torch
from torch import nn


def read_model(path):
    raw = open(path, "rb").read()
    length, = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    texts = {name: value for name, value in header.pop("__metadata__").items()}
    types = {"F32": "<f4", "I32": "<i4"}
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(raw[begin:end], types[entry["dtype"]]).reshape(entry["shape"]).copy()
    return json.loads(texts["recipe"]), json.loads(texts.get("table", "null")), tensors


def dense(tensors, index):
    weight = torch.from_numpy(tensors[f"{index}.dense.weight"])
    bias = tensors.get(f"{index}.dense.bias")
    layer = nn.Linear(weight.shape[0], weight.shape[1], bias=bias is not None)
    layer.weight.data = weight.T.contiguous()
    if bias is not None:
        layer.bias.data = torch.from_numpy(bias)
    return layer


def convolution(tensors, index):
    weight = torch.from_numpy(tensors[f"{index}.convolution.weight"])  # ky, kx, in, out
    layer = nn.Conv2d(weight.shape[2], weight.shape[3], 5, padding=2, bias=False)
    layer.weight.data = weight.permute(3, 2, 0, 1).contiguous()
    return layer


def norm(tensors, index, kind):
    part = {name: tensors.get(f"{index}.norm.{name}") for name in ("scale", "shift", "running_mean", "running_variance")}
    layer = kind(len(part["running_mean"]), affine=part["scale"] is not None)
    layer.running_mean = torch.from_numpy(part["running_mean"])
    layer.running_var = torch.from_numpy(part["running_variance"])
    if layer.affine:
        layer.weight.data, layer.bias.data = torch.from_numpy(part["scale"]), torch.from_numpy(part["shift"])
    return [layer, nn.LeakyReLU(0.01)]


class FlattenLast(nn.Module):
    """Images as (y, x, c), the order in which the dense layer reads them."""

    def forward(self, x):
        return x.permute(0, 2, 3, 1).flatten(1)


def conv32(recipe, tensors):
    layers = []
    for index in (0, 2, 4):
        layers += [convolution(tensors, index), *norm(tensors, index + 1, nn.BatchNorm2d), nn.MaxPool2d(2)]
    layers += [FlattenLast(), dense(tensors, 6)]
    if not (recipe["head"] == "distance" and recipe["linear_code"]):
        layers += norm(tensors, 7, nn.BatchNorm1d)
    if recipe["head"] == "logit":
        layers += [dense(tensors, 8)]
    if recipe["head"] == "reconstruction":
        layers += [nn.Unflatten(1, (8, 4, 4))]
        for index in (9, 11, 13):
            layers += [nn.Upsample(scale_factor=2)] * (index > 9) + [convolution(tensors, index)]
            layers += norm(tensors, index + 1, nn.BatchNorm2d)
        layers += [nn.Upsample(scale_factor=2), convolution(tensors, 15), nn.Sigmoid()]
    return nn.Sequential(*layers).eval()


def mlp(recipe, tensors):
    del recipe
    indices = sorted(int(name.split(".")[0]) for name in tensors if name.endswith(".dense.weight"))
    layers = []
    for place, index in enumerate(indices):
        layers.append(dense(tensors, index))
        if place + 1 < len(indices) and indices[place + 1] == index + 2:  # a ReLU lies between
            layers.append(nn.ReLU())
    return nn.Sequential(*layers).eval()


class Model:
    """What `puad score` does, in PyTorch. Rows are a mapping from column names to values (numbers only), or images."""

    def __init__(self, path):
        self.recipe, self.table, self.tensors = read_model(path)
        self.network = {"conv32": conv32, "mlp": mlp}[self.recipe["network"]](self.recipe, self.tensors)

    def encode(self, rows):
        if self.table["kind"] == "table":
            columns = [column for column in self.table["columns"] if column["type"] == "number"]
            held = [((rows[column["name"]] - column["pivot"]) * column["factor"]).astype(np.float32) for column in columns]
            held = [np.clip(h, column.get("low", -np.inf), column.get("high", np.inf)) for h, column in zip(held, columns)]
            scaled = [(h - column["mean"]) / column["sd"] * self.table.get("scale", 1) for h, column in zip(held, columns)]
            x = np.stack([(v - column.get("shift", 0)) / column.get("spread", 1) for v, column in zip(scaled, columns)], 1)
        else:
            x = rows / self.table["divisor"]
            x = np.moveaxis(x if x.ndim == 4 else np.repeat(x[..., None], 3, 3), 3, 1)
        return torch.from_numpy(np.ascontiguousarray(x, np.float32))

    def scores(self, rows):
        x = self.encode(rows)
        with torch.no_grad():
            y = self.network(x)
            if self.recipe["head"] == "reconstruction":
                return (y - x).flatten(1).norm(dim=1).numpy()
            if self.recipe["head"] == "distance":
                return (y - torch.from_numpy(self.tensors["center"])).square().sum(1).numpy()
            return y[:, 0].numpy()
