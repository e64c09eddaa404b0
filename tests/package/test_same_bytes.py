#!/usr/bin/env python3
"""Equal trainings make equal model files, and what is built does not name the folder it was built in."""
import json, os, random, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD, BUILD, SOURCE = os.environ["PUAD"], os.environ["BUILD"], os.environ["SOURCE"]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
draw = random.Random(3)
with open("t.csv", "w") as file:
    file.write("a,b,label\n" + "".join(f"{draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f},{int(i % 40 == 0)}\n" for i in range(1000)))


def fit(name, method):
    run = subprocess.run([PUAD, "fit", "t.csv", "--label-column", "label", "--method", method, "--epochs", "2", "--alpha", "0.1", "--quiet", "--json", "-o", name],
                         check=True, capture_output=True)
    assert json.loads(run.stdout)["seconds"] >= 0
    with open(name, "rb") as file:
        return file.read()


@test
def equal_trainings_make_equal_files():
    for method in ("committee", "if", "pusvdd"):
        assert fit("one.st", method) == fit("two.st", method), method


@test
def the_library_does_not_name_the_source_folder():
    for name in ("libpuad.so", "libpuad.a"):
        with open(os.path.join(BUILD, name), "rb") as file:
            assert os.path.realpath(SOURCE).encode() not in file.read(), name


finish()
