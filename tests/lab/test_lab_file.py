"""puad lab run --dataset-file: a stranger's NPZ and a user's table get the paper's split and go through plan, ledger, table, report, export
and import beside the named sets, together with an objective from a shared library; what cannot be is refused with what to do."""
import csv
import hashlib
import os
import random
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish
from lab_runs import cells, lab

csv.field_size_limit(1 << 24)
SOURCE = os.path.abspath(os.environ.get("SOURCE", "."))
RUN = ["--seeds", "1", "--epochs", "2", "--threads", "1", "--quiet"]
SIZES = ["--set", "normals=40", "--set", "hidden=4", "--set", "labeled=4"]


def refused(word, *arguments, folder):
    done = lab("run", *RUN, "--ledger", "refused.db", *arguments, folder=folder)
    check(done.returncode in (1, 2) and word in done.stderr and not done.stdout, f"{arguments}: expected '{word}': {done}")


def write_images(path, seed=0):
    """A bright bar whose row is the class: 3, 5, 7 and 9, 80 images of 14 x 14 each."""
    generator = numpy.random.default_rng(seed)
    classes = numpy.repeat([3, 5, 7, 9], 80)
    images = generator.integers(0, 60, (len(classes), 14, 14)).astype(numpy.uint8)
    for image, kind in zip(images, classes):
        image[kind - 1:kind + 1, 2:12] = 230
    numpy.savez(path, X=images, y=classes)


def write_table(path):
    """Classes apart in one of three columns; a category and missing numbers as people have them."""
    generator = random.Random(0)
    with open(path, "w", encoding="utf-8") as file:
        file.write("a,b,color,kind\n")
        for i in range(300):
            kind = i % 3
            missing = i % 17 == 0
            file.write(f"{'' if missing else round(generator.gauss(0, 1), 3)},{1e6 * generator.gauss(5 * kind, 1):.1f},"
                       f"{generator.choice(['red', 'blue'])},{['fine', 'dent', 'crack'][kind]}\n")


def compiled(folder):
    library = os.path.join(folder, "ours.so")
    source = os.path.join(SOURCE, "examples", "objective_plugin.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(SOURCE, "include"), source, "-o", library], check=True)
    with open(library, "rb") as file:
        return "doubled-1.0@" + hashlib.md5(file.read()).hexdigest()[:8]


def check_images(folder):
    write_images(os.path.join(folder, "stranger.npz"))
    with open(os.path.join(folder, "stranger.npz"), "rb") as file:
        name = "stranger@" + hashlib.md5(file.read()).hexdigest()[:8]
    plan = ["--plan", "table1", "--dataset-file", "stranger.npz", *SIZES, "--ledger", "a.db"]
    own = [*plan, "--methods", "if,puae"]
    dry = lab("run", *RUN, *own, "--dry-run", folder=folder)
    check(dry.returncode == 0 and dry.stdout.count(name) == 6 and "(done)" not in dry.stdout, f"a plan: {dry}")
    found = cells(*RUN, *own, folder=folder)
    check([cell["normal"] for cell in found] == ["5", "5", "7", "7", "9", "9"], "each class but the first is normal")
    check(all(cell["dataset"] == name and cell["unseen"] == "3" and cell["network"] == "conv32" for cell in found), f"named: {found[0]}")
    check(all((cell["train_rows"], cell["test_rows"], cell["reduced"]) == (48, 96, 0) for cell in found), f"three in ten of each class test: {found[0]}")
    check(all(cell["auroc"] > 0.9 for cell in found if cell["method"] == "if"), "a forest sees the bars")
    check(all(cell["cached"] for cell in cells(*RUN, *own, folder=folder)), "the ledger knows the file")
    objective = compiled(folder)
    plugged = cells(*RUN, *plan, "--methods", "puae", "--objective-plugin", "ours.so", folder=folder)
    check(len(plugged) == 3 and all(cell["objective"] == objective and cell["dataset"] == name for cell in plugged), f"with an objective of their own: {plugged}")
    grouped = cells(*RUN, "--dataset-file", "stranger.npz", "--classes", "5+7/9", "--methods", "if", *SIZES, "--ledger", "b.db", folder=folder)
    check([(cell["normal"], cell["unseen"]) for cell in grouped] == [("5+7", "9")] and grouped[0]["dataset"].startswith("stranger-unseen-9@"), f"classes: {grouped}")
    write_images(os.path.join(folder, "stranger.npz"), seed=1)
    changed = cells(*RUN, *own, folder=folder)
    check(not changed[0]["cached"] and changed[0]["dataset"] != name and changed[0]["dataset"].startswith("stranger@"), "a file that has changed is another set")
    return name, objective


def check_table(folder):
    write_table(os.path.join(folder, "parts.csv"))
    found = cells(*RUN, "--dataset-file", "parts.csv", "--label-column", "kind", "--methods", "if,pusvdd,committee", "--classes", "fine/dent", *SIZES,
                  "--ledger", "a.db", folder=folder)
    check(len(found) == 3 and all(cell["normal"] == "fine" and cell["unseen"] == "dent" for cell in found), f"classes by their names: {found}")
    check([cell["network"] for cell in found if cell["method"] == "pusvdd"] == ["mlp"], "tables go to mlp")
    check(found[2]["auroc"] > 0.9 and found[0]["auroc_unseen"] > 0.7, f"the classes are apart: {found}")
    words = numpy.repeat(["fine", "dent", "odd \u00e9"], 100)
    numpy.savez(os.path.join(folder, "words.npz"), X=numpy.random.default_rng(0).normal(size=(300, 3)) + 5 * numpy.arange(300)[:, None] // 100, y=words)
    named = cells(*RUN, "--dataset-file", "words.npz", "--methods", "if", "--classes", "fine/odd \u00e9", *SIZES, "--ledger", "a.db", folder=folder)
    check([(cell["normal"], cell["unseen"]) for cell in named] == [("fine", "odd \u00e9")] and named[0]["auroc"] > 0.9, f"classes of an array by their names: {named}")
    numpy.savez(os.path.join(folder, "two.npz"), X=numpy.random.default_rng(1).normal(size=(300, 3)), y=numpy.arange(300) % 3 == 1)
    swept = cells(*RUN, "--dataset-file", "two.npz", "--plan", "alpha", "--methods", "pusvdd", *SIZES, "--ledger", "a.db", folder=folder)
    check(len(swept) == 6 and all(cell["normal"] == "0" for cell in swept), f"a plan takes the normal class of the file, the larger: {swept}")
    curve = cells(*RUN, "--dataset-file", "parts.csv", "--label-column", "kind", "--methods", "puae", "--classes", "fine/dent", *SIZES, "--curve",
                  "--ledger", "a.db", folder=folder)
    check(len(curve) == 1 and not curve[0]["cached"], "curves of a file")


def check_shown(folder, name, objective):
    """Without file and library: both stand beside a named set."""
    cells(*RUN, "--datasets", "glyphs", "--normal-class", "1", "--methods", "if,puae", *SIZES, "--ledger", "a.db", folder=folder)
    done = lab("table", "--ledger", "a.db", "--format", "csv", folder=folder)
    rows = list(csv.reader(done.stdout.splitlines()))
    check(done.returncode == 0 and any(name in ",".join(row) and objective in ",".join(row) for row in rows), f"table: {done.stderr}{done.stdout}")
    check("glyphs" in done.stdout and "parts-unseen-dent@" in done.stdout, "beside the others")
    done = lab("table", "--ledger", "a.db", "--datasets", f"glyphs,{name}", "--format", "markdown", folder=folder)
    line = next((line for line in done.stdout.splitlines() if line.startswith("| if ")), "")
    check(line.count("±") + line.count("0.") >= 2, f"one row for both sets: {done.stdout}")
    done = lab("report", "--ledger", "a.db", "--no-training", "-q", "-o", "page.html", "--data-dir", ".", folder=folder)
    with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
        page = file.read()
    check(done.returncode == 0 and name in page and objective in page, f"report: {done.stderr}")
    check("--dataset-file FILE --classes 5,7,9/3" in page and "--objective-plugin LIBRARY" in page, "with the commands")
    lab("export", "a.csv", "--ledger", "a.db", folder=folder)
    done = lab("import", "a.csv", "--ledger", "c.db", folder=folder)
    lab("export", "c.csv", "--ledger", "c.db", folder=folder)
    with open(os.path.join(folder, "a.csv"), encoding="utf-8") as one, open(os.path.join(folder, "c.csv"), encoding="utf-8") as other:
        check(done.returncode == 0 and one.read() == other.read(), f"import: {done.stderr}")


def check_refused(folder):
    images = numpy.zeros((60, 9, 9, 5), numpy.uint8)
    classes = numpy.arange(60) % 3
    numpy.savez(os.path.join(folder, "five.npz"), X=images, y=classes)
    numpy.savez(os.path.join(folder, "noy.npz"), X=images[..., 0])
    numpy.savez(os.path.join(folder, "short.npz"), X=images[..., 0], y=classes[:50])
    numpy.savez(os.path.join(folder, "one.npz"), X=images[..., 0], y=classes * 0)
    numpy.savez(os.path.join(folder, "many.npz"), X=images[..., 0], y=numpy.arange(60) * 1.5)
    numpy.savez(os.path.join(folder, "fine.npz"), X=images[..., 0] + classes[:, None, None].astype(numpy.uint8), y=classes)
    numpy.savez(os.path.join(folder, "gap.npz"), X=images[..., 0], y=numpy.where(numpy.arange(60) == 7, numpy.nan, classes))
    with open(os.path.join(folder, "gap.csv"), "w", encoding="utf-8") as file:
        file.write("a,label\n1,x\n2,y\n3,\n")
    kind = ["--label-column", "kind"]
    for word, *arguments in (
            ("'label'", "--dataset-file", "parts.csv"),
            ("a, b, color, kind", "--dataset-file", "parts.csv"),
            ("0|1|2", "--dataset-file", "fine.npz", "--classes", "4"),
            ("crack|dent|fine", "--dataset-file", "parts.csv", *kind, "--classes", "fine/scratch"),
            ("fine", "--dataset-file", "parts.csv", *kind, "--classes", "fine/fine"),
            ("--set normals=14 --set hidden=1 --set labeled=1", "--dataset-file", "fine.npz"),
            ("70", "--dataset-file", "parts.csv", *kind, "--set", "normals=71", "--set", "hidden=4"),
            ("5 channels", "--dataset-file", "five.npz", *SIZES),
            ("--labels-array", "--dataset-file", "noy.npz", *SIZES),
            ("50", "--dataset-file", "short.npz", *SIZES),
            ("one.npz", "--dataset-file", "one.npz", *SIZES),
            ("row 2", "--dataset-file", "gap.csv", *SIZES),
            ("row 7", "--dataset-file", "gap.npz", *SIZES),
            ("--contamination", "--dataset-file", "fine.npz", "--plan", "contamination", *SIZES),
            ("gone.npz", "--dataset-file", "gone.npz"),
            ("conv1d", "--dataset-file", "parts.csv", *kind, *SIZES, "--set", "network=conv1d"),
            ("--dataset-file", "--dataset-file", "fine.npz", "--datasets", "toy"),
            ("--classes NORMAL/UNSEEN", "--dataset-file", "fine.npz", "--set", "unseen=1"),
            ("--dataset-file", "--datasets", "toy", "--classes", "1"),
            ("stranger@12345678", "--datasets", "stranger@12345678")):
        refused(word, *arguments, folder=folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        name, objective = check_images(folder)
        check_table(folder)
        check_shown(folder, name, objective)
        check_refused(folder)
    finish()


main()
