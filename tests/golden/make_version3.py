"""Makes the golden models of version 3 from rows.csv: python3 tests/golden/make_version3.py PUAD FOLDER. Made once, like those of
make_models.py."""
import os
import subprocess
import sys

program, folder = sys.argv[1:]
rows = os.path.join(folder, "rows.csv")
for name in ("committee", "puforest", "nearest", "pusvdd"):
    model = os.path.join(folder, f"version3_{name}.safetensors")
    subprocess.run([program, "fit", rows, "--label-column", "label", "-o", model, "--method", name, "--force", "--quiet", "--alpha", "0.2"],
                   check=True)
    scores = subprocess.run([program, "score", model, rows], check=True, capture_output=True, text=True).stdout
    with open(model.replace(".safetensors", ".csv"), "w", encoding="ascii") as out:
        out.write(scores)
