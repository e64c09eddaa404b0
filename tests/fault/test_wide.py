"""Small files with very many columns take memory and time in proportion to their size."""
import array
import json
import os
import resource
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test
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

    def write_array(columns):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (4, {columns}), }}".ljust(117) + "\n"
        with open(f"{folder}/{columns}.npy", "wb") as out:
            out.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode())
            for row in range(4):
                out.write(array.array("f", [row + i % 7 for i in range(columns)]).tobytes())
        return f"{columns}.npy"

    @test
    def a_first_record_of_megabytes_is_read_and_one_without_an_end_refused():
        for name, cell in ("quoted", '"' + "long, " * 350000 + '"'), ("lines", '"' + "two\n" * 500000 + '"'), ("bare", "x" * 2000000):
            with open(f"{folder}/{name}.csv", "w", encoding="ascii") as out:
                out.write(f"a,{cell},b\n" + "".join(f"{i % 7},{i},{i % 3}\n" for i in range(50)))
            done = run("data", f"{name}.csv", "--json", folder=folder)
            assert done.returncode == 0, f"{name}: {done.stderr[-300:]}"
            found = json.loads(done.stdout)
            assert found["rows"] == 50 and len(found["columns"]) == 3, (name, found["rows"], len(found["columns"]))
        with open(f"{folder}/endless.csv", "w", encoding="ascii") as out:
            out.write('a,"b\n' + "1,2\n" * 12000000)
        done = run("data", "endless.csv", folder=folder)
        assert done.returncode == 1 and has(done.stderr, b"endless.csv", b"line 1"), done.stderr[-300:]

    FIT = "--method", "if", "--threads", "1", "--force", "--quiet", "-o"

    @test
    def more_columns_than_a_model_file_takes_are_refused_before_the_training():
        if not LONG:
            return  # tests/unit/detector/detector_fit.c has the short form
        done = run("fit", write_array(1000001), *FIT, "over.safetensors", folder=folder, timeout=600)
        assert done.returncode != 0 and b"1000001 columns" in done.stderr and b"1000000" in done.stderr, done.stderr
        assert not os.path.exists(f"{folder}/over.safetensors")

    @test
    def a_model_of_very_many_columns_is_saved_and_loaded():
        name = write_array(500000 if LONG else 50000)
        for arguments in ("fit", name, *FIT, "full.safetensors"), ("inspect", "full.safetensors"), ("score", "full.safetensors", name):
            done = run(*arguments, folder=folder, timeout=600)
            assert done.returncode == 0, f"{arguments}: {done.returncode}: {done.stderr.decode()[-300:]}"
finish()
