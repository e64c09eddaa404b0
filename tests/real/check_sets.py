"""Compares what was read from a public set with the published digests and with what other tools read.
usage: check_sets.py SET DATA FOLDER      FOLDER holds SET.PART.pixels (uint8, channels last) and SET.PART.classes (int32)"""
import gzip
import hashlib
import os
import struct
import sys

import numpy as np

name, data, folder = sys.argv[1:]
parts = ("train", "test")
classes = {part: np.fromfile(f"{folder}/{name}.{part}.classes", "<i4") for part in parts}
pixels = {part: np.fromfile(f"{folder}/{name}.{part}.pixels", np.uint8).reshape(len(classes[part]), -1) for part in parts}


def same(what, actual, expected):
    if isinstance(actual, np.ndarray):
        if actual.shape != expected.shape or not np.array_equal(actual, expected):
            sys.exit(f"{name}: {what} differs")
    elif actual != expected:
        sys.exit(f"{name}: {what} is {actual}, expected {expected}")


def idx_bytes(array):
    return struct.pack(">BBBB", 0, 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def check_idx(digests):
    for part, stem in zip(parts, ("train", "t10k")):
        images = idx_bytes(pixels[part].reshape(-1, 28, 28))
        labels = idx_bytes(classes[part].astype(np.uint8))
        same(f"{part} images", images, gzip.open(f"{data}/{name}/{stem}-images-idx3-ubyte.gz").read())
        for what, content in (("images", images), ("labels", labels)):
            expected = digests.get(f"{part} {what}")
            if expected:
                same(f"md5 of {part} {what}", hashlib.md5(content).hexdigest(), expected)


def check_cifar10(root, digests):
    planes = {part: pixels[part].reshape(-1, 1024, 3).transpose(0, 2, 1).reshape(-1, 3072) for part in parts}
    begin = 0
    for i in range(1, 7):
        part, file = ("test", "test_batch.bin") if i == 6 else ("train", f"data_batch_{i}.bin")
        rows = os.path.getsize(f"{root}/{file}") // 3073
        span = slice(0, rows) if i == 6 else slice(begin, begin + rows)
        content = np.concatenate([classes[part][span, None].astype(np.uint8), planes[part][span]], axis=1).tobytes()
        same(f"sha256 of {file}", hashlib.sha256(content).hexdigest(), digests[file])
        begin += rows


def check_cifar100(root):
    for part in parts:
        records = np.fromfile(f"{root}/{part}.bin", np.uint8).reshape(-1, 3074)
        same(f"{part} labels", classes[part], records[:, 0].astype(np.int32))
        same(f"{part} pixels", pixels[part], records[:, 2:].reshape(-1, 3, 1024).transpose(0, 2, 1).reshape(-1, 3072))


def check_svhn():
    import scipy.io
    for part in parts:
        file = scipy.io.loadmat(f"{data}/svhn/{part}_32x32.mat")
        same(f"{part} labels", classes[part], (file["y"][:, 0] % 10).astype(np.int32))
        same(f"{part} pixels", pixels[part], file["X"].transpose(3, 0, 1, 2).reshape(len(classes[part]), -1))


def check_medmnist(digest):
    path = f"{data}/medmnist/{name}.npz"
    if digest:
        same("md5 of the file", hashlib.md5(open(path, "rb").read()).hexdigest(), digest)
    file = np.load(path)
    for part in parts:
        same(f"{part} labels", classes[part], file[f"{part}_labels"][:, 0].astype(np.int32))
        same(f"{part} pixels", pixels[part], file[f"{part}_images"].reshape(len(classes[part]), -1))


if name == "mnist":
    check_idx({"train images": "6bbc9ace898e44ae57da46a324031adb", "train labels": "a25bea736e30d166cdddb491f175f624",
               "test images": "2646ac647ad5339dbf082846283269ea", "test labels": "27ae3e4e09519cfbb04c329615203637"})
elif name == "fashion_mnist":
    check_idx({})
    for part, stem, digest in (("train", "train", "25c81989df183df01b3e8a0aad5dffbe"), ("test", "t10k", "bb300cfdad3c16e7a12a480ee83cd310")):
        packed = open(f"{data}/{name}/{stem}-labels-idx1-ubyte.gz", "rb").read()
        same(f"md5 of the {part} label file", hashlib.md5(packed).hexdigest(), digest)
        same(f"{part} labels", idx_bytes(classes[part].astype(np.uint8)), gzip.decompress(packed))
elif name == "cifar10":
    check_cifar10(f"{data}/cifar10/cifar-10-batches-bin", {
        "data_batch_1.bin": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
        "data_batch_2.bin": "776c4638598858a3764dcb278689924a09264b1bb302ca454ca6bcb97b6179cc",
        "data_batch_3.bin": "7488b7a71ccee997080db107e34307384f95d2ce1164d05c144877fc7c88e1dd",
        "data_batch_4.bin": "75319b56b2b81551cad283a8dd27bec57d0904fca511d136efe61a4a12c94499",
        "data_batch_5.bin": "a672587a9199ffe5c3235a57a3b1b03c031b8fae1fa1a3d5fa941d06ad8496dc",
        "test_batch.bin": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"})
elif name == "cifar100":
    check_cifar100(f"{data}/cifar100/cifar-100-binary")
elif name == "svhn":
    check_svhn()
elif name == "pneumoniamnist":
    check_medmnist("28209eda62fecd6e6a2d98b1501bb15f")
elif name == "pathmnist":
    check_medmnist(None)
else:
    sys.exit(f"nothing to compare {name} with")
