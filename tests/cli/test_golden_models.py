"""Model files of the current format version stay readable and give the scores stored with them (tests/golden/make_models.py)."""
import csv
import glob
import io
import os
import re
import subprocess
import tempfile

PUAD = os.environ.get("PUAD", "build/puad")
FOLDER = os.path.join(os.environ.get("SOURCE", "."), "tests", "golden")


def numbers(text):
    """Scores, and p-values and probabilities where the model is calibrated."""
    return [float(row[name]) for row in csv.DictReader(io.StringIO(text)) for name in ("score", "p_value", "probability") if name in row]


passed = 0
for model in sorted(glob.glob(os.path.join(FOLDER, "**", "*.safetensors"), recursive=True)):
    done = subprocess.run([PUAD, "score", model, os.path.join(os.path.dirname(model), "rows.csv")], capture_output=True, text=True)
    assert done.returncode == 0, f"{model}: {done.stderr}"
    ours, stored = numbers(done.stdout), numbers(open(model.replace(".safetensors", ".csv"), encoding="ascii").read())
    assert len(ours) == len(stored) == (96 if "calibrated" in os.path.basename(model) else 200 if "series" in os.path.basename(model) else 32)
    for place, (now, then) in enumerate(zip(ours, stored)):
        assert abs(now - then) <= 1e-5 * max(1, abs(then)), f"{model}, number {place}: {now}, was {then}"
    assert subprocess.run([PUAD, "inspect", model], capture_output=True).returncode == 0, model
    passed += 1
assert passed == 10


def damaged(model, change):
    """The message about a model whose header text was changed and that has no checksum."""
    with open(model, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header, rest = file.read(length).decode(), file.read()
    changed = change(header).replace("\"checksum\"", "\"no checksum\"").encode()
    assert change(header) != header
    changed += b" " * (-len(changed) % 8)
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        file.write(len(changed).to_bytes(8, "little") + changed + rest)
        file.flush()
        done = subprocess.run([PUAD, "score", file.name, os.path.join(FOLDER, "rows.csv")], capture_output=True, text=True)
    assert done.returncode == 1, f"exit {done.returncode}: {done.stderr}"
    return done.stderr


golden = os.path.join(FOLDER, "distance.safetensors")
said = damaged(golden, lambda header: re.sub(r'(row_shape\\*": *\[1, *1, *)(\d+)', lambda m: m[1] + str(int(m[2]) + 1), header))
assert "6 values" in said and "7" in said, said
said = damaged(golden, lambda header: re.sub(r'(head\\*": *\\*")distance', r"\1own code", header))
assert "head" in said, said
said = damaged(golden, lambda header: header.replace('"format_version":"7"', '"format_version":"6"'))
assert "6" in said and "7" in said, said
passed += 3
print(f"{passed} passed, 0 failed")
