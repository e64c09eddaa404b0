#!/usr/bin/env python3
"""A table where a model is expected, a model where rows are, and both in the wrong order: each is named, with the right order."""
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
draws = numpy.random.default_rng(2)
values = draws.normal(size=(200, 3))
values[:30] += 4
labels = numpy.zeros(200, int)
labels[:15] = 1
numpy.savetxt(os.path.join(folder.name, "rows.csv"), numpy.column_stack([values, labels]), delimiter=",", header="a,b,c,label", comments="")
numpy.savez(os.path.join(folder.name, "rows.npz"), X=values, y=labels)


def run(line):
    return subprocess.run([PUAD, *line.split()], cwd=folder.name, capture_output=True, text=True, stdin=subprocess.DEVNULL)


done = run("fit rows.csv --label-column label -q -o m.safetensors")
check(done.returncode == 0, f"a model: {done.stderr}")


def refused(line, *words):
    done = run(line)
    missing = [word for word in words if word not in done.stderr]
    check(done.returncode in (1, 2) and not missing and "offset" not in done.stderr, f"puad {line}: {done.returncode}, without {missing}: {done.stderr}")


for command in ("score", "eval", "query"):
    refused(f"{command} rows.csv m.safetensors", "not a model", f"puad {command} m.safetensors rows.csv")
    refused(f"{command} rows.npz m.safetensors", "not a model", f"puad {command} m.safetensors rows.npz")
    refused(f"{command} rows.csv rows.csv", "rows.csv", "not a model", f"puad {command} MODEL INPUT")
    refused(f"{command} m.safetensors m.safetensors", "is a model", f"puad {command} MODEL INPUT")
for command in ("operate", "inspect", "export -o m.onnx"):
    refused(f"{command} rows.csv", "rows.csv", "not a model", f"puad {command.split()[0]} MODEL")
for command in ("data", "prior"):
    refused(f"{command} m.safetensors", "m.safetensors", "is a model", f"puad {command} INPUT")
refused("fit m.safetensors -o n.safetensors", "is a model", "--update m.safetensors")
refused("fit rows.csv m.safetensors --label-column label -o n.safetensors", "is a model", "--update m.safetensors")
refused("report m.safetensors", "is a model", "--model m.safetensors")
refused("report m.safetensors rows.csv", "is a model", "--model m.safetensors")
refused("fit rows.csv --label-column label --update rows.csv -o n.safetensors", "rows.csv", "not a model")
refused("report --model rows.csv rows.csv", "rows.csv", "not a model")
refused("fit rows.csv --label-column label --anomalies m.safetensors -o n.safetensors", "m.safetensors", "is a model")
check(not os.path.exists(os.path.join(folder.name, "n.safetensors")), "no model is written")
piped = subprocess.run([PUAD, "score", "m.safetensors", "-", "-q"], cwd=folder.name, capture_output=True, text=True,
                       stdin=open(os.path.join(folder.name, "rows.csv")))
check(piped.returncode == 0 and len(piped.stdout.splitlines()) == 201, f"standard input is not read by the check: {piped.stderr}")
finish()
