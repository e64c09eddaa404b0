#!/usr/bin/python3
"""Photographs of any size with a pretrained backbone: fit, score, eval, inspect, report, query and arrays."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
import tiny_backbone  # noqa: E402
from checks import check, finish, has, test  # noqa: E402

PUAD = os.environ.get("PUAD", "build/puad")
folder = tempfile.TemporaryDirectory()
random = np.random.default_rng(5)


def path(*parts):
    return os.path.join(folder.name, *parts)


def run(*arguments):
    return subprocess.run([PUAD, *arguments], capture_output=True, text=True, timeout=300)


def warnings_of(*arguments):
    """Names of the warnings in the JSON output."""
    summary = path("summary.json")
    done = run(*arguments, *(("--summary", summary) if arguments[0] == "score" else ("--json",)), "--quiet")
    check(done.returncode == 0, done.stderr)
    text = open(summary, encoding="utf-8").read() if arguments[0] == "score" else done.stdout
    return [one["name"] for one in json.loads(text)["warnings"]]


def photograph(defect, number):
    """A smooth gray or color picture of any size; defects have a dark stroke."""
    height, width = random.integers(40, 150, 2)
    y, x = np.mgrid[:height, :width]
    pixels = 140 + 40 * np.sin(6 * x / width + random.random()) + random.normal(0, 4, (height, width))
    if defect:
        at = random.integers(height // 4, height // 2)
        pixels[at:at + height // 6, width // 5:width - width // 5] -= 110
    pixels = np.clip(pixels, 0, 255).astype(np.uint8)
    return Image.fromarray(pixels if number % 2 else np.repeat(pixels[:, :, None], 3, 2))


def save(name, count, defect, endings=("png", "jpg", "tif", "bmp")):
    os.makedirs(path(name), exist_ok=True)
    for i in range(count):
        photograph(defect, i).save(path(name, f"{i:03}.{endings[i % len(endings)]}"))


tiny_backbone.make(path("tiny.safetensors"))
save("train", 70, False)
for i in range(4):
    photograph(True, i).save(path("train", f"hidden{i}.png"))
save("defects", 8, True)
save("test/sound", 30, False)
save("test/defect", 20, True)
STRICT = 3  # exit status of --strict after a warning
MODEL = path("model.safetensors")
FIT = ("fit", path("train"), "--anomalies", path("defects"), "--backbone", path("tiny.safetensors"), "--quiet")


@test
def a_model_scores_without_the_backbone_file():
    done = run(*FIT, "-o", MODEL)
    check(done.returncode == 0, done.stderr)
    os.rename(path("tiny.safetensors"), path("moved.safetensors"))
    evaluated = run("eval", MODEL, path("test"), "--positive", "defect", "--negative", "sound", "--json")
    os.rename(path("moved.safetensors"), path("tiny.safetensors"))
    check(evaluated.returncode == 0, evaluated.stderr)
    auroc = json.loads(evaluated.stdout)["auroc"] if evaluated.returncode == 0 else 0
    check(auroc > 0.9, f"AUROC {auroc}")
    facts = json.loads(run("inspect", MODEL, "--json").stdout)
    check(json.dumps(facts).count("pulinear") > 0, "the default method with a backbone")


@test
def any_number_of_threads_gives_the_same_scores():
    one, two = (run("score", MODEL, path("test"), "--threads", threads).stdout for threads in "12")
    check(one == two and one.count("\n") == 51, "scores of two threads")


@test
def commands_on_photographs():
    for command in (("report", *FIT[1:-1], "-n", "3", "-o", path("report.html")),
                    ("query", MODEL, path("train"))):
        done = run(*command)
        check(done.returncode == 0, f"{command[0]}: {done.stderr}")
    check(not has(open(path("report.html"), encoding="utf-8").read(), "stage "), "the report names no features")
    refused = run("score", MODEL, path("test"), "--explain", "2")
    check(refused.returncode == 2 and has(refused.stderr, "--explain"), refused.stderr)
    check(refused.stdout == "", "no scores")
    refused = run("serve", MODEL, "--listen", "127.0.0.1:0")
    check(refused.returncode == 2 and has(refused.stderr, "images"), f"serve: {refused.returncode} {refused.stderr}")
    exported = run("export", MODEL, "-o", path("model.onnx"))
    check(exported.returncode == 0 and os.path.getsize(path("model.onnx")) > 1000, exported.stderr)


@test
def a_damaged_picture_is_named_and_left_out():
    save("some", 5, False, ("png", "jpg"))
    whole = open(path("some", "001.jpg"), "rb").read()
    with open(path("some", "002.png"), "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\nnot a picture")
    with open(path("some", "004.png"), "wb") as out:
        out.write(b"not a picture at all")
    check(len(whole) > 100, "a JPEG file")
    done = run("score", MODEL, path("some"))
    rows = done.stdout.split("\n")[1:-1]
    check(done.returncode == 0 and len(rows) == 3, f"{len(rows)} rows; {done.stderr}")
    check(has(done.stderr, "002.png", "2"), done.stderr)
    check(warnings_of("score", MODEL, path("some")) == ["unreadable_images"], "the warning of score")
    check(run("score", MODEL, path("some"), "--strict").returncode == STRICT, "score --strict")
    check("unreadable_images" not in warnings_of("score", MODEL, path("test")), "no warning of whole pictures")
    os.makedirs(path("judged"), exist_ok=True)
    for name in ("sound", "defect"):
        shutil.copytree(path("test", name), path("judged", name))
    shutil.copy(path("some", "002.png"), path("judged", "sound"))
    labels = ("--positive", "defect", "--negative", "sound")
    check(warnings_of("eval", MODEL, path("judged"), *labels).count("unreadable_images") == 1, "the warning of eval")
    check(run("eval", MODEL, path("judged"), *labels, "--strict").returncode == STRICT, "eval --strict")
    shutil.copytree(path("train"), path("partly"))
    shutil.copy(path("some", "004.png"), path("partly", "zz.png"))
    fit = ("fit", path("partly"), "--backbone", path("tiny.safetensors"), "-o", path("partly.safetensors"))
    check(warnings_of(*fit) == ["unreadable_images"], "the warning of fit")
    facts = json.loads(run("inspect", path("partly.safetensors"), "--json").stdout)
    check([one["name"] for one in facts["warnings"]] == ["unreadable_images"], "the model keeps the warning")
    check(run(*fit, "--strict").returncode == STRICT, "fit --strict")
    for name in os.listdir(path("some")):
        with open(path("some", name), "wb") as out:
            out.write(b"nothing")
    check(run("fit", path("some"), "-o", path("none.safetensors")).returncode != 0, "no picture at all")


@test
def arrays_and_sizes():
    images = (random.random((60, 28, 28)) * 255).astype(np.uint8)
    images[:8, 8:20, 8:20] //= 8
    np.savez(path("images.npz"), X=images, y=(np.arange(60) < 8).astype(int))
    model = path("array.safetensors")
    done = run("fit", path("images.npz"), "--backbone", path("tiny.safetensors"), "--image-size", "40", "-o", model, "--quiet")
    check(done.returncode == 0, done.stderr)
    done = run("score", model, path("images.npz"))
    check(done.returncode == 0 and done.stdout.count("\n") == 61, done.stderr)
    small = run(*FIT, "-o", model, "--image-size", "4")
    check(small.returncode != 0 and has(small.stderr, "image-size"), small.stderr)


@test
def heat_maps_show_the_defects_at_the_size_of_the_picture():
    done = run("score", MODEL, path("test"), "--heat-maps", path("maps"))
    check(done.returncode == 0, done.stderr)
    warm = {"defect": [], "sound": []}
    for row in csv.DictReader(done.stdout.splitlines()):
        picture = np.asarray(Image.open(path("test", row["file"])).convert("RGB"), float)
        both = np.asarray(Image.open(path("maps", f"row-{int(row['row']):06}.png")).convert("RGB"), float)
        height, width = picture.shape[:2]
        check(both.shape == (height, 2 * width, 3), f"{row['file']}: {both.shape}, the picture has {picture.shape}")
        check(np.array_equal(both[:, :width], picture), "the picture itself is on the left")
        warm[row["file"].split("/")[0]].append((both[:, width:] - 0.6 * picture).mean())
    check(len(os.listdir(path("maps"))) == 50, "one map per printed row")
    check(min(warm["defect"]) > np.median(warm["sound"]) + 20, f"{warm}")
    done = run("score", MODEL, path("test"), "--heat-maps", path("few"), "--top", "3")
    check(done.returncode == 0 and len(os.listdir(path("few"))) == 3, f"--top: {done.stderr}")
    refused = run("score", path("array.safetensors"), path("images.npz"), "--heat-maps", path("none"))
    check(refused.returncode == 2 and has(refused.stderr, "--heat-maps"), f"an array: {refused.stderr}")
    check(refused.stdout == "" and not os.path.exists(path("none")), "no output")


@test
def labels_are_not_needed():
    done = run("fit", path("train"), "--backbone", path("tiny.safetensors"), "-o", path("plain.safetensors"), "--strict")
    check(done.returncode == 0, done.stderr)


@test
def a_file_that_is_not_a_backbone_is_rejected():
    done = run("fit", path("train"), "--backbone", MODEL, "-o", path("other.safetensors"))
    check(done.returncode != 0 and has(done.stderr, MODEL), done.stderr)
    table = path("table.csv")
    with open(table, "w", encoding="ascii") as out:
        out.write("a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(50)))
    done = run("fit", table, "--backbone", path("tiny.safetensors"), "-o", path("other.safetensors"), "--force")
    check(done.returncode != 0 and has(done.stderr, "backbone"), f"a table: {done.stderr}")


finish()
