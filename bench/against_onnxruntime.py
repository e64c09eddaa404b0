"""Scoring from raw numbers in memory: libpuad compared with onnxruntime on the exported model, alternating, in one process.

    bench/against_onnxruntime.py [--build build] [--python .venv/peers/bin/python] [--rounds 9] [--threads 1 2]

A round scores the same rows with both and takes the ratio, onnxruntime / puad; the table has medians over the rounds. One thread is
measured by processor time, several by wall time. The largest difference of a score is printed too."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(HERE, "..", ".venv", "peers", "bin", "python")
GOAL = 1.5


def parse():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    ask.add_argument("--python", default=PYTHON)
    ask.add_argument("--rounds", type=int, default=9)
    ask.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    ask.add_argument("--rows", type=int, default=10000)
    ask.add_argument("--images", type=int, default=256)
    ask.add_argument("--methods", nargs="+", default=["pusvdd", "puae", "if", "puforest", "nearest", "committee"])
    return ask.parse_args()


how = parse()
try:
    import onnxruntime
except ImportError:
    if not os.path.exists(how.python) or os.environ.get("PUAD_BENCH_AGAIN"):
        sys.exit(f"against_onnxruntime: there is no onnxruntime; run 'tools/bootstrap peers', or name a Python that has it with --python")
    os.environ["PUAD_BENCH_AGAIN"] = "1"
    os.execv(how.python, [how.python, *sys.argv])
import numpy as np

from libpuad import Library, Scorer

PUAD, COLUMNS = os.path.join(how.build, "puad"), 20


def session_of(path, threads):
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])


def timed(call, clock):
    begin = clock()
    result = call()
    return clock() - begin, result


def compare(name, rows, own, theirs, threads):
    """Complete rounds until each side has been measured: both warm up first."""
    clock = time.process_time if threads == 1 else time.perf_counter
    own(), theirs()
    a, b = [], []
    for _ in range(how.rounds):
        seconds, ours = timed(own, clock)
        a.append(seconds)
        seconds, other = timed(theirs, clock)
        b.append(seconds)
    ratios = sorted(y / x for x, y in zip(a, b))
    ratio = statistics.median(ratios)
    other = other[0][:, 0]
    off = np.max(np.abs(ours - other) / np.maximum(np.abs(ours), 1e-3 * np.abs(ours).max()))
    print(f"{name:22} {threads:7} {1e6 * statistics.median(a) / rows:12.3f} {1e6 * statistics.median(b) / rows:12.3f} {ratio:7.2f} "
          f"{ratios[0]:6.2f}..{ratios[-1]:.2f} {off:9.1e}{'' if ratio >= GOAL else f'   below the goal of {GOAL}'}", flush=True)


def fitted(folder, source, method, *options):
    model, exported = os.path.join(folder, "m.safetensors"), os.path.join(folder, "m.onnx")
    subprocess.run([PUAD, "fit", source, "-o", model, "--method", method, "--threads", "1", "--force", "--quiet", *options], check=True)
    subprocess.run([PUAD, "export", model, "-o", exported], check=True)
    return model, exported


def tables(folder, library, draw):
    train = os.path.join(folder, "train.csv")
    odd = draw.random(4000) < 0.05
    values = draw.normal(size=(4000, COLUMNS)) + 2 * odd[:, None]
    names = [f"c{i}" for i in range(COLUMNS)]
    np.savetxt(train, np.column_stack([values, odd & (draw.random(4000) < 0.3)]), "%.6f", ",", header=",".join([*names, "label"]), comments="")
    columns = {name: draw.normal(size=how.rows) for name in names}
    for method in how.methods:
        steps = ["--steps", "50"] if method not in ("if", "puforest", "nearest", "committee") else []
        model, exported = fitted(folder, train, method, "--label-column", "label", *steps)
        for threads in how.threads:
            scorer, session = Scorer(library, model, threads), session_of(exported, threads)
            feed = {entry.name: columns[entry.name].reshape(-1, 1) for entry in session.get_inputs()}
            compare(f"{method}, table", how.rows, lambda: scorer.table_scores(columns), lambda: session.run(["score"], feed), threads)


def pictures(folder, library, draw):
    pixels = draw.integers(0, 256, (how.images, 32, 32, 3), dtype=np.uint8)
    train = os.path.join(folder, "train.npz")
    np.savez(train, X=pixels[:128], y=(np.arange(128) % 6 == 0).astype(np.int64))
    for method in ("pusvdd", "ae"):
        model, exported = fitted(folder, train, method, "--epochs", "1")
        for threads in how.threads:
            scorer, session = Scorer(library, model, threads), session_of(exported, threads)
            compare(f"{method}, conv32", how.images, lambda: scorer.image_scores(pixels), lambda: session.run(["score"], {"images": pixels}), threads)


def main():
    print(f"onnxruntime {onnxruntime.__version__} (its own MLAS, no BLAS); {how.rows} rows of {COLUMNS} columns, {how.images} images of 32x32x3; "
          f"load {os.getloadavg()[0]:.1f}")
    print(f"{'what':22} {'threads':>7} {'ours, us/row':>12} {'theirs':>12} {'ratio':>7} {'of rounds':>13} {'off':>9}", flush=True)
    library = Library(os.path.join(how.build, "libpuad.so"))
    with tempfile.TemporaryDirectory() as folder:
        tables(folder, library, np.random.default_rng(1))
        pictures(folder, library, np.random.default_rng(2))


main()
