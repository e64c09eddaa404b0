"""Makes step.safetensors: what PyTorch computes for one training step of conv32 and mlp.

    /usr/bin/python3 tests/parity/make_step.py [OUTPUT]

tests/conformance/parity.c runs the same step with our own code and compares. Weights and rows are not stored: both
sides draw them from the project's generator (Philox 4x32-10, written again below), so the file holds results only, and
the comparison covers the drawing of the weights too. PyTorch runs in double precision on the float32 weights and rows,
so what the test sees is our own rounding. Of each large tensor SAMPLES values at places i * STRIDE mod size are kept,
and its sum and its norm over all values.

The step: forward in training mode, scores, the objective pu_abs (alpha 0.1, the last two rows are labeled anomalies),
backward, Adam with L2 decay; then the scores in evaluation mode. Names and the order of values inside a tensor are
ours (docs/explanation/networks.md)."""
import copy
import json
import math
import os
import sys

import numpy as np
import torch
import torch.nn as nn

SEED, ROWS, ANOMALIES, ALPHA, SAMPLES, STRIDE = 7, 8, 2, 0.1, 160, 7919

# name: network, head, channels (0 for mlp), which rows are drawn, whether the code is the dense layer's raw output.
# Rows of images were chosen among 300 draws so that every value stays MARGIN away from where the gradient jumps and
# rounding in float32 would decide: see margin().
CASES = {
    "conv32-reconstruction": ("conv32", "reconstruction", 3, 206, False),
    "conv32-reconstruction-gray": ("conv32", "reconstruction", 1, 116, False),
    "conv32-distance": ("conv32", "distance", 3, 186, False),
    "conv32-distance-gray": ("conv32", "distance", 1, 210, False),
    "conv32-distance-linear": ("conv32", "distance", 3, 186, True),
    "conv32-logit": ("conv32", "logit", 3, 254, False),
    "mlp-reconstruction": ("mlp", "reconstruction", 0, 0, False),
    "mlp-distance": ("mlp", "distance", 0, 0, False),
    "mlp-logit": ("mlp", "logit", 0, 0, False),
}
MARGIN = 1.9e-5
MLP_COLUMNS, MLP_WIDTH, MLP_LATENT = 11, 48, 5


def stream(name, index):
    value = 0xCBF29CE484222325
    for byte in name.encode() + index.to_bytes(8, "little"):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def philox(seed, which, blocks):
    """The first `blocks` blocks of four words of a stream."""
    position = np.arange(blocks, dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    counter = [position & low, position >> np.uint64(32), np.full(blocks, which & 0xFFFFFFFF, np.uint64),
               np.full(blocks, which >> 32, np.uint64)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * counter[0], np.uint64(0xCD9E8D57) * counter[2]
        counter = [(second >> np.uint64(32)) ^ counter[1] ^ np.uint64(key[0]), second & low,
                   (first >> np.uint64(32)) ^ counter[3] ^ np.uint64(key[1]), first & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(counter, 1)


def uniform(name, index, count):
    """`count` draws in [0, 1) with 53 bits, as rng_uniform makes them."""
    words = philox(SEED, stream(name, index), (count + 1) // 2).reshape(-1, 2)[:count]
    return (((words[:, 0] << np.uint64(32)) | words[:, 1]) >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Conv:
    """5x5 without bias: ours [ky][kx][in][out]; of a transposed one both taps run backward."""

    def __init__(self, inputs, outputs, transposed):
        self.shape, self.transposed = (5, 5, inputs, outputs), transposed
        kind = nn.ConvTranspose2d if transposed else nn.Conv2d
        self.module = kind(inputs, outputs, 5, padding=2, bias=False)

    def fan_in(self):
        return 25 * self.shape[2]

    def to_torch(self, flat):
        ours = flat.reshape(self.shape)
        return [ours[::-1, ::-1].transpose(2, 3, 0, 1) if self.transposed else ours.transpose(3, 2, 0, 1)]

    def from_torch(self, tensors):
        return (tensors[0].transpose(2, 3, 0, 1)[::-1, ::-1] if self.transposed else tensors[0].transpose(2, 3, 1, 0)).ravel()


class Dense:
    """Ours [in][out], then the bias. Inputs of an image come as (y, x, c), PyTorch flattens (c, y, x)."""

    def __init__(self, inputs, outputs, bias, image=None):
        self.inputs, self.outputs, self.bias, self.image = inputs, outputs, bias, image
        self.module = nn.Linear(inputs, outputs, bias=bias)

    def fan_in(self):
        return self.inputs

    def to_torch(self, flat):
        weights, rest = flat[:self.inputs * self.outputs].reshape(self.inputs, self.outputs), flat[self.inputs * self.outputs:]
        if self.image:
            weights = weights.reshape(*self.image, self.outputs).transpose(2, 0, 1, 3).reshape(self.inputs, self.outputs)
        return [weights.T] + ([rest] if self.bias else [])

    def from_torch(self, tensors):
        weights = tensors[0].T
        if self.image:
            height, width, channels = self.image
            weights = weights.reshape(channels, height, width, self.outputs).transpose(1, 2, 0, 3)
        return np.concatenate([weights.ravel()] + [t.ravel() for t in tensors[1:]])


class Norm:
    """Ours: scale, then shift. They start as 1 and 0, which would hide mistakes: here they are drawn."""

    def __init__(self, channels, affine, image):
        self.channels, self.affine = channels, affine
        self.module = (nn.BatchNorm2d if image else nn.BatchNorm1d)(channels, affine=affine)

    def to_torch(self, flat):
        return [flat[:self.channels], flat[self.channels:]] if self.affine else []

    def from_torch(self, tensors):
        return np.concatenate([t.ravel() for t in tensors]) if tensors else np.zeros(0)


class Plain:
    """No parameters; `ours` tells how many of our layers it is (activation, pooling and up-sampling are fused)."""

    def __init__(self, module, ours):
        self.module, self.ours = module, ours


def conv32(head, linear):
    affine, layers, channels = head != "distance", [], 3
    for out in (32, 64, 128):
        layers += [Conv(channels, out, False), Norm(out, affine, True), Plain(nn.LeakyReLU(0.01), 0), Plain(nn.MaxPool2d(2), 0)]
        channels = out
    layers += [Plain(nn.Flatten(), 0), Dense(2048, 128, False, (4, 4, 128))]
    if head == "distance" and linear:
        return layers
    layers += [Norm(128, affine, False), Plain(nn.LeakyReLU(0.01), 0)]
    if head == "logit":
        return layers + [Dense(128, 1, True)]
    if head == "distance":
        return layers
    layers, channels = layers + [Plain(nn.Unflatten(1, (8, 4, 4)), 1)], 8
    for out in (128, 64, 32):
        layers += [Conv(channels, out, True), Norm(out, affine, True), Plain(nn.LeakyReLU(0.01), 0),
                   Plain(nn.Upsample(scale_factor=2), 0)]
        channels = out
    return layers + [Conv(32, 3, True), Plain(nn.Sigmoid(), 1)]


def mlp(head):
    bias, layers, inputs = head != "distance", [], MLP_COLUMNS
    for _ in range(3):
        layers += [Dense(inputs, MLP_WIDTH, bias), Plain(nn.ReLU(), 1)]
        inputs = MLP_WIDTH
    layers += [Dense(MLP_WIDTH, MLP_LATENT, bias)]
    if head == "distance":
        return layers
    if head == "logit":
        return layers + [Dense(MLP_LATENT, 1, True)]
    inputs = MLP_LATENT
    for _ in range(3):
        layers += [Dense(inputs, MLP_WIDTH, bias), Plain(nn.ReLU(), 1)]
        inputs = MLP_WIDTH
    return layers + [Dense(MLP_WIDTH, MLP_COLUMNS, bias)]


def start(layers):
    """Draws every parameter as the C side does; returns (our layer's index, layer) of those that have any."""
    index, found = 0, []
    for layer in layers:
        if isinstance(layer, Plain):
            index += layer.ours
            continue
        if isinstance(layer, Norm):
            if layer.affine:
                draws = uniform("parity norm", index, 2 * layer.channels)
                flat = (0.2 * draws - 0.1).astype(np.float32)
                flat[:layer.channels] += np.float32(1)
        else:
            count = sum(p.numel() for p in layer.module.parameters())
            flat = ((2 * uniform("weights", index, count) - 1) * (1 / math.sqrt(layer.fan_in()))).astype(np.float32)
        layer.module.double()
        parameters = list(layer.module.parameters())
        for parameter, values in zip(parameters, layer.to_torch(flat) if parameters else []):
            parameter.data = torch.from_numpy(values.astype(np.float64).copy())
        found.append((index, layer))
        index += 1
    return found


def score(head, outputs, rows):
    if head == "reconstruction":
        return (outputs - rows).flatten(1).norm(dim=1)
    return (outputs - 0.1).pow(2).sum(1) if head == "distance" else outputs[:, 0]


def losses(head, s):
    if head == "reconstruction":
        return s, -torch.log(-torch.expm1(-(s + 1e-6)))
    return (s, 1 / (s + 1e-6)) if head == "distance" else (torch.sigmoid(s), torch.sigmoid(-s))


def keep(tensors, name, flat):
    flat = np.asarray(flat, np.float64).ravel()
    places = np.arange(min(flat.size, SAMPLES)) if flat.size <= SAMPLES else np.arange(SAMPLES) * STRIDE % flat.size
    tensors[name] = flat[places].astype(np.float32)
    tensors[name + "/sums"] = np.array([flat.sum(), np.sqrt((flat**2).sum())], np.float32)


def margin(net, rows):
    """The least distance of a value that matters from zero before LeakyReLU, and of the two largest of a pooled four."""
    least, modules = [], list(net)
    with torch.no_grad():
        for i, module in enumerate(modules):
            if isinstance(module, nn.LeakyReLU):
                matter = rows
                if i + 1 < len(modules) and isinstance(modules[i + 1], nn.MaxPool2d):
                    four = rows.unfold(2, 2, 2).unfold(3, 2, 2).flatten(4).sort(-1).values
                    least.append((four[..., 3] - four[..., 2]).min().item())
                    matter = four[..., 3]
                least.append(matter.abs().min().item())
            rows = module(rows)
    return min(least)


def run_case(tensors, case, network, head, channels, draw, linear):
    layers = conv32(head, linear) if network == "conv32" else mlp(head)
    with_parameters = start(layers)
    net = nn.Sequential(*[layer.module for layer in layers]).double()
    size = 32 * 32 * channels if channels else MLP_COLUMNS
    rows = torch.from_numpy(uniform("parity rows", draw, ROWS * size).astype(np.float32).astype(np.float64))
    if channels:
        rows = rows.reshape(ROWS, 32, 32, channels).permute(0, 3, 1, 2).expand(-1, 3, -1, -1).contiguous()
    else:
        rows = rows.reshape(ROWS, size)
    if channels:
        assert margin(copy.deepcopy(net), rows) >= MARGIN, f"{case}: a value lies too near to a jump of the gradient"
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-3)
    s = score(head, net(rows), rows)
    neg, pos = losses(head, s)
    unlabeled = ROWS - ANOMALIES
    loss = ALPHA * pos[unlabeled:].mean() + (neg[:unlabeled].mean() - ALPHA * neg[unlabeled:].mean()).abs()
    loss.backward()
    gradients = [[p.grad.numpy().copy() for p in layer.module.parameters()] for _, layer in with_parameters]
    optimizer.step()
    tensors[f"{case}/scores"] = s.detach().numpy().astype(np.float32)
    tensors[f"{case}/loss"] = np.array([loss.item()], np.float32)
    for (index, layer), gradient in zip(with_parameters, gradients):
        if gradient:
            keep(tensors, f"{case}/{index}/gradient", layer.from_torch(gradient))
            keep(tensors, f"{case}/{index}/after", layer.from_torch([p.detach().numpy() for p in layer.module.parameters()]))
        if isinstance(layer, Norm):
            keep(tensors, f"{case}/{index}/state", np.concatenate([layer.module.running_mean, layer.module.running_var]))
    net.eval()
    with torch.no_grad():
        tensors[f"{case}/scores_after"] = score(head, net(rows), rows).numpy().astype(np.float32)


def write(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text + data)


if __name__ == "__main__":
    results = {}
    for name, arguments in CASES.items():
        run_case(results, name, *arguments)
    write(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "step.safetensors"), results)
