"""Makes the golden model files: python3 tests/golden/make_models.py PUAD FOLDER. They are made once per version of the
format and never again: a later program must read them and give the stored scores."""
import os
import random
import subprocess
import sys

program, folder = sys.argv[1:]
draw = random.Random(7)
MODELS = {"reconstruction": ["--method", "puae", "--epochs", "3", "--set", "width=16"],
          "distance": ["--method", "pusvdd", "--epochs", "3", "--pretrain-epochs", "2", "--set", "width=16"],
          "logit": ["--method", "pu", "--epochs", "3", "--set", "width=16"],
          "forest": ["--method", "if"]}
rows = os.path.join(folder, "rows.csv")
with open(rows, "w", encoding="ascii") as out:
    out.write("amount,hour,kind,label\n")
    for row in range(32):
        odd = row % 4 == 0
        hour = "" if row == 5 else f"{draw.gauss(3 if odd else 12, 2):.2f}"
        kind = "phone" if odd else draw.choice(["web", "shop"])
        out.write(f"{draw.gauss(120 if odd else 50, 15):.2f},{hour},{kind},{int(odd and row % 8 == 0)}\n")
for name, arguments in MODELS.items():
    model = os.path.join(folder, f"version1_{name}.safetensors")
    subprocess.run([program, "fit", rows, "--label-column", "label", "-o", model, "--force", "--quiet", *arguments], check=True)
    scores = subprocess.run([program, "score", model, rows], check=True, capture_output=True, text=True).stdout
    with open(model.replace(".safetensors", ".csv"), "w", encoding="ascii") as out:
        out.write(scores)
