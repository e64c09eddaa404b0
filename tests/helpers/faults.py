"""What the tests below tests/fault share: rows, running the program in a folder, and how much to do. FAULT=long, as `make test-fault`
sets it, does all of the work; otherwise a slice that takes seconds."""
import os
import random
import signal
import subprocess
import tempfile

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
SOURCE = os.path.abspath(os.environ.get("SOURCE", "."))
SANITIZED = os.environ.get("SANITIZE", "OFF") not in ("", "OFF", "0")
LONG = os.environ.get("FAULT") == "long"
FIT = ["--label-column", "label", "--method", "deepsad", "--epochs", "2", "--pretrain-epochs", "1", "--set", "width=8",
       "--threads", "1", "--force"]  # which looks for no alpha: that would take most of a fit this small


def write_rows(path, count=250, seed=1):
    """Numbers, a category with gaps and labels, half of the anomalies labeled."""
    draw = random.Random(seed)
    with open(path, "w", encoding="ascii") as out:
        out.write("amount,hour,kind,label\n")
        for row in range(count):
            odd = row % 4 == 0
            kind = "phone" if odd else draw.choice(["web", "shop", ""])
            out.write(f"{draw.gauss(120 if odd else 50, 15):.2f},{draw.gauss(3 if odd else 12, 2):.2f},{kind},{int(row % 8 == 0)}\n")


def scratch():
    return tempfile.TemporaryDirectory(prefix="puad-fault-")


def run(*arguments, folder, program=None, environment=None, timeout=120, **more):
    """The program with its arguments in `folder`; nothing on standard input unless told."""
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([program or PUAD, *arguments], cwd=folder, capture_output=True, timeout=timeout,
                          env={**os.environ, **(environment or {})}, **more)


def died(code):
    """By a signal, or by a sanitizer: never an answer to bad luck or bad input."""
    return code < 0 or code not in (0, 1, 2)


def snapshot(folder):
    """Every file below a folder with its bytes."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


def describe(code):
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"
