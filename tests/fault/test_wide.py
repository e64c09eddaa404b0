"""Small files with very many columns take memory and time in proportion to their size."""
import os
import resource
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test
from faults import LONG, SANITIZED, run, scratch

COLUMNS = 100000 if LONG else 30000
BYTES_A_COLUMN, SECONDS = 5000, 60 if LONG else 15


def write_wide(path, columns, rows=4):
    with open(path, "w", encoding="ascii") as out:
        out.write(",".join(f"{i:x}c" for i in range(columns)) + "\n")
        for row in range(rows):
            out.write(",".join("ab"[(i + row) % 2] for i in range(columns)) + "\n")


def limit():
    if not SANITIZED:
        most = (64 << 20) + (200 << 20) + COLUMNS * BYTES_A_COLUMN
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


with scratch() as folder:
    write_wide(f"{folder}/wide.csv", COLUMNS)

    def bounded(*arguments):
        begin = time.monotonic()
        done = run(*arguments, folder=folder, preexec_fn=limit, timeout=SECONDS * (10 if SANITIZED else 1))
        assert done.returncode == 0, f"{done.returncode}: {done.stderr.decode()[-300:]}"
        return time.monotonic() - begin

    @test
    def many_text_columns_are_described():
        bounded("data", "wide.csv", "--quiet")

    @test
    def many_text_columns_are_learned_and_scored():
        bounded("fit", "wide.csv", "--method", "if", "--threads", "1", "-o", "m.safetensors", "--force", "--quiet")
        bounded("score", "m.safetensors", "wide.csv", "--threads", "1")
finish()
