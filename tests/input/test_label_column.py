#!/usr/bin/env python3
"""A fit or a report without labels is refused where a feature is the forgotten label column by its name and values, and warns where
only the values look like it; ordinary features pass."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
ROWS = 300
draws = numpy.random.default_rng(1)
VALUES = draws.normal(size=(ROWS, 2))


def at(name):
    return os.path.join(folder.name, name)


def marked(share, yes="1", no="0"):
    """A column of which a share has `yes`."""
    chosen = set(draws.permutation(ROWS)[: round(share * ROWS)].tolist())
    return [yes if i in chosen else no for i in range(ROWS)]


def write(name, column, cells, last=False, path="t.csv"):
    columns = {"a": [f"{v:.3f}" for v in VALUES[:, 0]], name: cells, "b": [f"{v:.3f}" for v in VALUES[:, 1]]}
    if last:
        columns[name] = columns.pop(name)
    with open(at(path), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column if key == name else key for key in columns])
        writer.writerows(zip(*columns.values()))


def run(command, *options, path="t.csv"):
    out = ["-o", at("page.html")] if command == "report" else ["-o", at("m.safetensors"), "--json"]
    for name in ("page.html", "m.safetensors"):
        if os.path.exists(at(name)):
            os.remove(at(name))
    return subprocess.run([PUAD, command, at(path), "-q", "--method", "if", *out, *options], capture_output=True, text=True)


def verdict(name, cells, *options, last=False):
    """'refused', 'warned' or 'passed'."""
    write("x", name, cells, last)
    done = run("fit", *options)
    if done.returncode == 2 and "--label-column" in done.stderr and name in done.stderr and not os.path.exists(at("m.safetensors")):
        return "refused"
    assert done.returncode == 0, f"{name}: {done.returncode} {done.stderr}"
    found = [(w["name"], w.get("column")) for w in json.loads(done.stdout)["warnings"]]
    assert found in ([], [("likely_label", name)]), f"{name}: {found}"
    return "warned" if found else "passed"


def expect(expected, name, cells, *options, last=False):
    found = verdict(name, cells, *options, last=last)
    check(found == expected, f"{name}, {cells[:3]}...: expected {expected}, found {found}")


@test
def label_columns_are_refused():
    for name in ("label", "Label", "target", "class", "y", "is_fraud", "isFraud", "ISFRAUD", "fraud_flag", "Machine failure", "outlier",
                 "anomaly", "attack", "class_label", "y_true", "ground truth", "Fault.Flag"):
        expect("refused", name, marked(0.3))
    expect("refused", "status", marked(0.02, "fraud", ""))
    expect("refused", "status", marked(0.02, "fraud", "ok"))
    expect("refused", "label", marked(0.02, "1", ""))
    expect("refused", "label", marked(0.02, "TRUE", "FALSE"))
    expect("refused", "Revenue", marked(0.15, "TRUE", "FALSE"), last=True)
    expect("refused", "attack_cat", [str(v) for v in draws.choice(["Normal", "DoS", "Worms", "Probe", "Fuzzers"], ROWS)])


@test
def values_alone_only_warn():
    expect("warned", "quality", marked(0.05, "defective", "fine"))
    expect("warned", "z", marked(0.05), last=True)
    expect("warned", "class", [str(v) for v in draws.choice(["first", "second", "third"], ROWS)])


@test
def features_pass():
    for name, cells in (("sex", marked(0.4, "F", "M")), ("smoker", marked(0.2, "yes", "no")), ("is_weekend", marked(0.28)),
                        ("VIP", marked(0.02)), ("vehicle_class", marked(0.5, "truck", "car")), ("priority", marked(0.3, "high", "normal")),
                        ("target_temperature", [f"{v:.2f}" for v in draws.normal(size=ROWS)]), ("y", [f"{v:.2f}" for v in draws.normal(size=ROWS)]),
                        ("default_language", [str(v) for v in draws.choice(["de", "en", "fr", "it"], ROWS)])):
        expect("passed", name, cells)
    expect("passed", "sex", marked(0.4, "F", "M"), last=True)


@test
def y_next_to_x_is_a_coordinate():
    write("a", "x", [f"{v:.0f}" for v in VALUES[:, 0]])
    text = open(at("t.csv")).read().replace("x,a,b", "x,y,b", 1).replace("a,x,b", "y,x,b", 1)
    open(at("t.csv"), "w").write(text)
    assert run("fit").returncode == 0, run("fit").stderr


@test
def the_options_named_in_the_message_work():
    write("x", "status", marked(0.1, "fraud", ""))
    for command in ("fit", "report"):
        refused = run(command)
        assert refused.returncode == 2 and "--label-column status --positive fraud" in refused.stderr, refused.stderr
        assert "--no-labels" in refused.stderr and not os.path.exists(at("page.html")), refused.stderr
        for options in (["--label-column", "status", "--positive", "fraud", "--method", "puforest"], ["--ignore", "status"],
                        ["--id-column", "status"], ["--no-labels"]):
            done = run(command, *options)
            assert done.returncode == 0 and "likely_label" not in done.stdout, f"{command} {options}: {done.stderr}"
    expect("passed", "z", marked(0.05), "--no-labels", last=True)


@test
def a_name_with_blanks_is_quoted_for_the_shell():
    write("x", "Machine failure", marked(0.03))
    assert "--label-column 'Machine failure'" in run("fit").stderr


@test
def labels_and_no_labels_contradict_each_other():
    write("x", "label", marked(0.1))
    done = run("fit", "--label-column", "label", "--no-labels")
    assert done.returncode == 2 and "--no-labels" in done.stderr, done.stderr


@test
def other_labels_and_series_are_left_alone():
    write("x", "label", marked(0.1))
    write("x", "label", marked(0.5), path="more.csv")
    done = run("fit", "--anomalies", at("more.csv"), "--method", "puforest")
    assert done.returncode == 0, done.stderr
    done = run("fit", "--window", "8")
    assert done.returncode == 0, done.stderr


@test
def scoring_is_left_alone():
    write("x", "label", marked(0.1))
    assert run("fit", "--no-labels").returncode == 0
    again = subprocess.run([PUAD, "fit", at("t.csv"), "-q", "--update", at("m.safetensors"), "-o", at("m2.safetensors")], capture_output=True, text=True)
    assert again.returncode == 0, again.stderr  # the earlier model has settled that it is a feature
    done = subprocess.run([PUAD, "score", at("m.safetensors"), at("t.csv"), "--top", "1"], capture_output=True, text=True)
    assert done.returncode == 0 and "label" not in done.stderr, done.stderr


finish()
