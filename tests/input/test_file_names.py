#!/usr/bin/python3
"""Names of files that contain line feeds: one file, and several files of one table."""
import os
import subprocess
import sys
import tempfile

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
sys.path.insert(0, os.path.join(os.environ.get("SOURCE", "."), "tests", "helpers"))
from checks import finish, test

NAMES = ["a\nb.csv", "a", "\nfirst.csv", "last.csv\n", "two\n\nfeeds.csv", "b.csv"]


def write(folder):
    for place, name in enumerate(NAMES):
        with open(os.path.join(folder, name), "w") as file:
            file.write("amount,label\n" + "".join(f"{(place * 17 + i * 37) % 100},{int(i % 20 == 0)}\n" for i in range(40)))


def scores(folder, *inputs):
    done = subprocess.run([PUAD, "score", "m.safetensors", *inputs, "-q"], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [line.split(",")[1] for line in done.stdout.splitlines()[1:]]


@test
def a_name_may_contain_line_feeds_alone_and_in_a_list():
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        subprocess.run([PUAD, "fit", "b.csv", "--label-column", "label", "-q", "-o", "m.safetensors"], check=True, cwd=folder)
        alone = [scores(folder, name) for name in NAMES]
        assert all(len(one) == 40 for one in alone) and alone[0] != alone[1]
        assert scores(folder, *NAMES) == sum(alone, [])


@test
def the_first_name_of_a_list_is_reported():
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        done = subprocess.run([PUAD, "data", *NAMES[-1:], "a", "--json"], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0 and "b.csv and 1 more" in done.stdout, done


finish()
