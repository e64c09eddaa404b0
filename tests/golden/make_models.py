"""Makes the golden models and their scores: python3 tests/golden/make_models.py PUAD FOLDER. Run it again only when the format version
changes: tests/cli/test_golden_models.py reads the files and compares the scores."""
import math
import os
import random
import subprocess
import sys
import tempfile

program, folder = sys.argv[1:]
LABELS = ["--label-column", "label"]
NETWORK = ["--epochs", "3", "--set", "width=16"]
MODELS = {"committee": ["--method", "committee", "--alpha", "0.2"],
          "puforest": ["--method", "puforest", "--alpha", "0.2"],
          "nearest": ["--method", "nearest"],
          "if": ["--method", "if"],
          "pca": ["--method", "pca"],
          "distance": ["--method", "pusvdd", "--pretrain-epochs", "2", *NETWORK],
          "reconstruction": ["--method", "puae", *NETWORK],
          "logit": ["--method", "pu", *NETWORK]}


def write_rows(path, seed, count, every, labeled, gaps):
    """Every `every`-th row is an anomaly, every `labeled`-th is labeled."""
    draw = random.Random(seed)
    with open(path, "w", encoding="ascii") as out:
        out.write("amount,hour,kind,label\n")
        for row in range(count):
            odd = row % every == 0
            hour = "" if row in gaps else f"{draw.gauss(3 if odd else 12, 2):.2f}"
            kind = "phone" if odd else draw.choice(["web", "shop"])
            out.write(f"{draw.gauss(120 if odd else 50, 15):.2f},{hour},{kind},{int(row % labeled == 0)}\n")


def write_series(path):
    draw = random.Random(9)
    with open(path, "w", encoding="ascii") as out:
        out.write("t,a,b,label\n")
        for row in range(200):
            odd = 60 <= row < 70 or 150 <= row < 158
            out.write(f"{row},{math.sin(row / 9) + draw.gauss(0, 0.1) + 3 * odd:.3f},{math.cos(row / 7) + draw.gauss(0, 0.1):.3f},{int(odd)}\n")


def make(name, train, rows, arguments):
    model = os.path.join(os.path.dirname(rows), f"{name}.safetensors")
    subprocess.run([program, "fit", train, *LABELS, "-o", model, "--force", "--quiet", *arguments], check=True)
    scores = subprocess.run([program, "score", model, rows, "--quiet"], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(os.path.dirname(rows), f"{name}.csv"), "w", encoding="ascii") as out:
        out.write(scores)


rows = os.path.join(folder, "rows.csv")
write_rows(rows, 7, 32, 4, 8, gaps=(5,))
for name, arguments in MODELS.items():
    make(name, rows, rows, arguments)
with tempfile.TemporaryDirectory() as place:
    train = os.path.join(place, "train.csv")
    write_rows(train, 8, 1000, 5, 10, gaps=())
    make("calibrated", train, rows, ["--method", "pusvdd", "--calibrate", *NETWORK])
series = os.path.join(folder, "series", "rows.csv")
os.makedirs(os.path.dirname(series), exist_ok=True)
write_series(series)
make("series", series, series, ["--time-column", "t", "--window", "8", "--method", "nearest"])
