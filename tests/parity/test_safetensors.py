"""The container is the published layout: numpy reads what the library wrote, the library reads what numpy wrote, and a
file that is wrong in any one way is refused with its name."""
import json
import os
import struct
import subprocess
import tempfile

import numpy as np

HELPER = os.path.join(os.environ.get("BUILD", "build"), "tests", "helper-safetensors")
DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
          "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "?"}


def load(path):
    raw = open(path, "rb").read()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    texts = header.pop("__metadata__", {})
    data = raw[8 + length:]
    tensors = {name: np.frombuffer(data[e["data_offsets"][0]:e["data_offsets"][1]], DTYPES[e["dtype"]]).reshape(e["shape"])
               for name, e in header.items()}
    return texts, tensors, header, 8 + length


def pack(header, data, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def run(mode, path):
    return subprocess.run([HELPER, mode, path], capture_output=True, text=True)


def check_written(folder):
    path = os.path.join(folder, "sample.safetensors")
    assert run("write", path).returncode == 0
    texts, tensors, header, start = load(path)
    assert texts == {"method": "pusvdd", "note": 'quotes " and \\ and \n and \u00e4'}, texts
    assert np.array_equal(tensors["weights"], np.array([[1.5, -2, 3e-20], [4, 5, 6]], np.float32))
    assert tensors["counts"].tolist() == [-1, 2**40] and tensors["marks"].tolist() == [0, 255, 7]
    assert tensors["exact"].shape == () and tensors["exact"] == 0.1 and tensors["nothing"].shape == (0, 3)
    assert start % 64 == 0
    for name, entry in header.items():
        assert entry["data_offsets"][0] % tensors[name].itemsize == 0, "a tensor lies askew"
    assert sorted(os.listdir(folder)) == ["sample.safetensors"], "something else was left behind"


def check_document(folder):
    """The Python of docs/reference/model-format.md does what it says."""
    text = open(os.path.join(os.environ.get("SOURCE", "."), "docs", "reference", "model-format.md")).read()
    names = {"path": os.path.join(folder, "sample.safetensors")}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["strings"]["method"] == "pusvdd" and names["tensors"]["weights"].shape == (2, 3)
    assert names["tensors"]["marks"].tolist() == [0, 255, 7]
    assert {"F32", "U32", "U64"} <= set(names["types"]), "a type that models have is not in the document"


def check_read(folder):
    rng = np.random.default_rng(0)
    path = os.path.join(folder, "numpy.safetensors")
    header, data, expected = {"__metadata__": {"a": "b", "empty": ""}}, b"", []
    names = list(DTYPES)
    rng.shuffle(names)
    for i, dtype in enumerate(names):  # odd sizes on purpose: most tensors lie askew
        shape = [int(n) for n in rng.integers(0, 4, i % 4)] if i % 4 else [3]
        values = rng.integers(0, 2, shape).astype(DTYPES[dtype])
        header[f"t{i}"] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
        expected.append(" ".join(["tensor", f"t{i}", dtype, *map(str, shape), ":", values.tobytes().hex()]).rstrip())
    items = list(header.items())
    rng.shuffle(items)
    open(path, "wb").write(pack(dict(items), data))
    result = run("read", path)
    assert result.returncode == 0, result.stderr
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert sorted(lines) == sorted(["text a 62", "text empty", *expected]), lines


def check_refused(folder):
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}

    def one(**changes):
        return pack({"x": {**entry, **changes}}, bytes(8))

    cases = {
        "empty file": (b"", "offset 0"),
        "cut length": (b"\1\0\0", "offset 0"),
        "length beyond the file": (pack(b"{}", b"", 3), "offset 0"),
        "huge length": (pack(b"{}", b"", 2**64 - 1), "offset 0"),
        "no object": (pack(b"[]", b""), "'{'"),
        "broken JSON": (pack(b'{"x": {"dtype": }', b""), "JSON"),
        "zero byte": (pack(b'{"x\0":1}', b""), "offset 11"),
        "after the header": (pack(b"{} x", b""), "offset "),
        "deep": (pack(b'{"x":' * 5 + b"1" + b"}" * 5, b""), "header"),
        "very deep": (pack(b"{" + b"[" * 100000, b""), "header"),
        "many values": (pack(b'{"x":[' + b"0," * 200000 + b"0]}", b""), "values"),
        "cut data": (one()[:-1], "data_offsets 0 to 8"),
        "trailing bytes": (one() + b"z", "tensor"),
        "no fields": (pack({"x": 3}, b""), "dtype"),
        "extra field": (pack({"x": {**entry, "more": 1}}, bytes(8)), "dtype"),
        "unknown type": (one(dtype="F31"), "dtype"),
        "type is a number": (one(dtype=4), "dtype"),
        "shape is text": (one(shape="2"), "shape"),
        "negative shape": (one(shape=[-2]), "shape"),
        "fractional shape": (one(shape=[2.5]), "shape"),
        "overflowing shape": (one(shape=[2**40, 2**40]), "shape"),
        "overflowing bytes": (one(shape=[2**40, 2**22]), "too large"),
        "inexact shape": (one(shape=[1e30]), "shape"),
        "nine dimensions": (one(shape=[1] * 9), "dimensions"),
        "wrong size": (one(shape=[3]), "12"),
        "turned offsets": (one(data_offsets=[8, 0]), "8 to 0"),
        "three offsets": (one(data_offsets=[0, 4, 8]), "data_offsets"),
        "negative offset": (one(data_offsets=[-1, 7]), "data_offsets"),
        "hole at the start": (pack({"x": {**entry, "data_offsets": [4, 12]}}, bytes(12)), "'x'"),
        "hole": (pack({"x": entry, "y": {**entry, "data_offsets": [12, 20]}}, bytes(20)), "'y'"),
        "overlap": (pack({"x": entry, "y": {**entry, "data_offsets": [4, 12]}}, bytes(12)), "overlaps"),
        "twice": (pack(b'{"x":%b,"x":%b}' % ((json.dumps(entry).encode(),) * 2), bytes(8)), "twice"),
        "metadata twice": (pack(b'{"__metadata__":{},"__metadata__":{}}', b""), "twice"),
        "text twice": (pack(b'{"__metadata__":{"a":"1","a":"2"}}', b""), "twice"),
        "metadata of numbers": (pack({"__metadata__": {"a": 1}}, b""), "'a'"),
        "metadata is text": (pack({"__metadata__": "a"}, b""), "__metadata__"),
        "escape codes in a name": (pack({"\x1b[2J": entry}, bytes(8)), "not printable"),
        "long name": (pack({"x" * 300: entry}, bytes(8)), "too long"),
        "too many tensors": (pack({str(i): 0 for i in range(5000)}, b""), "at most"),
    }
    path = os.path.join(folder, "bad.safetensors")
    for name, (raw, message) in cases.items():
        open(path, "wb").write(raw)
        result = run("read", path)
        assert result.returncode == 1, (name, result)
        assert result.stderr.startswith(path + ": ") and message in result.stderr, (name, result.stderr)
    open(path, "wb").write(one())
    assert run("read", path).returncode == 0
    return len(cases)


with tempfile.TemporaryDirectory() as folder:
    check_written(folder)
    check_document(folder)
    check_read(folder)
    print(f"{check_refused(folder) + 3} passed, 0 failed")
