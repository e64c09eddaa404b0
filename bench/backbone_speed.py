#!/usr/bin/env python3
"""Time and memory of a backbone: `puad score`, onnxruntime on the exported model, and PyTorch with the same weights.

    bench/backbone_speed.py --weights efficientnet-lite0-57934424.pth --rounds 6

Each program scores the same 224 x 224 images (bytes in an NPY file), one image at a time, in a process of its own. A round runs all
programs, each with few and with many images; the difference gives the milliseconds per image, without start-up. With one thread it is
processor time, with several wall time. Printed: medians over the rounds, the median of the ratio to puad, and the peak memory of a process.
Needs numpy, onnxruntime and PyTorch.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
FEW, MANY, SIDE = 20, 120, 224
PEERS = ("puad", "onnxruntime", "torch")


def score_by_onnxruntime(model, images, threads):
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0]
    scale = 1 if "uint8" in entry.type else 255
    for image in images:
        session.run(None, {entry.name: image[None] if scale == 1 else (image[None] / numpy.float32(scale)).astype("f4")})


def features_by_torch(weights, images, threads):
    import torch

    sys.path.insert(0, os.path.join(HERE, "..", "tests", "helpers"))
    from lite0_in_torch import features_of

    torch.set_num_threads(threads)
    features = features_of(weights)
    with torch.inference_mode():
        for image in images:
            features(image[None].astype("f4") / 255)


def measured(call):
    """Processor seconds, wall seconds and peak memory in MB of a process."""
    begin = time.perf_counter()
    process = subprocess.Popen(call, stdout=subprocess.DEVNULL)
    _, status, use = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{call}: status {status}")
    return use.ru_utime + use.ru_stime, time.perf_counter() - begin, use.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", required=True, help="state dict of EfficientNet-Lite0")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--as", dest="peer", nargs=4, help=argparse.SUPPRESS)
    how = parser.parse_args()
    if how.peer:
        name, source, file, threads = how.peer
        run = score_by_onnxruntime if name == "onnxruntime" else features_by_torch
        return run(source, numpy.load(file), int(threads))
    random, puad = numpy.random.default_rng(0), os.path.join(how.build, "puad")
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        images = random.integers(0, 256, (MANY, SIDE // 8, SIDE // 8, 3), dtype=numpy.uint8).repeat(8, 1).repeat(8, 2)
        numpy.save(path("many.npy"), images)
        numpy.save(path("few.npy"), images[:FEW])
        subprocess.run([sys.executable, os.path.join(HERE, "..", "tools", "import_backbone"), how.weights, "-o", path("backbone")], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([puad, "fit", path("many.npy"), "--backbone", path("backbone"), "--image-size", str(SIDE), "-o", path("model"), "--force",
                        "--quiet"], check=True)
        subprocess.run([puad, "export", path("model"), "-o", path("model.onnx")], check=True)
        print(f"{'threads':8}{'program':14}{'ms per image':>14}{'ratio to puad':>15}{'MB':>8}")
        for threads in how.threads:
            own = [sys.executable, os.path.abspath(__file__), "--weights", how.weights, "--as"]
            calls = {"puad": lambda file: [puad, "score", path("model"), file, "--threads", str(threads), "--quiet"],
                     "onnxruntime": lambda file: [*own, "onnxruntime", path("model.onnx"), file, str(threads)],
                     "torch": lambda file: [*own, "torch", how.weights, file, str(threads)]}
            times, memory = {name: [] for name in PEERS}, dict.fromkeys(PEERS, 0)
            for _ in range(how.rounds):
                for name in PEERS:
                    few, many = measured(calls[name](path("few.npy"))), measured(calls[name](path("many.npy")))
                    clock = 0 if threads == 1 else 1
                    times[name].append(1000 * (many[clock] - few[clock]) / (MANY - FEW))
                    memory[name] = max(memory[name], many[2])
            for name in PEERS:
                ratio = statistics.median(a / b for a, b in zip(times[name], times["puad"]))
                print(f"{threads:<8}{name:14}{statistics.median(times[name]):14.2f}{ratio:15.2f}{memory[name]:8.0f}", flush=True)


if __name__ == "__main__":
    main()
