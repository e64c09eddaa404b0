"""Model files of earlier versions stay readable and give the scores stored beside them (tests/golden/make_models.py)."""
import csv
import glob
import io
import os
import subprocess

PUAD = os.environ.get("PUAD", "build/puad")
FOLDER = os.path.join(os.environ.get("SOURCE", "."), "tests", "golden")


def numbers(text):
    """Scores, and p-values and probabilities where the model is calibrated."""
    return [float(row[name]) for row in csv.DictReader(io.StringIO(text)) for name in ("score", "p", "probability") if name in row]


passed = 0
for model in sorted(glob.glob(os.path.join(FOLDER, "*.safetensors"))):
    done = subprocess.run([PUAD, "score", model, os.path.join(FOLDER, "rows.csv")], capture_output=True, text=True)
    assert done.returncode == 0, f"{model}: {done.stderr}"
    ours, stored = numbers(done.stdout), numbers(open(model.replace(".safetensors", ".csv"), encoding="ascii").read())
    assert len(ours) == len(stored) == (96 if "calibrated" in model else 32)
    for place, (now, then) in enumerate(zip(ours, stored)):
        assert abs(now - then) <= 1e-5 * max(1, abs(then)), f"{model}, number {place}: {now}, was {then}"
    assert subprocess.run([PUAD, "inspect", model], capture_output=True).returncode == 0, model
    passed += 1
assert passed >= 5
print(f"{passed} passed, 0 failed")
