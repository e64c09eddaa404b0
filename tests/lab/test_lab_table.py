"""puad lab import, export and table: what goes in comes out, and the marks agree with scipy's paired t-test."""
import csv
import io
import os
import subprocess
import sys
import tempfile

import numpy
from scipy import stats

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

PUAD = os.environ["PUAD"]


def lab(*arguments):
    return subprocess.run([PUAD, "lab", *arguments], capture_output=True, text=True, timeout=60)


HISTORY = '{"epoch":[0,1],\n"train_loss":[1,0.5],"valid_loss":[1,null],"seconds":[1,1]}'
METHODS = {"if": 0.885, "ae": 0.912, "deepsvdd": 0.937, "loe": 0.945, "abc": 0.916, "deepsad": 0.94, "soel": 0.97,
           "pu": 0.95, "puae": 0.985, "pusvdd": 0.987}
draw = numpy.random.default_rng(3)
classes = draw.normal(0, 0.02, 9)  # some classes are harder, for all methods
values = {method: {(normal, seed): min(1, level + classes[normal - 1] + draw.normal(0, 0.012))
                   for normal in range(1, 10) for seed in range(5)} for method, level in METHODS.items()}

with tempfile.TemporaryDirectory() as folder:
    book, results = os.path.join(folder, "lab.db"), os.path.join(folder, "results.csv")
    with open(results, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dataset", "normal", "unseen", "method", "seed", "epochs", "auroc", "history"])
        for method, cells in values.items():
            for (normal, seed), auroc in cells.items():
                writer.writerow(["mnist", normal, 0, method, seed, 10, repr(auroc), HISTORY])
    done = lab("import", results, "--ledger", book)
    check(done.returncode == 0 and "450" in done.stderr, "cells are taken in")
    check("450" in lab("import", results, "--ledger", book).stderr, "taken in again, they are the same")

    done = lab("table", "--ledger", book, "--format", "csv")
    rows = {row["method"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    check(list(rows) == list(METHODS), "methods stand in the order of the paper")
    arrays = {method: numpy.array([cells[key] for key in sorted(cells)]) for method, cells in values.items()}
    best = max(arrays, key=lambda method: arrays[method].mean())
    for method, array in arrays.items():
        row = rows[method]
        check(abs(float(row["mean"]) - array.mean()) < 1e-8, f"mean of {method}")
        check(abs(float(row["deviation"]) - array.std(ddof=1)) < 1e-8, f"deviation of {method}")
        equal = method == best or stats.ttest_rel(arrays[best], array).pvalue >= 0.05
        check(row["best"] == str(int(equal)), f"mark of {method}")
        check(row["runs"] == "45" and row["expected"] == "45" and row["paper_mean"] != "", f"runs and paper of {method}")
    check(sum(row["best"] == "1" for row in rows.values()) < 10, "not all are marked")

    done = lab("table", "--ledger", book, "--methods", "ae,pusvdd", "--paper", "none", "--seeds", "6")
    check("45 of 54" in done.stdout and "paper" not in done.stdout, "missing runs are counted, the paper left out")
    output = os.path.join(folder, "t.md")
    check(lab("table", "--ledger", book, "--format", "markdown", "-o", output).returncode == 0 and
          "| pusvdd |" in open(output).read(), "a table goes to a file")
    log = os.path.join(folder, "log.txt")
    with open(log, "w") as file:
        subprocess.run(["sh", "-c", 'echo before; "$0" lab table --ledger "$1" --format csv -o /dev/stdout; echo after', PUAD, book],
                       stdout=file, timeout=60)
    lines = open(log).read().splitlines()
    check(lines[0] == "before" and lines[-1] == "after" and len(lines) == 13, f"a log keeps its other lines: {lines}")
    foreign = os.path.join(folder, "paper.csv")
    for end in ("\n", "\r\n", "\r"):
        with open(foreign, "w", newline="") as file:
            file.write("anomalies,dataset,method,auroc_mean,auroc_std,best" + end)
            file.write(("all,mnist,pusvdd,0.25,0.01,1" + end) * 20000)
        done = lab("table", "--ledger", book, "--methods", "pusvdd", "--paper", foreign)
        check(done.returncode == 0 and "0.250" in done.stdout, f"the paper's figures of a file with lines ending in {end!r}")
    check(lab("table", "--ledger", book, "--where", "epochs=11").returncode == 2, "nothing that fits is an error")
    check(lab("table", "--ledger", os.path.join(folder, "none.db")).returncode == 1, "a missing ledger is an error")
    check(not os.path.exists(os.path.join(folder, "none.db")), "and is not made")
    check(lab("dance").returncode == 2, "an unknown action is wrong usage")

    for ending, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        picture = os.path.join(folder, "figure." + ending)
        done = lab("figure", "bars", "--ledger", book, "-o", picture)
        check(done.returncode == 0 and open(picture, "rb").read().startswith(begins), f"a figure as {ending}")
    done = lab("figure", "alpha", "--ledger", book, "-o", os.path.join(folder, "a.svg"))
    check(done.returncode == 2 and "--plan alpha" in done.stderr, "a figure of a sweep needs one")
    check(lab("figure", "bars", "--ledger", book, "-o", os.path.join(folder, "a.gif")).returncode == 2, "an unknown ending")
    check(lab("figure", "portrait", "--ledger", book, "-o", picture).returncode == 2, "an unknown figure")
    check(lab("figure", "bars", "--ledger", book).returncode == 2, "a figure needs a file")

    first, second, copy = (os.path.join(folder, name) for name in ("a.csv", "b.csv", "copy.db"))
    check(lab("export", first, "--ledger", book).returncode == 0, "export")
    lab("import", first, "--ledger", copy)
    lab("export", second, "--ledger", copy)
    check(open(first).read() == open(second).read(), "export, import, export: the same bytes")
    exported = list(csv.DictReader(open(first, newline="")))
    check(len(exported) == 450 and exported[0]["history"] == HISTORY, "Python's csv reads the export")
    check(all(float(row["auroc"]) == values[row["method"]][int(row["normal"]), int(row["seed"])] for row in exported),
          "every figure to the last bit")

finish()
