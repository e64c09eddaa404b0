"""Damaged ledgers are refused or read; kill -9 and failing system calls at any moment of an import lose nothing that was there and leave
nothing half-done."""
import glob
import itertools
import os
import random
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test
from faults import LONG, PUAD, SANITIZED, SOURCE, describe, died, run, scratch
from killing import killed_after

ROUNDS, KILLS = (1000, 60) if LONG else (25, 4)
draw = random.Random(int(os.environ.get("SEED", "1")))


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))


def mutate(raw):
    out = bytearray(raw)
    for _ in range(draw.choice((1, 2, 8, 40))):
        at = draw.randrange(len(out)) if draw.random() < 0.6 else draw.randrange(min(len(out), 400))
        kind = draw.randrange(4)
        if kind == 0:
            out[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            out[at:at + 4] = draw.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"))
        elif kind == 2:
            out[at] = draw.randrange(256)
        else:
            del out[at + 4096:]
    return bytes(out)


def clean(folder, name):
    for path in glob.glob(os.path.join(folder, name + "*")):
        os.unlink(path)


def cells_of(folder, name):
    done = run("lab", "export", "--ledger", name, "exported.csv", folder=folder)
    assert done.returncode == 0, done.stderr.decode()
    with open(os.path.join(folder, "exported.csv"), encoding="utf-8") as file:
        return file.readlines()[1:]


def everything_of(place, kept={}):
    if "cells" not in kept:
        clean(place, "all.db")
        assert run("lab", "import", "--ledger", "all.db", "many.csv", folder=place).returncode == 0
        kept["cells"] = cells_of(place, "all.db")
    return kept["cells"]


with scratch() as folder:
    with open(os.path.join(SOURCE, "docs/results/ledger.csv"), encoding="utf-8") as source:
        lines = list(itertools.islice(source, 400))
    for name, part in (("few.csv", lines[:40]), ("many.csv", lines)):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.writelines(part)
    assert run("lab", "import", "--ledger", "book.db", "few.csv", folder=folder).returncode == 0
    with open(f"{folder}/book.db", "rb") as file:
        whole = file.read()
    few = cells_of(folder, "book.db")

    @test
    def mutated_ledgers_are_refused_or_read():
        refused = 0
        for number in range(ROUNDS):
            clean(folder, "mutated.db")
            with open(f"{folder}/mutated.db", "wb") as file:
                file.write(mutate(whole))
            for arguments in (["lab", "table", "--ledger", "mutated.db"], ["lab", "import", "--ledger", "mutated.db", "few.csv"]):
                done = run(*arguments, folder=folder, preexec_fn=limit)
                assert not died(done.returncode), f"round {number}: {arguments[1]}: {describe(done.returncode)} {done.stderr.decode()[-300:]}"
                assert done.returncode == 0 or b"mutated.db" in done.stderr or b"ledger" in done.stderr, f"round {number}: {done.stderr}"
                refused += done.returncode != 0
        assert refused > 0, "no ledger was refused"

    @test
    def a_killed_import_is_whole_or_not_there():
        command = [PUAD, "lab", "import", "--ledger", f"{folder}/killed.db", f"{folder}/many.csv"]
        shutil.copy(f"{folder}/book.db", f"{folder}/killed.db")
        begin = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        length = time.monotonic() - begin
        everything = cells_of(folder, "killed.db")
        for _ in range(KILLS):
            clean(folder, "killed.db")
            shutil.copy(f"{folder}/book.db", f"{folder}/killed.db")
            killed_after(command, draw.uniform(0, 1.1) * length)
            assert cells_of(folder, "killed.db") in (few, everything)
        subprocess.run(command, check=True, capture_output=True)
        assert cells_of(folder, "killed.db") == everything

    @test
    def failing_system_calls_of_an_import_lose_nothing():
        strace = shutil.which("strace")
        if not strace or SANITIZED or subprocess.run([strace, "true"], capture_output=True).returncode:
            skip("strace is not installed or may not trace here, or a sanitizer is at work")
        calls = ("pwrite64", "fsync,fdatasync", "openat", "ftruncate", "pread64", "mmap") if LONG else ("pwrite64", "fsync,fdatasync")
        for call, error, number in itertools.product(calls, ("EIO", "ENOSPC"), range(1, 40 if LONG else 4)):
            clean(folder, "struck.db")
            shutil.copy(f"{folder}/book.db", f"{folder}/struck.db")
            done = subprocess.run([strace, "-f", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={number + 20 * (call in ('openat', 'mmap'))}",
                                   PUAD, "lab", "import", "--ledger", "struck.db", "many.csv"], cwd=folder, capture_output=True)
            what = f"{call} {error} {number}: {describe(done.returncode)} {done.stderr.decode()[-200:]}"
            assert not died(done.returncode) or done.returncode == 127, what
            assert cells_of(folder, "struck.db") in ((few, everything_of(folder)) if done.returncode else (everything_of(folder),)), what
finish()
