#!/usr/bin/env python3
"""The ctypes declarations that the Python package gets from the headers have the layout that the C compiler makes of them."""
import ctypes
import os
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ.get("SOURCE", "."), os.environ.get("BUILD", "build")
sys.path.insert(0, os.path.join(SOURCE, "bindings", "python", "backend"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "helpers"))
from checks import finish, skip, test
from puad_headers import Headers, title

HEADERS = os.path.join(SOURCE, "include", "puad")


def load(headers):
    made = {}
    exec(compile(headers.module(), "_api.py", "exec"), made)
    return made


def differences(headers, api, include):
    """What the C compiler says of each struct, member and constant, against the module."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "layout.c")
        with open(program, "w", encoding="utf-8") as file:
            file.write(headers.c_program())
        subprocess.run(["cc", "-std=c11", f"-I{include}", program, "-o", program[:-2]], check=True)
        lines = subprocess.run([program[:-2]], check=True, capture_output=True, text=True).stdout.splitlines()
    found = []
    for line in lines:
        name, value = line.split()
        struct, _, member = name.partition(".")
        if member:
            ours = getattr(api[title(struct)], member).offset
        elif struct.startswith("puad_"):
            ours = ctypes.sizeof(api[title(struct)])
        else:
            ours = api[name[5:]]
        if ours != int(value):
            found.append(f"{name} is {value} in C and {ours} in Python")
    return found


@test
def layouts_are_those_of_the_compiler():
    headers = Headers(HEADERS)
    assert len(headers.order) > 10 and len(headers.constants) > 40
    found = differences(headers, load(headers), os.path.join(SOURCE, "include"))
    assert not found, found


@test
def a_changed_header_is_a_difference():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "puad"))
        for name in os.listdir(HEADERS):
            with open(os.path.join(HEADERS, name), encoding="utf-8") as file:
                text = file.read()
            if name == "puad.h":
                assert "    double p; " in text
                text = text.replace("    double p; ", "    double inserted;\n    double p; ")
            with open(os.path.join(folder, "puad", name), "w", encoding="utf-8") as file:
                file.write(text)
        found = differences(Headers(HEADERS), load(Headers(HEADERS)), folder)
        assert any("puad_decision.p " in one for one in found), found


@test
def every_function_of_the_headers_is_in_the_library():
    api = load(Headers(HEADERS))
    if os.environ.get("SANITIZE", "OFF") != "OFF":
        skip("Python itself is not built with a sanitizer")
    library = ctypes.CDLL(os.path.join(BUILD, "libpuad.so"))
    missing = [name for name in (*api["CHECKED"], *api["PLAIN"]) if not hasattr(library, "puad_" + name)]
    assert not missing, missing
    with open(os.path.join(SOURCE, "tests", "abi", "symbols.txt"), encoding="utf-8") as file:
        names = {line.strip() for line in file}
    assert names == {"puad_" + name for name in (*api["CHECKED"], *api["PLAIN"])}


finish()
