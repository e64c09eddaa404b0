"""Writes arrays as NumPy, zipfile and gzip write them, each beside NAME.expected: its elements in C order as float64.
usage: write_arrays.py FOLDER"""
import gzip
import io
import struct
import sys
import zipfile

import numpy as np

folder = sys.argv[1]
random = np.random.default_rng(0)
listing = []


def expect(name, array):
    with open(f"{folder}/{name}.expected", "wb") as out:
        out.write(np.ascontiguousarray(array).astype("<f8").tobytes())
    listing.append(f"{name} {array.ndim} " + " ".join(str(n) for n in array.shape))


def sample(kind, shape):
    kind = np.dtype(kind)
    if kind.kind == "b":
        return random.integers(0, 2, shape).astype(kind)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        values = random.integers(limits.min, limits.max, shape, dtype=kind.newbyteorder("="), endpoint=True)
        values.flat[0], values.flat[-1] = limits.min, limits.max
        return values.astype(kind)
    values = random.standard_normal(shape).astype(kind)
    values.flat[0], values.flat[-1] = np.finfo(kind).max, np.finfo(kind).smallest_subnormal
    return values


def npy_bytes(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


kinds = ["?", "u1", "i1"] + [order + kind for order in "<>" for kind in
                             ["u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]]
for kind in kinds:
    for order in "CF":
        for shape in [(7,), (5, 3), (70, 40), (2, 3, 4)]:
            letters = {"<": "little", ">": "big", "?": "bool"}
            name = f"{''.join(letters.get(c, c) for c in kind)}_{order}_{'x'.join(map(str, shape))}.npy"
            array = np.asarray(sample(kind, shape), order=order)
            np.save(f"{folder}/{name}", array)
            expect(name, array)
np.save(f"{folder}/scalar.npy", np.float32(2.5))
expect("scalar.npy", np.array(2.5))
np.save(f"{folder}/empty.npy", np.zeros((0, 4)))
expect("empty.npy", np.zeros((0, 4)))
for version in (1, 2, 3):
    array = sample("<f4", (3, 2))
    open(f"{folder}/version{version}.npy", "wb").write(npy_bytes(array, (version, 0)))
    expect(f"version{version}.npy", array)
np.save(f"{folder}/text.npy", np.array(["a", "bc"]))
np.save(f"{folder}/big_text.npy", np.array([["dent", "odd é"], ["", "a\0b"]], dtype=">U5", order="F"))
np.save(f"{folder}/bytes.npy", np.array([b"dent", "é".encode(), "é".encode("latin-1"), b""]))
np.save(f"{folder}/long_text.npy", np.array(["x" * 256]))
np.save(f"{folder}/complex.npy", np.zeros(3, dtype=complex))
np.save(f"{folder}/records.npy", np.zeros(3, dtype=[("a", "i4"), ("b", "f4")]))
np.save(f"{folder}/objects.npy", np.array([{}, 1], dtype=object), allow_pickle=True)

x, y = sample("<f8", (30, 4)), random.integers(0, 2, 30)
np.savez(f"{folder}/stored.npz", X=np.asfortranarray(x), y=y)
np.savez_compressed(f"{folder}/packed.npz", X=x, y=y)


class Pipe(io.RawIOBase):  # cannot seek: zipfile then puts sizes behind each member
    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


with zipfile.ZipFile(Pipe(f"{folder}/piped.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("X.npy", npy_bytes(x))
    archive.writestr("readme.txt", "not an array")
    archive.writestr("y.npy", npy_bytes(y))
with zipfile.ZipFile(f"{folder}/large.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.comment = b"PK\5\6 is not the end"
    for name, array in (("X", x), ("y", y)):
        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
            member.write(npy_bytes(array))
with zipfile.ZipFile(f"{folder}/lzma.npz", "w", zipfile.ZIP_LZMA) as archive:
    archive.writestr("X.npy", npy_bytes(x))
many = 65540  # more members than 16 bits count: the 64-bit directory is written
with zipfile.ZipFile(f"{folder}/many.npz", "w", zipfile.ZIP_STORED) as archive:
    for i in range(many):
        archive.writestr(f"{i}.npy" if i % 8192 == 0 else str(i), npy_bytes(np.array([i])) if i % 8192 == 0 else b"")
    archive.writestr("X.npy", npy_bytes(x))
    archive.writestr("y.npy", npy_bytes(y))
for name, array in (("X", x), ("y", y)):
    expect(name, array)


def idx(code, array):
    return struct.pack(">BBBB", 0, 0, code, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


for code, kind in ((8, "u1"), (9, "i1"), (0x0B, ">i2"), (0x0C, ">i4"), (0x0D, ">f4"), (0x0E, ">f8")):
    array = sample(kind, (6, 5, 4))
    for name, data in ((f"idx{code}.idx", idx(code, array)), (f"idx{code}.idx.gz", gzip.compress(idx(code, array)))):
        open(f"{folder}/{name}", "wb").write(data)
        expect(name, array)
array = sample("u1", (3, 4))
whole = idx(8, array)
open(f"{folder}/two_members.idx.gz", "wb").write(gzip.compress(whole[:9]) + gzip.compress(whole[9:]) + bytes(40))
expect("two_members.idx.gz", array)
open(f"{folder}/listing", "w").write("\n".join(listing) + "\n")
