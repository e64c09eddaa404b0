"""A small backbone with every operator, and the same in NumPy."""
import importlib.machinery
import importlib.util
import os

import numpy as np

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "import_backbone")


def tool():
    loader = importlib.machinery.SourceFileLoader("import_backbone", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("import_backbone", loader))
    loader.exec_module(module)
    return module


def make(path, side=32, seed=1, change=None):
    """Writes a backbone; `change` may alter its description. Returns the graph and the stages."""
    importer, random = tool(), np.random.default_rng(seed)
    graph = importer.Graph(side)

    def conv(x, out, taps, groups=1, **more):
        inputs = graph.shapes[x][1] // groups
        weight = random.normal(size=(out, inputs, taps, taps)) * np.sqrt(2 / (inputs * taps * taps))
        return graph.conv(x, weight, random.normal(size=out) * 0.1, groups=groups, **more)

    def plain(operator, inputs, height=None, activation="none"):
        size, channels = graph.shapes[inputs[0]]
        return graph.add(operator, inputs, height or size, channels, activation=activation)

    stem = conv(0, 20, 3, stride=2, padding="same", activation="relu6")
    pooled = graph.pool("max_pool", stem, 3, 2, (1, 1, 1, 1))
    wide = conv(pooled, 40, 1, activation="silu")
    deep = conv(wide, 40, 5, groups=40, padding="same", activation="hard_swish")
    gate = conv(plain("global_pool", [deep], 1), 40, 1, activation="hard_sigmoid")
    scaled = plain("scale", [deep, gate])
    narrow = conv(scaled, 20, 1)
    joined = plain("add", [narrow, pooled])
    grouped = conv(joined, 24, 3, groups=2, stride=2, padding=(1, 1, 1, 1), activation="relu")
    skip = conv(joined, 24, 1, stride=2)
    total = plain("add", [grouped, skip], activation="sigmoid")
    small = graph.pool("average_pool", total, 2, 2, "same")
    last = plain("activate", [small], activation="relu")
    stages = [joined, total, last]
    description = {"name": "tiny", "side": side, "mean": [120, 110, 100], "deviation": [60, 50, 40],
                   "nodes": graph.nodes, "stages": stages}
    if change:
        change(description)
    importer.write(path, graph, description)
    return graph, stages


ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
}


def windows(x, taps, stride, padding, fill):
    """Every tap of every output, [i][j][y][x][channel], with `fill` beyond the edges."""
    height = x.shape[0]
    if padding == "same":
        needed = max((-(-height // stride) - 1) * stride + taps - height, 0)
        padding = [needed // 2, needed // 2, needed - needed // 2, needed - needed // 2]
    x = np.pad(x, ((padding[0], padding[2]), (padding[1], padding[3]), (0, 0)), constant_values=fill)
    out = (x.shape[0] - taps) // stride + 1
    end = (out - 1) * stride + 1
    return np.array([[x[i:i + end:stride, j:j + end:stride] for j in range(taps)] for i in range(taps)])


def features(graph, stages, picture):
    """Mean, deviation and max of each stage, from a picture in [0, 1]."""
    values = [(picture.astype(np.float64) * 255 - [120, 110, 100]) / [60, 50, 40]]
    for node in graph.nodes:
        x, kind = values[node["inputs"][0]], node["operator"]
        other = values[node["inputs"][-1]]
        if kind == "conv":
            weight, groups = graph.tensors[node["tensor"] + ".weight"].astype(np.float64), node["groups"]
            taps = windows(x, weight.shape[1], node["stride"], node["padding"], 0)
            parts = zip(np.split(taps, groups, 4), np.split(weight, groups, 0))
            y = np.concatenate([np.einsum("ijyxc,oijc->yxo", t, w) for t, w in parts], 2)
            y = y + graph.tensors[node["tensor"] + ".bias"]
        elif kind == "max_pool":
            y = windows(x, node["taps"], node["stride"], node["padding"], -np.inf).max((0, 1))
        elif kind == "average_pool":
            y = np.nanmean(windows(x, node["taps"], node["stride"], node["padding"], np.nan), (0, 1))
        else:
            y = {"global_pool": lambda: x.mean((0, 1), keepdims=True), "add": lambda: x + other,
                 "scale": lambda: x * other, "activate": lambda: x}[kind]()
        values.append(ACTIVATIONS[node.get("activation", "none")](y))
    pooled = [np.concatenate([v.mean((0, 1)), v.std((0, 1)), v.max((0, 1))]) for v in (values[s] for s in stages)]
    return np.concatenate(pooled)
