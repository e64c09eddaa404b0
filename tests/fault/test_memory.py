"""Allocations fail in turn, in the long form every one of a fit, a score, a query, a table, an import and 400 of each other command: the program never crashes, what it writes is whole or
not there, a success is a whole success, and a failure says that memory ran out."""
import itertools
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish
from faults import BUILD, FIT, LONG, SANITIZED, SOURCE, describe, died, run, scratch, snapshot, write_rows

INJECTOR = os.path.join(BUILD, "tests", "libfail_memory.so")
SAMPLES = 400 if LONG else 25  # of each command's allocations; all where there are fewer, and of the commands in WHOLE in the long form
if SANITIZED:
    print("skipped: the sanitizers have an allocator of their own")
    sys.exit(77)
assert os.path.exists(INJECTOR), INJECTOR
MODEL = ["m.safetensors", "rows.csv"]
# A command, and the file that it makes.
COMMANDS = [
    (["fit", "rows.csv", "-o", "new.safetensors", *FIT, "--quiet"], "new.safetensors"),
    (["fit", "rows.csv", "-o", "new.safetensors", *FIT, "--method", "pusvdd", "--alpha", "auto", "--json", "--calibrate=0.3"], "new.safetensors"),
    (["fit", "rows.csv", "-o", "new.safetensors", "--label-column", "label", "--method", "if", "--threads", "1", "--quiet"],
     "new.safetensors"),
    (["fit", "rows.csv", "-o", "new.safetensors", "--update", "m.safetensors", "--epochs", "2", "--threads", "1", "--force", "--quiet"],
     "new.safetensors"),
    (["score", *MODEL, "--threads", "1"], None),
    (["score", *MODEL, "--threads", "1", "--fdr", "0.2", "--explain", "2"], None),
    (["eval", *MODEL, "--label-column", "label", "--json", "--threads", "1"], None),
    (["inspect", "m.safetensors", "--json"], None),
    (["operate", "m.safetensors", "--json"], None),
    (["query", *MODEL, "-n", "3", "--quiet"], None),
    (["export", "m.safetensors", "-o", "new.onnx"], "new.onnx"),
    (["report", "rows.csv", "--model", "m.safetensors", "-o", "new.html", "--threads", "1", "--quiet"], "new.html"),
    (["score", *MODEL, "--threads", "1", "--keep-columns", "-o", "new.csv"], "new.csv"),
    (["data", "rows.csv", "--json"], None),
    (["list", "--json"], None),
    (["lab", "table", "--ledger", "cells.db", "--format", "markdown"], None),
    (["lab", "export", "--ledger", "cells.db", "new.csv"], "new.csv"),
    (["lab", "import", "--ledger", "new.db", "cells.csv"], "new.db"),
    (["lab", "figure", "bars", "--ledger", "cells.db", "-o", "new.svg"], "new.svg"),
    (["lab", "report", "--ledger", "cells.db", "--no-training", "-o", "new.html"], "new.html"),
]
WHOLE = [COMMANDS[0][0], *(command for command, _ in COMMANDS if command[0] in ("score", "query", "data") or command[:2] in (["lab", "table"], ["lab", "import"]))]
VARIES = re.compile(rb'("(?:\w*seconds|finished)":)[^,}]*|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?Z?')


def steady(text):
    return VARIES.sub(rb"\1", text)


def sample(folder):
    write_rows(f"{folder}/rows.csv")
    with open(os.path.join(SOURCE, "docs/results/ledger.csv"), encoding="utf-8") as source, \
            open(f"{folder}/cells.csv", "w", encoding="utf-8") as out:
        out.writelines(itertools.islice(source, 5))
    for arguments in (["fit", "rows.csv", "-o", "m.safetensors", "--calibrate=0.3", *FIT, "--quiet"],
                      ["lab", "import", "--ledger", "cells.db", "cells.csv"]):
        done = run(*arguments, folder=folder)
        assert done.returncode == 0, done.stderr


def use(folder, name):
    """What a later program gets out of the file that was made."""
    if name.endswith(".safetensors"):
        return run("score", name, "rows.csv", "--threads", "1", folder=folder)
    if name.endswith(".db"):
        done = run("lab", "export", "--ledger", name, "exported.csv", folder=folder)
        with open(f"{folder}/exported.csv", "rb") as file:
            done.stdout = file.read()
        os.unlink(f"{folder}/exported.csv")
        return done
    with open(os.path.join(folder, name), "rb") as file:
        done = run("list", folder=folder)
        done.stdout = file.read()
    return done


def clean(folder, kept):
    for name in os.listdir(folder):
        if name not in kept:
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def judge(folder, kept, arguments, made, whole, number, on):
    environment = {"LD_PRELOAD": INJECTOR, "FAULT_AT": str(number), "FAULT_ON": str(int(on))}
    what = f"{' '.join(arguments)}, allocation {number}{' and all after' if on else ''}"
    try:
        done = run(*arguments, folder=folder, environment=environment, timeout=30)
    except subprocess.TimeoutExpired:
        return f"{what}: does not end"
    what += f": {describe(done.returncode)}"
    if died(done.returncode):
        return f"{what} {done.stderr.decode()[-200:]}"
    files = set(os.listdir(folder)) - kept
    part = [name for name in files if name.endswith(".part")]
    if part:
        return f"{what}: {part} left behind"
    if done.returncode:
        said = done.stderr.decode().lower()
        if "memory" not in said:
            return f"{what}: says {said[-200:]!r}, not that memory ran out"
        if made in files and not made.endswith(".db"):  # then its report failed; a ledger has what was committed
            used = use(folder, made)
            if used.returncode or steady(used.stdout) != whole[1]:
                return f"{what}: failed, and {made} is there and not whole"
        return None
    if steady(done.stdout) != whole[0]:
        return f"{what}: the output is not whole"
    if made:
        if made not in files:
            return f"{what}: no {made}"
        used = use(folder, made)
        if used.returncode or steady(used.stdout) != whole[1]:
            return f"{what}: {made} is not whole {used.stderr.decode()[-200:]}"
    return None


with scratch() as folder:
    sample(folder)
    kept = set(os.listdir(folder))
    draw = random.Random(int(os.environ.get("SEED", "1")))
    only = sys.argv[1:]
    for arguments, made in COMMANDS:
        if only and not " ".join(arguments).startswith(" ".join(only)):
            continue
        count_file = f"{folder}.count"
        done = run(*arguments, folder=folder, environment={"LD_PRELOAD": INJECTOR, "FAULT_COUNT": count_file})
        assert done.returncode == 0, f"{arguments}: {done.stderr.decode()}"
        with open(count_file, encoding="ascii") as file:
            count = int(file.read())
        os.unlink(count_file)
        whole = steady(done.stdout), steady(use(folder, made).stdout) if made else None
        clean(folder, kept)
        samples = count if LONG and arguments in WHOLE else min(SAMPLES, count)
        numbers = sorted(draw.sample(range(1, count + 1), samples))
        findings = {}
        for number in numbers:
            for on in (False, True) if LONG and number % 5 == 0 else (draw.random() < 0.3,):
                finding = judge(folder, kept, arguments, made, whole, number, on)
                clean(folder, kept)
                if finding:
                    findings.setdefault(re.sub(r"\d+", "N", finding), finding)
        for finding in list(findings.values())[:10]:
            check(False, finding)
        check(not findings, f"{' '.join(arguments)}: {len(findings)} kinds of findings in {len(numbers)} of {count} allocations")
        if LONG:
            print(f"{' '.join(arguments)}: {count} allocations")
finish()
