"""puad lab run --objective-plugin: a user's objective goes through plan, ledger, table, export and report, by name, version and digest."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish
from lab_runs import lab

SOURCE = os.path.abspath(os.environ.get("SOURCE", "."))
TOY = ["--datasets", "toy", "--methods", "puae", "--seeds", "1", "--epochs", "3", "--threads", "1", "--quiet"]


def compiled(folder, name, text):
    source, library = os.path.join(folder, name + ".c"), os.path.join(folder, name + ".so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(SOURCE, "include"), source, "-o", library], check=True)
    return library


def check_run(folder, library):
    with open(library, "rb") as file:
        name = "doubled-1.0@" + hashlib.md5(file.read()).hexdigest()[:8]
    plan = lab("run", *TOY, "--objective-plugin", "ours.so", "--dry-run", "--ledger", "a.db", folder=folder)
    check(plan.returncode == 0, f"a plan: {plan.stderr}")
    run = lab("run", *TOY, "--objective-plugin", "ours.so", "--ledger", "a.db", folder=folder)
    check(run.returncode == 0, f"a run: {run.stderr}")
    cell = json.loads(run.stdout)
    check(cell["objective"] == name and cell["method"] == "puae" and cell["weight"] == "" and not cell["cached"], f"the cell says so: {cell}")
    own = json.loads(lab("run", *TOY, "--ledger", "a.db", folder=folder).stdout)
    check(own["objective"] == "" and own["auroc"] != cell["auroc"] and own["valid_loss"] != cell["valid_loss"], "it is not the method's own objective")
    again = json.loads(lab("run", *TOY, "--objective-plugin", "./ours.so", "--ledger", "a.db", folder=folder).stdout)
    check(again["cached"] and again["auroc"] == cell["auroc"], "the ledger knows it again")
    return name


def check_shown(folder, name):
    table = lab("table", "--ledger", "a.db", "--format", "csv", folder=folder).stdout
    check(f"objective={name}" in table and len(table.splitlines()) == 3, f"a table has both without the library: {table}")
    done = lab("report", "--ledger", "a.db", "--no-training", "-q", "-o", "page.html", "--data-dir", ".", folder=folder)
    with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
        check(done.returncode == 0 and name in file.read(), f"a report too: {done.stderr}")
    lab("export", "a.csv", "--ledger", "a.db", folder=folder)
    done = lab("import", "a.csv", "--ledger", "b.db", folder=folder)
    check(done.returncode == 0 and name in lab("table", "--ledger", "b.db", folder=folder).stdout, f"and what was exported: {done.stderr}")
    done = lab("run", *TOY, "--set", f"objective={name}", "--ledger", "b.db", "--rerun", folder=folder)
    check(done.returncode == 2 and "'doubled-1.0@" in done.stderr, f"without the library it is not run: {done.stderr}")


def check_refused(folder):
    compiled(folder, "none", "int nothing;\n")
    compiled(folder, "name", '#include <puad/objective.h>\nstatic const puad_objective bad = {.name = "a,b", .options = ""};\n'
                             "const puad_objective *puad_objective_plugin(void) { return &bad; }\n")
    with open(os.path.join(folder, "text.so"), "w", encoding="utf-8") as file:
        file.write("not a library\n")
    for library, word in ("none.so", "puad_objective_plugin()"), ("name.so", "name.so"), ("text.so", "text.so"), ("gone.so", "gone.so"):
        done = lab("run", *TOY, "--objective-plugin", library, "--ledger", "c.db", folder=folder)
        check(done.returncode in (1, 2) and word in done.stderr, f"{library}: {done}")
    done = lab("run", *TOY, "--objective-plugin", "ours.so", "--set", "objective=pu_nn", "--ledger", "c.db", folder=folder)
    check(done.returncode == 2 and "--objective-plugin" in done.stderr, f"two objectives: {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(SOURCE, "examples", "objective_plugin.c"), encoding="utf-8") as file:
            library = compiled(folder, "ours", file.read())
        check_shown(folder, check_run(folder, library))
        check_refused(folder)
    finish()


main()
