#!/usr/bin/python3
"""A backbone's features equal those of NumPy, on any size and instruction set; damaged files are refused."""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
import tiny_backbone  # noqa: E402
from checks import check, finish, test  # noqa: E402

HELPER = os.path.join(os.environ.get("BUILD", "build"), "tests", "helper-backbone_features")
folder = tempfile.TemporaryDirectory()
PATH = os.path.join(folder.name, "tiny.safetensors")


def run(backbone, pictures, side, threads=1, isa=None):
    """The helper's exit status, message and features."""
    raw, out = (os.path.join(folder.name, name) for name in ("pictures", "features"))
    pictures.astype("<f4").tofile(raw)
    environment = dict(os.environ, **({"PUAD_ISA": isa} if isa else {}))
    done = subprocess.run([HELPER, backbone, str(side), str(threads), raw, out], capture_output=True, text=True,
                          env=environment)
    found = np.fromfile(out, "<f4").reshape(len(pictures), -1) if done.returncode == 0 else None
    return done.returncode, done.stderr, found


def pictures_of(side, count=3):
    return np.random.default_rng(side).random((count, side, side, 3)).astype(np.float32)


@test
def test_features_equal_numpy():
    for side in (32, 33, 45):
        graph, stages = tiny_backbone.make(PATH, side)
        pictures = pictures_of(side)
        expected = np.array([tiny_backbone.features(graph, stages, p) for p in pictures])
        for isa in ("reference", "baseline", None):
            status, message, found = run(PATH, pictures, side, isa=isa)
            check(status == 0, f"side {side}: {message}")
            error = np.abs(found - expected).max() if status == 0 else np.inf
            check(error < 1e-4, f"side {side}, {isa}: features differ by {error}")


@test
def test_threads_give_the_same_bits():
    tiny_backbone.make(PATH)
    pictures = pictures_of(32, 9)
    one, two = (run(PATH, pictures, 32, threads)[2] for threads in (1, 2))
    check(np.array_equal(one, two), "two threads give other features")


def refused(change, word):
    tiny_backbone.make(PATH, change=change)
    status, message, _ = run(PATH, pictures_of(32), 32)
    check(status == 1 and word in message and PATH in message, f"{word}: status {status}, {message!r}")


@test
def test_wrong_descriptions_are_refused_with_their_place():
    def set_node(index, **values):
        return lambda d: d["nodes"][index].update(values)

    refused(set_node(3, operator="lstm"), "node 3")
    refused(set_node(3, inputs=[4]), "node 3")
    refused(set_node(3, inputs=[]), "node 3")
    refused(set_node(0, stride=0), "node 0")
    refused(set_node(0, stride=1.5), "node 0")
    refused(set_node(0, tensor="none"), "node 0")
    refused(set_node(2, groups=7), "node 2")
    refused(set_node(2, activation="softplus"), "node 2")
    refused(set_node(7, inputs=[1, 2]), "node 7")
    refused(set_node(8, padding=[1e9, 0, 0, 0]), "node 8")
    refused(lambda d: d.update(side=1 << 20), "side")
    refused(lambda d: d.update(deviation=[0, 0, 0]), "deviation")
    refused(lambda d: d.update(stages=[99]), "stages")
    refused(lambda d: d.update(nodes=[]), "nodes")
    refused(lambda d: d["nodes"].__setitem__(slice(0, None), d["nodes"][:1] * 3000), "nodes")


@test
def test_damaged_files_are_refused():
    tiny_backbone.make(PATH)
    with open(PATH, "rb") as file:
        whole = file.read()
    size = struct.unpack("<Q", whole[:8])[0]
    damaged = bytearray(whole)
    damaged[8 + size + 100] ^= 64
    header = json.loads(whole[8:8 + size])
    for name, contents in (("flipped bit", bytes(damaged)), ("cut off", whole[:-10]), ("empty", b""),
                           ("only a header", whole[:8 + size])):
        with open(PATH, "wb") as file:
            file.write(contents)
        status, message, _ = run(PATH, pictures_of(32), 32)
        check(status == 1 and PATH in message, f"{name}: status {status}, {message!r}")
    check("backbone" in header["__metadata__"], "the description is in the metadata")


@test
def test_numbers_that_are_not_finite_are_refused():
    graph, _ = tiny_backbone.make(PATH)
    importer = tiny_backbone.tool()
    graph.tensors["0.weight"][0, 0, 0, 0] = np.nan
    importer.write(PATH, graph, {"name": "tiny", "side": 32, "mean": [0] * 3, "deviation": [1] * 3,
                                 "nodes": graph.nodes, "stages": [1]})
    status, message, _ = run(PATH, pictures_of(32), 32)
    check(status == 1 and "0.weight" in message, f"status {status}, {message!r}")


finish()
