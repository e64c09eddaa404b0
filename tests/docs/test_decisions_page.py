#!/usr/bin/env python3
"""README.md, docs/concepts.md and the tutorials: as many rows are flagged as they say. Messages and pages claim no more of the
calibration than it is."""
import csv
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, test

PUAD, SOURCE = os.path.abspath(os.environ["PUAD"]), os.path.abspath(os.environ["SOURCE"])


def page(name):
    return " ".join(open(os.path.join(SOURCE, name)).read().split())


PAGE = page("docs/tutorial/2-score-to-decision.md") + page("README.md")
folder = tempfile.TemporaryDirectory()
around = dict(os.environ, PATH=f"{os.path.dirname(PUAD)}:{os.environ['PATH']}")


def run(command):
    """Standard output and error as a terminal shows them, without the seconds."""
    done = subprocess.run(["bash", "-euc", command], cwd=folder.name, env=around, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return re.sub(r", \d+\.\d s$", "", done.stdout, flags=re.M)


def kinds(name):
    with open(os.path.join(folder.name, name)) as file:
        return [int(row["kind"]) for row in csv.DictReader(file)]


def near(shown, found):
    return abs(shown - found) <= max(2, 0.1 * shown)


@test
def flagged_frauds_are_as_many_as_the_page_says():
    subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "payments.py")], check=True, cwd=folder.name)
    run("puad fit train.csv --label-column status --positive fraud --id-column account --calibrate --quiet -o m.safetensors")
    truth = kinds("truth.csv")
    for option, text in (("--fdr 0.1", r"all (\d+) are frauds"), ("--fdr 0.05", r"`--fdr 0.05` flags (\d+) rows"),
                         ("--fdr 0.2", r"`--fdr 0.2` (\d+), (\d+) of them frauds"), ("--threshold 0.94811058", r"flags (\d+) rows, (\d+) of them frauds"),
                         ("--threshold 0.94811058", r"Of the (\d+) flagged payments, (\d+) are fraud")):
        run(f"puad score m.safetensors new.csv {option} --quiet -o flagged.csv")
        with open(os.path.join(folder.name, "flagged.csv"), newline="") as file:
            flagged = [int(row["row"]) for row in csv.DictReader(file) if row["flag"] == "1"]
        shown = [int(number) for number in re.search(text, PAGE).groups()]
        check(near(shown[0], len(flagged)) and near(shown[-1], sum(truth[row] > 0 for row in flagged)),
              f"{option}: {shown} on the page, {len(flagged)} flagged, {sum(truth[row] > 0 for row in flagged)} frauds")


@test
def suggested_rows_hold_as_many_frauds_as_the_tutorial_says():
    truth = kinds("truth_train.csv")
    for goal, text in ("find", r"(\d+) of 20 are frauds here"), ("learn", r"(\d+) of these 20 rows are frauds"):
        run(f"puad query m.safetensors train.csv -n 20 --goal {goal} --quiet > ask.csv")
        with open(os.path.join(folder.name, "ask.csv"), newline="") as file:
            found = sum(truth[int(row["row"])] > 0 for row in csv.DictReader(file))
        shown = int(re.search(text, PAGE)[1])
        check(abs(shown - found) <= 2, f"--goal {goal}: {shown} on the page, {found} of 20")


@test
def alpha_of_the_payments_is_the_same_on_all_pages():
    tutorial, table = page("docs/tutorial/2-score-to-decision.md"), page("docs/explanation/alpha.md")
    found = re.findall(r"(?:decisions:? |alpha_U is |\balpha )(0\.\d+) \(", tutorial)
    found += re.search(r"\| (0\.\d+) \| `fit --calibrate`", table).groups()
    check(len(found) > 4 and len(set(found)) == 1, f"alpha_U of the calibrated model: {found}")
    found = re.search(r"alpha_U (0\.\d+) 95% interval", table).groups() + re.search(r"\| (0\.\d+) \| `puad prior`", table).groups()
    check(len(set(found)) == 1, f"alpha_U of puad prior: {found}")


@test
def the_report_says_what_the_first_tutorial_says():
    run("puad report train.csv new.csv --label-column status --positive fraud --id-column account --quiet -o report.html")
    report = json.loads(re.search(r'id="report">(.*?)</script>', open(os.path.join(folder.name, "report.html")).read(), re.S)[1])
    threshold = report["thresholds"][report["suggested"]]
    shown = re.search(r"check (\d+) rows; about (\d+) of them are expected to be anomalies, at least (\d+)", page("docs/tutorial/1-first-report.md"))
    expected = [threshold["flagged"], *(threshold["flagged"] * precision for precision in threshold["precision"][:2])]
    check(all(near(int(one), other) for one, other in zip(shown.groups(), expected)), f"{shown.groups()} on the page, {expected} in the report")


@test
def the_picture_of_pu_learning_shows_what_the_pages_say():
    loader = importlib.machinery.SourceFileLoader("docs_pictures", os.path.join(SOURCE, "tools", "docs_pictures"))
    pictures = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs_pictures", loader))
    loader.exec_module(pictures)
    pictures.PUAD = PUAD
    train, model = (os.path.join(folder.name, name) for name in ("points.csv", "points.safetensors"))
    pictures.write_points(pictures.points(), train)
    shown = re.search(r"finds (\d+)% of the hidden anomalies, puad (\d+)%", page("README.md")).groups()
    concepts = re.findall(r"(\d+)% of the hidden anomalies", page("docs/concepts.md"))
    check(concepts == list(shown), f"README.md {shown}, docs/concepts.md {concepts}")
    for percent, alpha in zip(shown, (0, pictures.HIDDEN / (pictures.HIDDEN + pictures.NORMAL))):
        hidden, normal = pictures.flagged_points(train, alpha, model)
        check(abs(int(percent) - 100 * hidden) <= 3 and normal <= 5, f"alpha {alpha:.3f}: {percent}% on the page, {hidden:.0%} and {normal} normal rows")


@test
def labeled_anomalies_that_trained_are_not_called_held_out():
    told = run("puad operate m.safetensors") + run("puad operate --help") + run("puad inspect m.safetensors")
    run("puad report train.csv new.csv --label-column status --positive fraud --id-column account -o report.html")
    told += open(os.path.join(folder.name, "report.html")).read()
    words = " ".join(told.split())
    for claim in (r"labeled anomalies that the model was not", r"labeled anomalies held out", r"labeled ones held out", r"seed of the bootstrap",
                  r"curve is lowest"):
        check(not re.search(claim, words), f"'{claim}' is printed")


@test
def no_page_mentions_unreleased_versions():
    texts = {path: open(path).read() for pattern in ("README.md", "SECURITY.md", "docs/**/*.md", "include/puad/*.h", "tools/puad.pc.in")
             for path in glob.glob(os.path.join(SOURCE, pattern), recursive=True)}
    texts |= {f"puad {name} --help": run(f"puad {name} --help") for name in ("", "fit", "score", "report", "operate", "query", "prior")}
    for name, text in texts.items():
        for words in (r"earlier (version|program)s?\b", r"before 0\.1\b", r"\bolder files\b", r"remains? to be\b", r"deep anomaly detection"):
            found = re.search(words, " ".join(text.split()))
            check(not found, f"{os.path.relpath(name, SOURCE) if os.path.isabs(name) else name}: '{found and found[0]}'")


finish()
