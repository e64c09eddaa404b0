"""Writes small sets in the official formats with NumPy, SciPy, tarfile and gzip: in FOLDER/data as published, in
FOLDER/other in the other allowed forms. Beside each NAME.PART.pixels and NAME.PART.classes hold what a reader must find.
usage: write_sets.py FOLDER"""
import gzip
import io
import os
import struct
import sys
import tarfile

import numpy as np
import scipy.io

folder = sys.argv[1]
random = np.random.default_rng(0)


def path(name):
    full = f"{folder}/{name}"
    os.makedirs(os.path.dirname(full), exist_ok=True)
    return full


def expect(name, part, pixels, classes):
    open(path(f"{name}.{part}.pixels"), "wb").write(np.ascontiguousarray(pixels).tobytes())
    open(path(f"{name}.{part}.classes"), "wb").write(np.ascontiguousarray(classes).astype("<i4").tobytes())


def idx(array):
    return struct.pack(">BBBB", 0, 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


for stem, part, rows in (("train", "train", 30), ("t10k", "test", 20)):
    pixels = random.integers(0, 256, (rows, 28, 28), dtype=np.uint8)
    classes = random.integers(0, 10, rows).astype(np.uint8)
    open(path(f"data/mnist/{stem}-images-idx3-ubyte.gz"), "wb").write(gzip.compress(idx(pixels)))
    open(path(f"data/mnist/{stem}-labels-idx1-ubyte.gz"), "wb").write(gzip.compress(idx(classes)))
    open(path(f"other/mnist/{stem}-images-idx3-ubyte"), "wb").write(idx(pixels))
    open(path(f"other/mnist/{stem}-labels-idx1-ubyte"), "wb").write(idx(classes))
    expect("mnist", part, pixels, classes)

for part, rows in (("train", 12), ("test", 8)):
    pixels = random.integers(0, 256, (rows, 32, 32, 3), dtype=np.uint8)
    labels = random.integers(1, 11, (rows, 1)).astype(np.uint8)
    labels[0] = 10
    x = np.asfortranarray(pixels.transpose(1, 2, 3, 0))
    scipy.io.savemat(path(f"data/svhn/{part}_32x32.mat"), {"X": x, "y": labels}, do_compression=True)
    scipy.io.savemat(path(f"other/svhn/{part}_32x32.mat"), {"y": labels.astype(float), "X": x})
    expect("svhn", part, pixels, labels[:, 0] % 10)
scipy.io.savemat(path("svhn_wrong_type.mat"), {"X": x.astype(np.int16), "y": labels})
scipy.io.savemat(path("svhn_wrong_rank.mat"), {"X": x[..., 0], "y": labels})
scipy.io.savemat(path("svhn_no_labels.mat"), {"X": x})
scipy.io.savemat(path("svhn_few_labels.mat"), {"X": x, "y": labels[:3]})
scipy.io.savemat(path("svhn_version4.mat"), {"y": labels.astype(float)}, format="4")


def cifar(name, inner, files, coarse):
    archive = tarfile.open(path(f"other/{name}/{inner[1]}.tar.gz"), "w:gz")
    plain = tarfile.open(path(f"{name}.tar"), "w", format=tarfile.PAX_FORMAT)
    long = tarfile.open(path(f"{name}_gnu.tar"), "w", format=tarfile.GNU_FORMAT)
    parts = {"train": [], "test": []}
    for file, part, rows in files:
        pixels = random.integers(0, 256, (rows, 32, 32, 3), dtype=np.uint8)
        classes = random.integers(0, 20 if coarse else 10, rows).astype(np.uint8)
        fine = random.integers(0, 100, rows).astype(np.uint8)
        heads = np.stack([classes, fine], 1) if coarse else classes[:, None]
        data = np.concatenate([heads, pixels.transpose(0, 3, 1, 2).reshape(rows, -1)], 1).tobytes()
        open(path(f"data/{name}/{inner[0]}/{file}"), "wb").write(data)
        parts[part].append((pixels, classes))
        for target in (archive, plain, long):
            info = tarfile.TarInfo(f"{inner[0]}/{file}")
            info.size = len(data)
            if target is plain:
                info.pax_headers = {"comment": "a name in another alphabet: \u03b1\u03b2"}
            target.addfile(info, io.BytesIO(data))
            text = tarfile.TarInfo("x" * 150 + "/notes.txt")
            text.size = 5
            target.addfile(text, io.BytesIO(b"notes"))
    for target in (archive, plain, long):
        target.close()
    for part, pieces in parts.items():
        expect(name, part, np.concatenate([p for p, _ in pieces]), np.concatenate([c for _, c in pieces]))


cifar("cifar10", ("cifar-10-batches-bin", "cifar-10-binary"),
      [(f"data_batch_{i}.bin", "train", i) for i in range(1, 6)] + [("test_batch.bin", "test", 3)], False)
cifar("cifar100", ("cifar-100-binary", "cifar-100-binary"), [("train.bin", "train", 4), ("test.bin", "test", 2)], True)

for name, shape, kinds, place, many in (("pathmnist", (28, 28, 3), 9, "data/pathmnist", 1), ("octmnist", (28, 28), 4, "data/medmnist", 1),
                                        ("tissuemnist", (28, 28), 8, "data/medmnist", 1), ("chestmnist", (28, 28), 2, "data/medmnist", 14)):
    arrays = {}
    for part, rows in (("train", 20), ("val", 5), ("test", 9)):
        pixels = random.integers(0, 256, (rows, *shape), dtype=np.uint8)
        labels = random.integers(0, 2 if many > 1 else kinds, (rows, many)).astype(np.uint8)
        if many > 1:
            labels[::2] = 0
        arrays[f"{part}_images"] = np.asfortranarray(pixels) if name == "octmnist" else pixels
        arrays[f"{part}_labels"] = labels
        expect(name, part, pixels, labels.max(1))
    np.savez_compressed(path(f"{place}/{name}.npz"), **arrays)
arrays["train_labels"] = np.full((20, 1), 9, dtype=np.uint8)
np.savez(path("other/pathmnist/pathmnist.npz"), **arrays)
arrays["train_images"] = np.zeros((20, 28, 28), dtype=np.float32)
np.savez(path("other/medmnist/octmnist.npz"), **arrays)
