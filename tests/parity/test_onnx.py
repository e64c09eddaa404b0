"""Exported models run by onnxruntime give the scores of `puad score`: every golden model, every method, tables and images."""
import glob
import json
import os
import sys
import tempfile

SOURCE = os.environ.get("SOURCE", ".")
PYTHON = os.path.abspath(os.path.join(SOURCE, ".venv", "onnx", "bin", "python"))
if not sys.executable.startswith(os.path.dirname(PYTHON)):
    if not os.path.exists(PYTHON):
        print("SKIPPED: no onnxruntime, 'tools/bootstrap onnx' found no Python registry: EXPORTED MODELS ARE NOT COMPARED")
        sys.exit(77)
    os.execv(PYTHON, [PYTHON, *sys.argv])

import numpy as np
import onnxruntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
import tiny_backbone
from checks import check, finish
from exported import answers, columns_of, largest_difference, run, scores_of, write_table

onnxruntime.set_default_logger_severity(3)
TOLERANCE = 1e-4
folder = tempfile.TemporaryDirectory()
worst = {}


def path(name):
    return os.path.join(folder.name, name)


def session_of(model, *options):
    run("export", model, "-o", path("m.onnx"), *options)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path("m.onnx"), settings, providers=["CPUExecutionProvider"])


def compare(name, model, rows, feed=None, *options):
    session = session_of(model, *options)
    theirs = answers(session, feed or columns_of(session, rows))
    ours = scores_of(model, rows)
    worst[name] = largest_difference(ours["score"], theirs["score"][:, 0].astype(float))
    check(theirs["score"].shape == (len(ours["score"]), 1) and worst[name] <= TOLERANCE, f"{name}: difference {worst[name]:.3g}")
    return ours, theirs


def near_steps(ours, theirs, scores, digits=1e-6):
    """p is a step function of the score: a score that differs in its last digit may stand one step further."""
    order = np.argsort(scores)
    close = np.abs(ours - theirs) <= 1e-4 * np.abs(ours) + digits
    for place in np.flatnonzero(~close[order]):
        beside = ours[order][max(0, place - 1):place + 2]
        if not (beside.min() - digits <= theirs[order][place] <= beside.max() + digits):
            return False
    return bool(close.mean() > 0.9)


golden = os.path.join(SOURCE, "tests", "golden")
for model in sorted(glob.glob(os.path.join(golden, "*.safetensors"))):
    compare(os.path.basename(model), model, os.path.join(golden, "rows.csv"))

write_table(path("train.csv"), 3200, 1, odd=False)
write_table(path("test.csv"), 700, 2, odd=True)
methods = [entry["name"] for entry in json.loads(run("list", "methods", "--json").stdout)["methods"]]
check(len(methods) >= 33, "every method is listed")
promised = 0
for method in methods:
    if method.endswith("rot") or method == "recurrence":
        continue  # for images, below; for series, which are not exported
    run("fit", path("train.csv"), "--label-column", "label", "-o", path("m.safetensors"), "--method", method, "--alpha", "0.06",
        "--calibrate=0.2", "--force", "--quiet", "--threads", "1", *(["--steps", "60"] if method not in ("committee", "if", "nearest", "puforest", "pca", "pulinear") else []))
    ours, theirs = compare(f"{method}, table", path("m.safetensors"), path("test.csv"))
    compare(f"{method}, training rows", path("m.safetensors"), path("train.csv"))
    check(near_steps(ours["p_value"], theirs["p_value"][:, 0], ours["score"]), f"{method}: p-values")
    if "probability" in theirs:
        check(near_steps(ours["probability"], theirs["probability"][:, 0], ours["score"], 1e-4), f"{method}: probabilities")
        promised += 1
    else:
        check(np.isnan(ours.get("probability", np.nan)).all(), f"{method}: probabilities that the model does not support")
    if "threshold" in theirs:
        flags = theirs["score"] >= theirs["threshold"]
        check(np.array_equal(flags, theirs["flag"]) and 0.005 < flags.mean() < 0.5, f"{method}: {flags.mean():.3f} flagged")
check(promised >= 10, f"only {promised} methods have probabilities")

for name, options in (("--threshold", ["--threshold", "0.25"]), ("--flag-rate", ["--flag-rate", "0.3"]), ("--p-values plain", ["--p-values", "plain"])):
    ours, theirs = compare(name, path("m.safetensors"), path("test.csv"), None, *options)
    if name == "--threshold":
        check(theirs["threshold"][0] == np.float32(0.25), "the threshold is the one given")

# derived columns, and "none" as a category
draw = np.random.default_rng(5)
product, odd = draw.integers(0, 12, 900), np.arange(900) % 15 == 0
price = np.exp(draw.normal(3, 1, 12))[product] * np.where(odd, 4, 1)
paid = draw.integers(10**5, 10**6, 900) * np.where(odd, 0.01, 1)
with open(path("sales.csv"), "w", encoding="utf-8") as file:
    file.write("product,quantity,value,malware,ordered,paid,label\n")
    for i, q in enumerate(draw.integers(1, 90, 900)):
        times = [np.datetime64("2024-01-01T00:00:00") + int(s) for s in (7919 * i, 7919 * i + paid[i])]
        malware = draw.choice(["none", "None", "NONE", "worm", "n/a"], p=[0.5, 0.1, 0.001, 0.2, 0.199])
        file.write(f"p{product[i]},{q},{q * price[i]:.2f},{malware},{times[0]},{times[1]},{int(odd[i] and i % 2)}\n".replace("T", " "))
run("fit", path("sales.csv"), "--label-column", "label", "-o", path("m.safetensors"), "--quiet")
described = json.loads(run("inspect", path("m.safetensors"), "--json").stdout)["table"]
check({"value / quantity by product", "paid - ordered"} <= {one["name"] for one in described["derived"]}, str(described["derived"]))
check("none" in next(one for one in described["columns"] if one["name"] == "malware")["categories"], "none is a category")
compare("derived columns", path("m.safetensors"), path("sales.csv"))

matrix = np.random.default_rng(3).normal(size=(900, 7)) * [1, 10, 100, 1, 1e6, 1e-6, 1] + [0, 0, 0, 5, 1e7, 0, 0]
matrix[:, 3] = 5
labels = (np.arange(900) % 30 == 0).astype(np.int64)
matrix[labels == 1] *= 1.5
np.savez(path("train.npz"), X=matrix, y=labels)
np.save(path("rows.npy"), matrix[:200])
for method in ("committee", "ae"):
    run("fit", path("train.npz"), "-o", path("m.safetensors"), "--method", method, "--force", "--quiet", "--threads", "1")
    compare(f"{method}, matrix", path("m.safetensors"), path("rows.npy"), {"rows": matrix[:200]})


def images(count, side, channels, seed):
    draw = np.random.default_rng(seed)
    shape = (count, side, side) if channels == 1 else (count, side, side, channels)
    made = draw.integers(0, 120, shape, dtype=np.uint8)
    made[:, side // 4:side // 2] += 100
    return made


def compare_images(name, pixels, *options):
    known = (np.arange(len(pixels)) % 6 == 0).astype(np.int64)
    np.savez(path("train.npz"), X=pixels, y=known)
    np.save(path("rows.npy"), pixels[:40])
    run("fit", path("train.npz"), "-o", path("m.safetensors"), "--epochs", "1", "--force", "--quiet", "--threads", "1", *options)
    feed = pixels[:40] if pixels.ndim == 4 else pixels[:40, ..., None]
    compare(name, path("m.safetensors"), path("rows.npy"), {"images": feed})


gray = images(160, 32, 1, 1)
for method in ("ae", "pusvdd", "pu", "purot"):
    compare_images(f"{method}, gray images", gray, "--method", method)
compare_images("pusvdd, BatchNorm behind the code", gray, "--method", "pusvdd", "--set", "embedding=bn")
compare_images("ae, color images", images(160, 32, 3, 2), "--method", "ae")
compare_images("rot, color images", images(160, 32, 3, 2), "--method", "rot")
compare_images("pulogistic, mirror images", gray, "--method", "pulogistic", "--set", "augment=flip")
compare_images("pulogistic, shifted color images", images(160, 32, 3, 2), "--method", "pulogistic", "--set", "augment=shift")
compare_images("ae, images made larger", images(160, 20, 1, 3), "--method", "ae")
compare_images("pusvdd, images made smaller", images(160, 45, 3, 4), "--method", "pusvdd")
compare_images("mlp on images", gray, "--method", "puae", "--network", "mlp")
compare_images("forest on images", gray, "--method", "if")
compare_images("images of floats", gray.astype(np.float32) / 255, "--method", "ae")
tiny_backbone.make(path("tiny.safetensors"))
photographs = np.random.default_rng(6).integers(0, 200, (80, 50, 37, 3), dtype=np.uint8)
photographs[:20, 10:25] //= 3
np.savez(path("train.npz"), X=photographs, y=(np.arange(80) % 6 == 0).astype(np.int64))
np.save(path("rows.npy"), photographs)
run("fit", path("train.npz"), "-o", path("m.safetensors"), "--backbone", path("tiny.safetensors"), "--force", "--quiet")
ours = scores_of(path("m.safetensors"), path("rows.npy"))["score"]
theirs = answers(session_of(path("m.safetensors")), {"images": photographs})["score"][:, 0].astype(float)
away = np.abs(ours - theirs).max() / ours.std()  # the scores are sums around 0
check(away <= 1e-5, f"backbone: scores differ by {away:.3g} of their standard deviation")

for name, value in sorted(worst.items(), key=lambda entry: -entry[1])[:8]:
    print(f"{value:.2e}  {name}")
print(f"{max(worst.values()):.2e} is the largest relative difference over {len(worst)} comparisons")
finish()
