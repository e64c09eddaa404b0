#!/usr/bin/env python3
"""A row in options.def is a whole option: a copy of the sources gets two, and they are in --help, the man page, the model, C and Python."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test

SOURCE = os.environ["SOURCE"]
ROWS = """
OPTION(INPUT, extra_word, OPTION_TEXT, NULL, 0, 0, "WORD", NULL, NULL, "help of the first")
OPTION(FIT, extra_rate, OPTION_NUMBER, "0.25", 0, 1, "RATE", NULL, NULL, "help of the second")
"""
C_PROGRAM = """
#include <puad/advanced.h>
#include <stdio.h>
int main(void)
{
    puad_options *options = NULL;
    if (puad_options_new(&options) || puad_options_set(options, "extra_word", "w")) return 1;
    if (puad_options_set_number(options, "extra_rate", 0.5) || !puad_options_set(options, "extra_rate", "2")) return 2;
    printf("%s %s\\n", puad_options_get(options, "extra_word"), puad_options_get(options, "extra_rate"));
    puad_options_free(options);
    return 0;
}
"""
PYTHON = """
import puad
from puad._parameters import options_table
rows = {row["name"]: row for row in options_table()}
assert rows["extra_rate"]["default"] == "0.25" and "extra_word" in rows
detector = puad.Detector("if", extra_rate=0.5)
assert detector.get_params()["extra_rate"] == 0.5
detector.fit([[float(i % 7)] for i in range(50)])
try:
    puad.Detector("if", extra_rate=2).fit([[float(i % 7)] for i in range(50)])
except ValueError as error:
    assert "extra_rate" in str(error)
else:
    raise SystemExit("2 is not refused")
"""
folder = tempfile.TemporaryDirectory()
build = os.path.join(folder.name, "build")


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.name, **more)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def build_copy():
    for name in ("src", "cli", "plot", "include", "cmake", "tools", "bindings", "CMakeLists.txt"):
        path = os.path.join(SOURCE, name)
        copy = os.path.join(folder.name, name)
        shutil.copytree(path, copy) if os.path.isdir(path) else shutil.copy(path, copy)
    with open(os.path.join(folder.name, "src/options/options.def"), "a") as file:
        file.write(ROWS)
    run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DPUAD_LAB=OFF", "-DPUAD_SERVE=OFF", "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_C_FLAGS_DEBUG=-O0")
    with open(os.path.join(folder.name, "bindings/python/puad/_api.py"), "w") as file:
        file.write(run("python3", "bindings/python/backend/puad_headers.py", "include/puad"))
    run("cmake", "--build", "build", "--target", "puad", "puad_shared")


@test
def a_copy_with_two_more_rows_is_built():
    if os.environ.get("SANITIZE") not in (None, "", "OFF"):
        skip("it would be another build without the sanitizer")
    build_copy()


def the_program_has_the_options():
    puad = os.path.join(build, "puad")
    assert "--extra-rate RATE" in run(puad, "help", "fit")
    assert "help of the first" in run(puad, "help", "input")
    assert "extra\\-rate RATE" in run(puad, "fit", "--man")
    draw = random.Random(1)
    with open(os.path.join(folder.name, "t.csv"), "w") as file:
        file.write("x,y\n" + "".join(f"{draw.gauss(0, 1)},{draw.gauss(0, 1)}\n" for _ in range(60)))
    run(puad, "fit", "t.csv", "--no-labels", "--method", "if", "--extra-word", "w", "--extra-rate", "0.5", "-o", "m.st")
    refused = subprocess.run([puad, "fit", "t.csv", "--extra-rate", "2", "-o", "m.st"], capture_output=True, text=True, cwd=folder.name)
    assert refused.returncode == 2 and "--extra-rate" in refused.stderr, refused
    assert json.loads(run(puad, "inspect", "m.st", "--json"))["input"]["extra-word"] == "w"


def a_program_in_c_sets_them():
    with open(os.path.join(folder.name, "set.c"), "w") as file:
        file.write(C_PROGRAM)
    run("cc", "-I", "include", "set.c", "-o", "set", "-L", build, "-lpuad", f"-Wl,-rpath,{build}")
    assert run(os.path.join(folder.name, "set")) == "w 0.5\n"


def python_takes_them_as_keywords():
    environments = [os.path.join(SOURCE, ".venv/python/bin/python"), "/usr/bin/python3"]
    usable = [path for path in environments if os.path.exists(path) and subprocess.run([path, "-c", "import sklearn"], capture_output=True).returncode == 0]
    if not usable:
        skip("scikit-learn is not installed")
    run(usable[0], "-c", PYTHON, env={**os.environ, "PYTHONPATH": os.path.join(folder.name, "bindings/python"),
                                               "PUAD_LIBRARY": os.path.join(build, "libpuad.so")})


if os.path.exists(os.path.join(build, "puad")):
    for body in the_program_has_the_options, a_program_in_c_sets_them, python_takes_them_as_keywords:
        test(body)
finish()
