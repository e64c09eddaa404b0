"""Reads an ONNX file with nothing but Python: the protobuf fields of onnx.proto that an exported model has."""
import struct


def fields(data):
    """(number, value) of every field of a message: integers, 4 bytes, or the bytes of a length-delimited one."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            assert at + size <= len(data), "a field is longer than its message"
            value, at = data[at:at + size], at + size
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value if value < 1 << 63 else value - (1 << 64), at


def integers(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def one(data, number, otherwise=b""):
    return next((value for field, value in fields(data) if field == number), otherwise)


def every(data, number):
    return [value for field, value in fields(data) if field == number]


def attribute(data):
    kind = one(data, 20)
    value = {1: lambda: struct.unpack("<f", one(data, 2))[0], 2: lambda: one(data, 3), 3: lambda: one(data, 4).decode(),
             5: lambda: Graph(one(data, 6)), 6: lambda: [x[0] for x in struct.iter_unpack("<f", one(data, 7))],
             7: lambda: integers(one(data, 8)), 8: lambda: [text.decode() for text in every(data, 9)]}[kind]()
    return one(data, 1).decode(), value


class Node:
    def __init__(self, data):
        self.inputs = [text.decode() for text in every(data, 1)]
        self.outputs = [text.decode() for text in every(data, 2)]
        self.type, self.domain = one(data, 4).decode(), one(data, 7).decode()
        self.attributes = dict(attribute(entry) for entry in every(data, 5))


class Value:
    def __init__(self, data):
        tensor = one(one(data, 2), 1)
        self.name, self.type = one(data, 1).decode(), one(tensor, 1)
        self.shape = [one(size, 1, None) if one(size, 2, None) is None else one(size, 2).decode() for size in every(one(tensor, 2), 1)]


class Graph:
    WIDTH = {1: 4, 7: 8, 11: 8}

    def __init__(self, data):
        self.nodes = [Node(entry) for entry in every(data, 1)]
        self.inputs, self.outputs = [Value(entry) for entry in every(data, 11)], [Value(entry) for entry in every(data, 12)]
        self.constants = {}
        for tensor in every(data, 5):
            count = 1
            for size in integers(one(tensor, 1)):
                count *= size
            assert len(one(tensor, 9)) == count * self.WIDTH[one(tensor, 2)], "a constant's bytes and its shape"
            self.constants[one(tensor, 8).decode()] = one(tensor, 9)

    def check(self, outside=()):
        """Every value is made once, and before it is used."""
        known = set(outside)
        for name in [value.name for value in self.inputs] + list(self.constants):
            assert name and name not in known, f"'{name}' is made twice"
            known.add(name)
        for node in self.nodes:
            for name in node.inputs:
                assert name in known, f"{node.type} uses '{name}' before it is made"
            for value in node.attributes.values():
                if isinstance(value, Graph):
                    value.check(known)
            for name in node.outputs:
                assert name not in known, f"'{name}' is made twice"
                known.add(name)
        assert {value.name for value in self.outputs} <= known


class Model:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.version, self.graph = one(data, 1), Graph(one(data, 7))
        self.opsets = {one(entry, 1).decode(): one(entry, 2) for entry in every(data, 8)}


def walk(trees, row):
    """The sum of the leaves of a TreeEnsembleRegressor with one target for a row of floats."""
    places = {}
    for place, key in enumerate(zip(trees["nodes_treeids"], trees["nodes_nodeids"])):
        assert places.setdefault(key, place) == place, "a node is there twice"
    leaves = dict(zip(zip(trees["target_treeids"], trees["target_nodeids"]), trees["target_weights"]))
    total = 0.0
    for tree in sorted(set(trees["nodes_treeids"])):
        place = places[tree, 0]
        while trees["nodes_modes"][place] != "LEAF":
            assert trees["nodes_modes"][place] == "BRANCH_LEQ"
            yes = row[trees["nodes_featureids"][place]] <= trees["nodes_values"][place]
            place = places[tree, trees["nodes_truenodeids" if yes else "nodes_falsenodeids"][place]]
        total += leaves[tree, trees["nodes_nodeids"][place]]
    return total
