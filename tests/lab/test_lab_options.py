"""puad lab: what does not belong to an action is refused with what to say instead, names must be known, numbers whole, and data
sets that are not there are told of before anything runs."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, has

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))


def lab(*arguments, **more):
    environment = dict(os.environ, PUAD_DATA="/nonexistent", **more)
    return subprocess.run([PUAD, "lab", *arguments], capture_output=True, text=True, timeout=120, env=environment)


def check_refused(arguments, *words):
    done = lab(*arguments)
    check(done.returncode == 2 and all(word in done.stderr for word in words), f"{' '.join(arguments)}: {done}")


def check_belonging(folder, book):
    here = ("--ledger", book)
    check_refused(("run", "mnist", "--dry-run", *here), "--datasets mnist")
    check_refused(("run", "pusvdd", "--dry-run", *here), "--methods pusvdd")
    check_refused(("run", "dance", "--dry-run", *here), "'dance'", "puad lab run")
    check_refused(("table", "mnist", *here), "--datasets mnist")
    check_refused(("export", f"{folder}/a.csv", "b.csv", *here), "'b.csv'")
    check_refused(("table", "--epochs", "20", *here), "--epochs", "--where epochs=20")
    check_refused(("table", "--normal-class", "3", *here), "--where normal=3")
    check_refused(("table", "--seed-list", "1,2", *here), "--where seed=VALUE")
    check_refused(("table", "--set", "embedding=bn", *here), "--where embedding=bn")
    check_refused(("run", "--where", "embedding=bn", "--dry-run", *here), "--set embedding=bn")
    check_refused(("run", "--format", "csv", "--dry-run", *here), "--format", "--datasets")
    check_refused(("import", f"{folder}/in.csv", "--datasets", "mnist", *here), "--datasets", "--replace")
    check_refused(("figure", "toy", "--epochs", "1", "--datasets", "mnist", "-o", f"{folder}/a.svg"), "figure toy", "--datasets")
    check_refused(("figure", "examples", "--epochs", "3", "-o", f"{folder}/a.svg"), "--epochs")
    check_refused(("figure", "bars", "--epochs", "3", "-o", f"{folder}/a.svg", *here), "--where epochs=3")
    for name, instead in (("method=ae", "--methods"), ("dataset=mnist", "--datasets"), ("seed=1", "--seed-list"),
                          ("normal=3", "--normal-class")):
        check_refused(("run", "--set", name, "--dry-run", *here), instead)


def check_names(folder, book):
    here = ("--ledger", book)
    check_refused(("table", "--datasets", "mnist,nosuch", *here), "'nosuch'", "fashion_mnist", "glyphs")
    check_refused(("table", "--methods", "if,pussvdd", *here), "'pussvdd'", "pusvdd, ")
    check_refused(("figure", "bars", "--methods", "pussvdd", "-o", f"{folder}/a.svg", *here), "'pussvdd'")
    check_refused(("report", "--datasets", "nosuch", "-o", f"{folder}/a.html", *here), "'nosuch'")
    check_refused(("table", "--datasets", ",", *here), "--datasets")
    done = lab("table", "--datasets", "mnist,svhn", "--methods", "ae,if", *here)
    check(done.returncode == 0 and "svhn" in done.stdout, f"a known set without cells is no error: {done}")
    check_refused(("run", "--datasets", ",", "--dry-run", *here), "','")
    check_refused(("run", "--plan", "ablation", "--methods", "if", "--dry-run", *here), "methods")
    for empty in ("--datasets", "--methods", "--normal-class", "--alphas", "--contamination", "--seed-list"):
        check_refused(("run", empty, "", "--dry-run", *here), empty, "''")


def check_twice(folder, book):
    here = ("--datasets", "glyphs", "--normal-class", "1", "--dry-run", "--ledger", f"{folder}/none.db")
    check_refused(("run", "--set", "weight=prior", "--set", "weight=equal", *here), "'weight'")
    check_refused(("run", "--set", "epochs=5", "--epochs", "3", *here), "epochs=5", "--epochs")
    check_refused(("run", "--set", "patience=5", "--patience", "3", *here), "--patience")
    check_refused(("run", "--set", "pretrain_epochs=5", "--pretrain-epochs", "3", *here), "--pretrain-epochs")
    check_refused(("run", "--set", "hidden=5", "--contamination", "0,100", *here), "--contamination")
    check_refused(("table", "--where", "epochs=10", "--where", "epochs=20", "--ledger", book), "epochs")
    done = lab("report", "--ledger", book, "-o", f"{folder}/nowhere/a.html", "--no-training")
    check(done.returncode == 1 and "nowhere" in done.stderr, f"a report into a folder that is not there: {done}")


def check_forests(folder):
    book = f"{folder}/forest.db"
    with open(f"{folder}/forest.csv", "w") as file:
        file.write("dataset,normal,method,seed,network,epochs,auroc\nmnist,1,if,0,mlp,10,0.9\nmnist,1,pusvdd,0,mlp,10,0.8\n")
    lab("import", f"{folder}/forest.csv", "--ledger", book)
    done = lab("table", "--ledger", book, "--where", "network=mlp", "--format", "csv")
    check("if," in done.stdout and "network=conv32" not in done.stdout, f"a forest has no network: {done}")


def check_lost_output(folder):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PUAD, "lab", "run", "--datasets", "toy", "--methods", "if", "--seeds", "1", "--ledger",
                               f"{folder}/full.db", "-q"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    check(done.returncode == 1 and "standard output" in done.stderr, f"lost output is told: {done}")


def check_numbers(folder, book):
    glyphs = ("--datasets", "glyphs", "--normal-class", "1", "--methods", "if", "--dry-run", "--ledger", book)
    check_refused(("run", "--seed-list", "1.7", *glyphs), "1.7")
    check_refused(("run", "--contamination", "12.9", *glyphs), "12.9")
    check_refused(("run", "--seeds", "0", *glyphs), "--seeds", "1")
    check_refused(("run", "--set", "normals=9223372036854775807", *glyphs), "9223372036854775807")
    check_refused(("figure", "toy", "--epochs", "1", "--seed-list", "1.7", "-o", f"{folder}/a.svg"), "1.7")
    check_refused(("figure", "examples", "--normal-class", "1,2", "-o", f"{folder}/a.svg"), "1,2")


def check_missing_sets(folder, book):
    svhn = ("run", "--datasets", "svhn", "--methods", "if", "--ledger", book)
    done = lab(*svhn, "--normal-class", "1,2", "--seeds", "1", "--dry-run")
    check(done.returncode == 0 and done.stdout.count("svhn normal") == 2, f"cells are listed all the same: {done}")
    check(has(done.stderr, "/nonexistent", "puad fetch svhn"), f"and it is told: {done}")
    done = lab(*svhn[:2], "glyphs,mnist,svhn", *svhn[3:], "--seeds", "1")
    check(done.returncode == 1 and "mnist, svhn" in done.stderr and "puad fetch mnist svhn'" in done.stderr, f"a run stops: {done}")
    check(done.stdout == "", "before its first cell")
    done = lab(*svhn, "--normal-class", "1", "--seeds", "1", "--data-dir", folder, "--dry-run", "--rerun")
    check(f"puad fetch svhn --data-dir {folder}'" in done.stderr, f"the folder is in the advice: {done}")
    done = lab(*svhn, "--normal-class", "1", "--seeds", "1")
    check(done.returncode == 0 and '"cached":true' in done.stdout, f"what is in the ledger needs no files: {done}")
    done = lab(*svhn, "--normal-class", "1", "--seeds", "1", "--dry-run")
    check("puad fetch" not in done.stderr, f"nor are they missed: {done}")


def check_dry_run(folder):
    one = ("run", "--datasets", "glyphs", "--normal-class", "1", "--methods", "if", "--seeds", "1", "--dry-run", "--ledger",
           f"{folder}/none.db")
    done = lab(*one, "--set", "normals=80")
    check("normals=80" in done.stdout, f"sizes are shown: {done}")
    check("ledger" not in done.stderr and "1 left" in done.stderr, f"no ledger is no source: {done}")
    check("normals=" not in lab(*one).stdout, "standard sizes are not")


def check_help():
    texts = {action: lab(action, "--help").stdout for action in ("run", "table", "figure", "report", "export", "import")}
    check(len(set(texts.values())) == 6, "every action has help of its own")
    check("--alphas LIST" in texts["run"] and "--alphas" not in texts["table"] and "--format" not in texts["run"], "only its options")
    check("random" not in texts["import"] and "seeds 0 to N-1, default 5 --plan" in " ".join(texts["run"].split()), "only what they mean to it")
    check("toy: four methods" in texts["figure"] and "puad lab figure alpha" in texts["figure"] and "lab run" not in texts["figure"], "only its examples")
    text = lab("--help").stdout
    check(re.search(r"^run: ", text, re.M) and "run :" not in text, "help of an action without arguments")
    check("figure NAME -o FILE: draw one of the figures below" in text and "figure toy: " in text, "help names the figures")


with tempfile.TemporaryDirectory() as work:
    ledger, cells = os.path.join(work, "lab.db"), os.path.join(work, "in.csv")
    with open(cells, "w", encoding="utf-8") as file:
        file.write("dataset,normal,method,seed,epochs,auroc\nmnist,1,ae,0,5,0.9\nmnist,1,if,0,0,0.8\nsvhn,1,if,0,0,0.6\n")
    check("3 " in lab("import", cells, "--ledger", ledger).stderr, "cells to look at")
    check_belonging(work, ledger)
    check_names(work, ledger)
    check_numbers(work, ledger)
    check_missing_sets(work, ledger)
    check_dry_run(work)
    check_twice(work, ledger)
    check_forests(work)
    check_lost_output(work)
    check_help()
finish()
