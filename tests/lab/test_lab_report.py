"""puad lab report: one page with the tables, differences and figures of a ledger; puad lab figure toy and examples, drawn
without a ledger; puad lab table of one variant."""
import csv
import html
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))


def lab(*arguments, **more):
    return subprocess.run([PUAD, "lab", *arguments], capture_output=True, text=True, timeout=120, **more)


def check_figures(folder):
    toy = os.path.join(folder, "toy.svg")
    done = lab("figure", "toy", "--epochs", "1", "--threads", "1", "-q", "-o", toy)
    check(done.returncode == 0 and done.stderr == "", f"the toy figure: {done.stderr}")
    text = open(toy, encoding="utf-8").read()
    for word in ("pu: ", "dae: ", "abc: ", "pudae: ", "labeled anomaly", "unseen anomaly"):
        check(word in text, f"the toy figure shows {word}")
    other = os.path.join(folder, "other.svg")
    lab("figure", "toy", "--epochs", "1", "--seed-list", "5", "--threads", "1", "-q", "-o", other)
    check(open(other, encoding="utf-8").read() != text, "another seed gives another figure")
    for ending, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        picture = os.path.join(folder, "examples." + ending)
        done = lab("figure", "examples", "--datasets", "glyphs", "--normal-class", "3", "-o", picture)
        check(done.returncode == 0 and open(picture, "rb").read().startswith(begins), f"examples as {ending}: {done.stderr}")
    check("glyphs 3" in open(os.path.join(folder, "examples.svg"), encoding="utf-8").read(), "the title names set and class")
    done = lab("figure", "examples", "--datasets", "toy", "-o", picture)
    check(done.returncode == 2 and "images" in done.stderr, "points are no images")
    done = lab("figure", "examples", "--datasets", "mnist", "--data-dir", folder, "-o", picture)
    check(done.returncode == 1 and "mnist" in done.stderr, "a set that is not there is named")


METHODS = {"if": 0.885, "ae": 0.912, "deepsvdd": 0.937, "deepsad": 0.94, "puae": 0.985, "pusvdd": 0.987}
DISTANCE = ("deepsvdd", "deepsad", "pusvdd")
COLUMNS = ("dataset normal unseen method seed alpha normals hidden epochs pretrain_epochs embedding weight balance auroc "
           "auroc_seen auroc_unseen reduced alpha_u alpha_all best_epoch epochs_run seconds version machine history").split()
HISTORY = '{"epoch":[0,1,2],"train_loss":[3,2,1],"valid_loss":[3,2.5,2],"seconds":[1,1,1]}'


def cell(dataset, normal, method, seed, auroc, alpha=0.1, hidden=250, embedding="bn", reduced=0, unseen=0, epochs=20):
    network, distance, knows = method != "if", method in DISTANCE, method in ("puae", "pusvdd")
    return [dataset, normal, unseen, method, seed, alpha if knows else 0, 4750 - hidden, hidden, epochs if network else 0,
            10 if distance else 0, embedding if distance else "", "prior" if knows else "",
            "separate" if method == "deepsad" else "", auroc, auroc - 0.01, auroc, reduced, hidden / 4750, (hidden + 250) / 5000,
            2 if network else 0, epochs if network else 0, 60, "1.0.0", "avx2, 1 threads", HISTORY if network else ""]


def write_cells(path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for seed in range(2):
            for method, level in METHODS.items():
                for normal in range(1, 10):
                    writer.writerow(cell("mnist", normal, method, seed, level + 0.001 * normal + 0.0001 * seed))
                writer.writerow(cell("octmnist", 3, method, seed, level - 0.2, reduced=1))
                if method in DISTANCE:
                    writer.writerow(cell("mnist", 1, method, seed, level - 0.3, embedding="linear"))
            for method in ("if", "ae", "deepsvdd"):  # another set, at a larger budget, and with other unseen classes
                writer.writerow(cell("fashion_mnist", 1, method, seed, 0.9, epochs=50))
            writer.writerow(cell("mnist", 1, "pusvdd", seed, 0.999, unseen=4))
            for alpha in (0.01, 0.3):
                writer.writerow(cell("mnist", 1, "pusvdd", seed, 0.9, alpha=alpha))
            for hidden in (0, 1000):
                writer.writerow(cell("mnist", 1, "pusvdd", seed, 0.9, alpha=(250 + hidden) / 5000, hidden=hidden))


def words_of(text):
    return html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style)>.*?</\1>", "", text)))


def check_commands(words, book):
    """The commands on a page run all its cells."""
    commands = [line for line in words.splitlines() if line.strip().startswith("puad lab run")]
    check(len(commands) >= 4, "commands are given")
    before = int(re.search(r"all (\d+) experiments", words).group(1))
    covered = set()
    for line in commands:
        listed = lab(*line.split()[2:], "--dry-run", "--ledger", book)
        check(listed.returncode == 0, f"a command of the page runs: {line} {listed.stderr}")
        covered.update(row for row in listed.stdout.splitlines() if row.endswith("(done)"))
    check(len(covered) == before, f"the commands cover {len(covered)} of {before} cells")


def check_own_results(folder):
    """The page of the project's own results."""
    book, page = (os.path.join(folder, name) for name in ("own.db", "own.html"))
    lab("import", os.path.join(os.environ.get("SOURCE", "."), "docs", "results", "ledger.csv"), "--ledger", book)
    lab("report", "--ledger", book, "-o", page, "--no-training", "-q", "--data-dir", folder)
    words = words_of(open(page, encoding="utf-8").read())
    check_commands(words, book)
    whole = open(page, encoding="utf-8").read()
    check(whole.index('<h2 id="s1"') < whole.index("as in the paper") < whole.index('<h2 id="s2"'), "a verdict comes first")
    check(whole.count("<h3>20 epochs after 10") == 0 and "<summary>20 epochs after 10 of pretraining" in whole, "later groups are folded")
    lab("report", "--ledger", book, "--datasets", "svhn", "-o", page, "--no-training", "-q", "--data-dir", folder)
    words = words_of(open(page, encoding="utf-8").read())
    check("puad lab report --ledger own.db --datasets svhn --no-training -o" in words, "a part of the ledger is named in the commands")


def check_report(folder):
    book, cells, page = (os.path.join(folder, name) for name in ("lab.db", "cells.csv", "report.html"))
    write_cells(cells)
    lab("import", cells, "--ledger", book)
    done = lab("report", "--ledger", book, "-o", page, "--no-training", "-q", "--data-dir", folder)
    check(done.returncode == 0 and done.stdout == "", f"a report: {done.stderr}")
    text = open(page, encoding="utf-8").read()
    words = words_of(text)
    check(not re.search(r"(src|href)=\"(?!#)", text) and "@import" not in text and "url(" not in text, "nothing is loaded")
    check("prefers-color-scheme" in text and "data-theme" in text, "light and dark, and a switch")
    for what in ("20 epochs after 10 of pretraining, embedding=bn", "embedding=linear", "AUROC on seen anomalies",
                 "AUROC on unseen anomalies", "18 of", "reduced", "AUROC over alpha", "AUROC over contamination",
                 "Training curves", "avx2, 1 threads", "smaller than the paper's"):
        check(what in words, f"the page has '{what}'")
    section = re.search(r"(?s)<h2[^>]*>Differences from the paper</h2>(.*?)<h2", text)
    apart = words_of(section.group(1))
    listed = re.findall(r"mnist\s+(\w+)\s+(all|seen|unseen)\s+0\.\d+\s+0\.\d+ \S+ 0\.\d+\s+([+-]0\.\d+) \S+ (0\.\d+)", apart)
    check(("pusvdd", "seen") in [row[:2] for row in listed], "what is three deviations off is listed")
    check(all(abs(float(difference)) > 2 * float(error) - 0.002 for _, _, difference, error in listed), "nothing else is")
    compared_here, listed_here = (int(number) for number in re.search(r"Of (\d+) averages.*? (\d+) differ", " ".join(apart.split())).groups())
    check(listed_here == len(listed), "and the differences are counted")
    compared = 3 * len(METHODS)  # each of all, seen and unseen: mnist, not unseen=4, and not the one class of fashion_mnist
    check(compared_here == compared, f"{compared} averages are compared: {apart[:200]}")
    check("octmnist" not in apart, "reduced cells are not compared with the paper")
    check_commands(words, book)

    both = lab("table", "--ledger", book, "--datasets", "mnist", "--where", "embedding=linear", "--format", "csv").stdout
    rows = {row["method"]: row for row in csv.DictReader(both.splitlines())}
    check(set(rows) == set(METHODS), f"a table of one variant has all methods: {sorted(rows)}")
    check(abs(float(rows["deepsvdd"]["mean"]) - (METHODS["deepsvdd"] - 0.3)) < 1e-6, "and the variant's own figures")
    marks = list(csv.DictReader(lab("table", "--ledger", book, "--datasets", "mnist", "--where", "embedding=bn", "--where",
                                    "alpha=0.1", "--where", "hidden=250", "--format", "csv").stdout.splitlines()))
    other = [row for row in marks if "unseen=4" in row["setting"]]
    check(len(other) == 1 and other[0]["best"] == "0" and other[0]["paper_mean"] == "", f"other unseen classes: {other}")
    none = lab("table", "--ledger", book, "--where", "epochs=7")
    check(none.returncode == 2 and "epochs=7" in none.stderr, "a value nobody has is an error")
    check(lab("report", "--ledger", book).returncode == 2, "a report needs a file")


with tempfile.TemporaryDirectory() as work:
    check_figures(work)
    check_report(work)
    check_own_results(work)
finish()
