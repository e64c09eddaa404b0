#!/usr/bin/env python3
"""The blocks of docs/howto/c-library.md are a program: built against the installed headers' copy and libpuad.so, it runs."""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

SOURCE, BUILD = os.environ["SOURCE"], os.environ["BUILD"]
folder = tempfile.TemporaryDirectory()


def write(name, rows, seed, label):
    draw = random.Random(seed)
    with open(os.path.join(folder.name, name), "w") as file:
        file.write("amount,hour,country,label\n")
        for i in range(rows):
            odd = i % 10 == 0
            file.write(f"{draw.gauss(90 if odd else 20, 5):.3f},{draw.gauss(12, 4):.2f},{'abroad' if odd or i % 7 == 0 else 'home'},{label(i)}\n")


@test
def the_page_compiles_and_runs():
    write("train.csv", 1200, 1, lambda i: int(i % 20 == 0))
    write("new.csv", 30, 2, lambda i: "")
    write("test.csv", 400, 3, lambda i: int(i % 10 == 0))
    page = open(os.path.join(SOURCE, "docs", "howto", "c-library.md")).read()
    blocks = re.findall(r"```c\n(.*?)```", page, re.S)
    assert len(blocks) == 14, len(blocks)
    program = os.path.join(folder.name, "page.c")
    with open(program, "w") as file:
        file.write('#include <puad/advanced.h>\n#include <stdio.h>\n#include <stdlib.h>\n'
                   '#define DO(call) do { if ((call) != PUAD_OK) { fprintf(stderr, "%s\\n", puad_last_error()); exit(1); } } while (0)\n'
                   'int main(void)\n{\n' + "\n".join(blocks) + "\nreturn 0;\n}\n")
    flags = ["-fsanitize=address,undefined"] if os.environ.get("SANITIZE") == "ON" else []
    subprocess.run(["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", *flags, f"-I{SOURCE}/include", program, "-o", program[:-2], f"-L{BUILD}",
                    f"-Wl,-rpath,{BUILD}", "-lpuad"], check=True)
    done = subprocess.run([program[:-2]], capture_output=True, text=True, cwd=folder.name, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == 0, done.stderr
    assert "flagged" in done.stdout and "pnuae" in done.stdout, done.stdout[-500:]


finish()
