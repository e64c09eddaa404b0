"""Makes the golden model file with a calibration: python3 tests/golden/make_calibrated.py PUAD FOLDER. Made once, as those of
make_models.py, whose rows.csv it scores; that of version 1 came from the same program when it had no other version."""
import os
import random
import subprocess
import sys
import tempfile

program, folder = sys.argv[1:]
draw = random.Random(8)
with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="ascii") as train:
    train.write("amount,hour,kind,label\n")
    for row in range(400):
        odd = row % 5 == 0
        kind = "phone" if odd else draw.choice(["web", "shop"])
        train.write(f"{draw.gauss(120 if odd else 50, 15):.2f},{draw.gauss(3 if odd else 12, 2):.2f},{kind},{int(odd and row % 10 == 0)}\n")
    train.flush()
    model = os.path.join(folder, "version2_calibrated.safetensors")
    subprocess.run([program, "fit", train.name, "--label-column", "label", "-o", model, "--quiet", "--epochs", "3", "--set", "width=16",
                    "--calibrate"], check=True)
scores = subprocess.run([program, "score", model, os.path.join(folder, "rows.csv"), "--quiet"], check=True, capture_output=True, text=True)
with open(model.replace(".safetensors", ".csv"), "w", encoding="ascii") as out:
    out.write(scores.stdout)
