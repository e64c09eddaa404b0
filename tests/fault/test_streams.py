"""Every command with closed standard streams: no message lands in a file, what is written is what is written otherwise, and results
that had nowhere to go are a failure."""
import itertools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish
from faults import FIT, LONG, PUAD, SOURCE, describe, died, scratch, snapshot, write_rows

# Each command: its arguments, and whether its results go to standard output.
COMMANDS = [
    (["list", "methods"], True),
    (["list", "--json"], True),
    (["fit", "rows.csv", "-o", "new.safetensors", *FIT, "--seed", "7"], False),
    (["fit", "rows.csv", "-o", "new.safetensors", *FIT, "--json"], True),
    (["score", "m.safetensors", "rows.csv"], True),
    (["score", "m.safetensors", "rows.csv", "--fdr", "0.2"], True),
    (["eval", "m.safetensors", "rows.csv", "--label-column", "label"], True),
    (["inspect", "m.safetensors"], True),
    (["operate", "m.safetensors"], True),
    (["operate", "m.safetensors", "--plot", "table.svg"], True),
    (["export", "m.safetensors", "-o", "new.onnx"], False),
    (["report", "rows.csv", "--model", "m.safetensors", "-o", "page.html"], False),
    (["report", "rows.csv", "-o", "page.html", "--save-model", "kept.safetensors", *FIT], False),
    (["score", "m.safetensors", "rows.csv", "--keep-columns", "-o", "scores.csv"], False),
    (["data", "rows.csv"], True),
    (["data", "rows.csv", "--json"], True),
    (["prior", "rows.csv", "--label-column", "label"], True),
    (["query", "m.safetensors", "rows.csv", "-n", "3", "--quiet"], True),
    (["query", "m.safetensors", "rows.csv", "-n", "3"], True),
    (["fetch", "--list"], True),
    (["fetch", "breastmnist", "--data-dir", "data", "--from", "mirror", "--trust"], True),
    (["lab", "import", "--ledger", "new.db", "cells.csv"], None),
    (["lab", "table", "--ledger", "cells.db"], True),
    (["lab", "export", "--ledger", "cells.db", "again.csv"], False),
    (["bench", "step", "--steps", "1", "--batch", "4", "--json"], True),
    (["demo", "-o", "page", "--epochs", "1", "--toy-epochs", "1", "--rows", "200"], None),
]
SLOW = ("demo", "bench", "prior")


def sample(folder):
    write_rows(f"{folder}/rows.csv")
    os.mkdir(f"{folder}/mirror")
    with open(f"{folder}/mirror/breastmnist.npz", "wb") as out:
        out.write(b"a data set" * 500)
    with open(os.path.join(SOURCE, "docs/results/ledger.csv"), encoding="utf-8") as source, \
            open(f"{folder}/cells.csv", "w", encoding="utf-8") as out:
        out.writelines(itertools.islice(source, 30))
    for arguments in (["fit", "rows.csv", "-o", "m.safetensors", "--calibrate=0.3", *FIT, "--quiet"],
                      ["lab", "import", "--ledger", "cells.db", "cells.csv"]):
        subprocess.run([PUAD, *arguments], cwd=folder, check=True, capture_output=True)


def made(folder, before, arguments, closed):
    """The exit status and the files that are new after a run in which these streams are closed."""
    def close():
        for number in closed:
            os.close(number)

    done = subprocess.run([PUAD, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=close, timeout=300)
    after = snapshot(folder)
    for name in set(after) - set(before):
        os.unlink(os.path.join(folder, name))
    changed = [name for name in before if after.get(name) != before[name] and not name.endswith((".db", "-wal", "-shm"))]
    check(not changed, f"{arguments}: {changed} changed")
    return done, {name: bytes_ for name, bytes_ in after.items() if name not in before}


def stable(files):
    """Without what differs from run to run: times in models, databases and pages."""
    return {name: bytes_ if name.endswith((".csv", ".npz", ".svg", ".onnx")) else None for name, bytes_ in files.items()}


with scratch() as folder:
    sample(folder)
    before = snapshot(folder)
    for arguments, speaks in COMMANDS:
        if not LONG and arguments[0] in SLOW:
            continue
        done, whole = made(folder, before, arguments, ())
        check(done.returncode == 0, f"{arguments}: {done.stderr.decode()}")
        for closed in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)) if LONG else ((1,), (2,), (0, 1)):
            done, files = made(folder, before, arguments, closed)
            what = f"{' '.join(arguments)} without {closed}: {describe(done.returncode)} {done.stderr.decode()[-200:]}"
            check(not died(done.returncode), what)
            if 1 in closed and speaks:
                check(done.returncode == 1, f"{what}: results that went nowhere are no success")
            if 1 not in closed:
                check(done.returncode == 0, what)
            if done.returncode == 0 or arguments[0] == "fetch":
                check(stable(files) == stable(whole), f"{what}: {sorted(files)}, expected {sorted(whole)} with the same bytes")
            for name, bytes_ in files.items():
                check(b"puad fetch" not in bytes_ and b"breastmnist.npz: " not in bytes_, f"{what}: a message in {name}")
finish()
