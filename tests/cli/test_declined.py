#!/usr/bin/env python3
"""Where anomalies overlap with normal rows no rate is promised on the strength of labels: a named warning, plain p-values, no
probabilities, on every output; and where they are apart, all of it is there."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *map(str, arguments)], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def write(name, shift, labeled, seed, rows=3000, anomalies=500):
    """Four columns, in which anomalies are shifted; the first so many of them are labeled."""
    draws = numpy.random.default_rng(seed)
    values, truth = draws.normal(size=(rows, 4)), numpy.arange(rows) < anomalies
    values[truth] += shift
    order = draws.permutation(rows)
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*"abcd", "label"])
        writer.writerows([*(f"{v:.5f}" for v in values[i]), int(i < labeled)] for i in order)


def fit(name, *options):
    model = "-".join([name, *options]) + ".safetensors"
    done = puad("fit", name + ".csv", "--label-column", "label", "--json", "--threads", "1", *options, "-o", model)
    return model, json.loads(done.stdout)


write("overlap.csv", 0.6, 200, 1)
write("apart.csv", 3, 200, 22)
write("new.csv", 0.6, 0, 3)
hard, _ = fit("overlap", "--calibrate")
easy, calibrated = fit("apart", "--calibrate")


def score(model, *options, code=0):
    done = puad("score", model, "new.csv", "--summary", "report.json", *options, code=code)
    with open(os.path.join(folder.name, "report.json")) as file:
        return done.stdout, json.load(file)


def warning_names(report):
    return [warning["name"] for warning in report["warnings"]]


@test
def a_rate_is_declined_where_scores_overlap():
    text, report = score(hard, "--fdr", "0.1")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert "scores_overlap" in warning_names(report) and report["flagged"] == 0, report
    assert all(row["probability"] == "" and row["p_value"] and row["flag"] == "0" for row in rows)
    plain, _ = score(hard, "--fdr", "0.1", "--p-values", "plain")
    assert [row["p_value"] for row in csv.DictReader(io.StringIO(plain))] == [row["p_value"] for row in rows]
    puad("score", hard, "new.csv", "--fdr", "0.1", "--strict", code=3)


@test
def without_a_rate_there_is_no_warning_and_no_probability():
    text, report = score(hard, "--format", "jsonl")
    assert "scores_overlap" not in warning_names(report), report
    rows = [json.loads(line) for line in text.splitlines()]
    assert all(row["probability"] is None and row["p_value"] > 0 for row in rows)


@test
def where_scores_are_apart_nothing_is_declined():
    text, report = score(easy, "--fdr", "0.1")
    assert "scores_overlap" not in warning_names(report), report
    assert all(row["probability"] for row in csv.DictReader(io.StringIO(text)))


@test
def a_given_alpha_is_the_users_assumption():
    text, report = score(hard, "--fdr", "0.1", "--alpha", "0.1")
    assert "scores_overlap" not in warning_names(report), report
    assert all(row["probability"] for row in csv.DictReader(io.StringIO(text)))


@test
def a_method_that_does_not_use_labels_declines_too():
    model, _ = fit("overlap", "--method", "if", "--calibrate")
    _, report = score(model, "--fdr", "0.1")
    assert {"scores_overlap", "alpha_wide"} & {*warning_names(report)} and report["flagged"] == 0, report


@test
def the_page_shows_no_estimate():
    for model, known in ((hard, False), (easy, True)):
        puad("score", model, "new.csv", "--html", "page.html", "--quiet")
        with open(os.path.join(folder.name, "page.html")) as file:
            page = json.loads(re.search(r'id="report">(.*?)</script>', file.read(), re.S)[1])
        assert page["declined"] != known, model
        assert any(point.get("recall") for point in page["operating"]), model
        assert any((point.get("precision") or [None])[0] is not None for point in page["operating"]) == known, model


@test
def the_operating_table_has_no_estimates_that_need_alpha():
    found = json.loads(puad("operate", hard, "--json").stdout)
    assert "scores_overlap" in warning_names(found), found["warnings"]
    assert found["alpha"] is None and found["alpha_low"] < found["alpha_high"] and found["best_f1_index"] is None, found
    gains = [point["recall"]["raw"] - point["flagged"] for point in found["points"]]
    assert gains[found["best_youden_index"]] == max(gains) > 0, found
    for point in found["points"]:
        assert point["recall"]["low"] <= point["recall"]["value"] <= point["recall"]["high"], point
        assert all(point[name]["value"] is None for name in ("precision", "fpr", "f1")), point
    text = puad("operate", hard, "--plot", "table.svg").stdout
    assert "unknown" in text and "nan" not in text, text
    puad("operate", hard, "--strict", code=3)
    found = json.loads(puad("operate", hard, "--alpha", "0.1", "--json").stdout)
    assert found["alpha"] == 0.1 and found["alpha_kind"] == "given" and found["points"][-1]["precision"]["value"] > 0, found
    found = json.loads(puad("operate", easy, "--json").stdout)
    assert found["alpha"] > 0 and found["alpha_kind"] == "alpha_U" and not warning_names(found), found
    assert found["best_f1_index"] is not None and found["best_youden_index"] is None, found


@test
def a_flag_rate_of_alpha_warns_where_alpha_is_not_identifiable():
    assert "scores_overlap" in warning_names(score(hard, "--flag-rate", "alpha")[1])
    assert "scores_overlap" not in warning_names(score(hard, "--flag-rate", "0.1")[1])
    assert "scores_overlap" not in warning_names(score(hard, "--flag-rate", "alpha", "--alpha", "0.1")[1])
    assert "scores_overlap" not in warning_names(score(easy, "--flag-rate", "alpha")[1])


@test
def an_exported_model_has_no_probability():
    for model, known in ((hard, False), (easy, True)):
        puad("export", model, "-o", "m.onnx")
        with open(os.path.join(folder.name, "m.onnx"), "rb") as file:
            assert (b"probability" in file.read()) == known, model


@test
def the_printed_time_includes_the_models_of_the_folds():
    plain = min(fit("apart")[1]["seconds"] for _ in range(3)) # the least disturbed by other programs
    assert calibrated["seconds"] > 2 * plain, (calibrated["seconds"], plain)


@test
def the_operating_table_does_not_deny_labeled_normals():
    assert "no labeled normal" not in puad("operate", easy).stdout


finish()
