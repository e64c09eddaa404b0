"""puad lab run --curve: the AUROC after each epoch is in the ledger, the training is the same with it, and figure epochs draws it."""
import csv
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish
from lab_runs import cells, lab

csv.field_size_limit(1 << 24)
EPOCHS = 12
CELLS = ["--datasets", "toy", "--methods", "if,puae,pusvdd", "--epochs", str(EPOCHS), "--threads", "1", "--quiet"]
LISTS = [name + kind for name in ("auroc", "averaged") for kind in ("", "_seen", "_unseen")]


def run(*arguments, folder):
    return cells(*CELLS, *arguments, folder=folder)


def rows(folder, book):
    lab("export", "out.csv", "--ledger", book, folder=folder)
    with open(os.path.join(folder, "out.csv"), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_same_training(folder):
    before = run("--seeds", "1", "--ledger", "a.db", folder=folder)
    after = run("--seeds", "2", "--ledger", "a.db", "--curve", folder=folder)
    for old in before:
        new = next(cell for cell in after if (cell["method"], cell["seed"]) == (old["method"], 0))
        check(new["cached"] == (old["method"] == "if"), f"what has no curve is run again, a forest is not: {new}")
        same = ("auroc", "auroc_seen", "auroc_unseen", "auprc", "valid_loss", "best_epoch")
        check(all(old[name] == new[name] for name in same), f"the same training: {old} {new}")
    check(all(cell["cached"] for cell in run("--seeds", "2", "--ledger", "a.db", "--curve", folder=folder)), "then they are there")
    check(all(cell["cached"] for cell in run("--seeds", "2", "--ledger", "a.db", folder=folder)), "and for runs without curve too")


def check_curves(folder):
    for row in rows(folder, "a.db"):
        history = json.loads(row["history"])
        if row["method"] == "if":
            check("auroc" not in history, "a forest has no epochs")
            continue
        check(all(len(history[name]) == EPOCHS for name in LISTS), f"lists of {EPOCHS} epochs")
        best = int(row["best_epoch"])
        for name in LISTS[:3]:
            check(history[name][best] == float(row[name]), f"{name} after the epoch that is kept is the result: {row['method']}")
        check(history["averaged"][0] == history["auroc"][0], "the average of one epoch is that epoch")
        check(history["averaged"][1:] != history["auroc"][1:], "of several it is not")


def check_figure(folder):
    done = lab("figure", "epochs", "--ledger", "a.db", "-o", "epochs.svg", folder=folder)
    with open(os.path.join(folder, "epochs.svg"), encoding="utf-8") as file:
        text = file.read()
    check(done.returncode == 0 and "puae" in text and "pusvdd" in text and "epochs of training" in text and "2 seeds" in text, f"figure: {done.stderr}")
    run("--seeds", "1", "--ledger", "none.db", folder=folder)
    done = lab("figure", "epochs", "--ledger", "none.db", "-o", "none.svg", folder=folder)
    check(done.returncode == 2 and "--curve" in done.stderr, f"without curves: {done.stderr}")


def check_exchange(folder):
    lab("export", "a.csv", "--ledger", "a.db", folder=folder)
    done = lab("import", "a.csv", "--ledger", "none.db", folder=folder)
    check(done.returncode == 0 and " 3 " in done.stderr + done.stdout, f"import: {done}")
    lab("export", "b.csv", "--ledger", "none.db", folder=folder)
    with open(os.path.join(folder, "a.csv"), encoding="utf-8") as one, open(os.path.join(folder, "b.csv"), encoding="utf-8") as other:
        text = one.read()
        curves = other.read().count('""averaged_unseen""')
    check(curves == text.count('""averaged_unseen""') == 4, "curves come with an import, also to cells that are there")
    for wrong, word in (('""averaged"":[', '""averaged"":[7,'), "averaged"), (('""auroc"":[0.', '""auroc"":[9.'), "auroc"):
        with open(os.path.join(folder, "wrong.csv"), "w", encoding="utf-8") as file:
            file.write(text.replace(*wrong))
        done = lab("import", "wrong.csv", "--ledger", "c.db", folder=folder)
        check(done.returncode == 1 and word in done.stderr, f"a curve that cannot be: {done}")
        check(not os.path.exists(os.path.join(folder, "c.db")), "a refused import leaves no ledger")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_same_training(folder)
        check_curves(folder)
        check_figure(folder)
        check_exchange(folder)
    finish()


main()
