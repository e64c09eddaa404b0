"""kill -9 at twenty random moments of `puad lab run` on drawn characters: what is finished stays, what is not is run again,
and the ledger ends with the same figures as one that nobody disturbed. KILLS and SEED change the play."""
import csv
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from killing import killed_after

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
SANITIZE = os.environ.get("SANITIZE") == "ON"  # ten times slower, and about memory, not about moments
KILLS = int(os.environ.get("KILLS", "5" if SANITIZE else "20"))
CELLS = 4
SECONDS_MAX = 900  # of a machine that is busy with other things
GRID = ["--datasets", "glyphs", "--normal-class", "1", "--methods", "if,ae,deepsvdd,pusvdd", "--seeds", "1", "--epochs", "1",
        "--set", "normals=80", "--set", "hidden=10", "--set", "labeled=10", "--threads", "1", "--quiet"]
OF_THE_MOMENT = {"seconds", "pretrain_seconds", "finished", "machine", "history"}
draw = random.Random(int(os.environ.get("SEED", "1")))


def run_command(book):
    return [PUAD, "lab", "run", *GRID, "--ledger", book]


def contents(book):
    """The figures of every cell, which must not depend on how it came to be run."""
    subprocess.run([PUAD, "lab", "export", book + ".csv", "--ledger", book, "-q"], check=True)
    with open(book + ".csv", newline="", encoding="utf-8") as rows:
        return [{name: value for name, value in row.items() if name not in OF_THE_MOMENT} for row in csv.DictReader(rows)]


def main():
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(run_command(f"{folder}/whole.db"), check=True, stdout=subprocess.DEVNULL)
        length = time.monotonic() - begin
        expected = contents(f"{folder}/whole.db")
        assert len(expected) == CELLS, len(expected)
        kills = rounds = left = 0
        while kills < KILLS:
            book = f"{folder}/killed{rounds}.db"
            rounds += 1
            while kills < KILLS and killed_after(run_command(book), draw.uniform(0, length / 3)):
                kills += 1
                left += os.path.exists(book) and len(contents(book)) < CELLS
                assert time.monotonic() - begin < SECONDS_MAX, f"only {kills} kills in {SECONDS_MAX} s"
            done = subprocess.run(run_command(book), capture_output=True, text=True, check=True)
            assert done.stdout.count("\n") == CELLS, done
            assert contents(book) == expected, f"round {rounds} ended in other figures"
    assert left > 0, "no kill left a ledger with cells to run"
    print(f"1 passed, 0 failed: {kills} kills in {rounds} ledgers, {time.monotonic() - begin:.0f} s")


main()
