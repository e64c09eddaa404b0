#!/usr/bin/env python3
"""fit --calibrate, then score's p-values and decisions, and operate: figures against the truth of a generated mixture, and
the errors of a person who has no calibration."""
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
from checks import finish, has, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *map(str, arguments)], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def write(name, normals, anomalies, labeled, seed, novel=0):
    """Six columns; anomalies shifted by 3 in four of them, novel ones by -5 in the other two. Returns the truth."""
    draws = numpy.random.default_rng(seed)
    values = draws.normal(size=(normals + anomalies + novel, 6))
    values[normals:normals + anomalies, :4] += 3
    values[normals + anomalies:, 4:] -= 6
    truth = numpy.r_[numpy.zeros(normals), numpy.ones(anomalies), numpy.full(novel, 2)].astype(int)
    order = draws.permutation(len(truth))
    values, truth = values[order], truth[order]
    label = numpy.zeros(len(truth), int)
    label[numpy.flatnonzero(truth == 1)[:labeled]] = 1
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*"abcdef", "name", "label"])
        for i, row in enumerate(values):
            writer.writerow([*(f"{v:.5f}" for v in row), f"row {i}", label[i]])
    return truth


COMMON = ("--method", "pusvdd", "--label-column", "label", "--id-column", "name", "--epochs", "40", "--quiet")
write("train.csv", 2850, 300, 150, 4)
truth = write("new.csv", 1800, 200, 0, 2, novel=100)
puad("fit", "train.csv", *COMMON, "--calibrate", "-o", "m.safetensors")
puad("fit", "train.csv", *COMMON, "-o", "plain.safetensors")


def score(*arguments, code=0, model="m.safetensors"):
    done = puad("score", model, "new.csv", *arguments, code=code)
    return list(csv.DictReader(io.StringIO(done.stdout))), done.stderr


@test
def a_calibrated_model_gives_p_and_probability():
    rows, said = score("--id-column", "name")
    assert list(rows[0]) == ["row", "score", "name", "p_value", "probability"], list(rows[0])
    assert has(said, "p-value", "600", "30 labeled", "alpha_U"), said
    by_score = sorted(rows, key=lambda row: float(row["score"]))
    p = [float(row["p_value"]) for row in by_score]
    chance = [float(row["probability"]) for row in by_score]
    assert all(a >= b for a, b in zip(p, p[1:])) and all(a <= b for a, b in zip(chance, chance[1:]))
    assert 0 < min(p) and max(p) <= 1 and 0 <= min(chance) and max(chance) <= 1
    normal = numpy.array([float(row["p_value"]) for row in rows])[truth == 0]
    for level in (0.05, 0.1, 0.3):
        assert (normal <= level).mean() < level + 0.04, (level, (normal <= level).mean())


@test
def the_held_out_fraction_is_as_requested():
    found = json.loads(puad("inspect", "m.safetensors", "--json").stdout)
    assert found["calibration"]["unlabeled"] == 600 and found["calibration"]["anomalies"] == 30, found["calibration"]
    assert found["facts"]["rows"] == 3150 - 630 and found["facts"]["anomalies"] == 120
    assert found["calibration"]["alpha_estimated"] and abs(found["calibration"]["alpha"] - 0.05) < 0.02
    puad("fit", "train.csv", *COMMON, "--epochs", "1", "--calibrate=0.4", "-o", "s.safetensors")
    found = json.loads(puad("inspect", "s.safetensors", "--json").stdout)
    assert found["calibration"]["unlabeled"] == 1200 and found["calibration"]["anomalies"] == 60


@test
def fdr_keeps_its_rate_and_finds_much():
    rows, said = score("--fdr", "0.2")
    flagged = numpy.array([int(row["flag"]) for row in rows])
    assert flagged.sum() > 60 and f"{flagged.sum()} of 2100" in said, said
    assert has(said, "0.2", "30 labels"), said
    false, found = (truth[flagged == 1] == 0).mean(), flagged[truth == 1].mean()
    assert false < 0.22 and found > 0.3, (false, found)
    plain, _ = score("--fdr", "0.2", "--p-values", "plain")
    assert sum(int(row["flag"]) for row in plain) < flagged.sum(), "plain p-values are conservative"
    top, _ = score("--fdr", "0.2", "--top", "5")
    assert [row["flag"] for row in top] == ["1"] * 5
    order = [int(row["row"]) for row in rows]
    assert order == list(range(2100)), "rows come back in their order"


def benjamini_hochberg(rows, rate):
    p = numpy.array([float(row["p_value"]) for row in rows])
    normals = min(1, (1 + (p > 0.5).sum()) / (0.5 * len(p)))  # Storey's share of normal rows
    assert 0.7 < normals <= 1, normals
    ordered = numpy.sort(p)
    fits = numpy.flatnonzero(ordered <= rate / normals * numpy.arange(1, len(p) + 1) / len(p) + 1e-9)
    return p <= (ordered[fits[-1]] if len(fits) else -1)


@test
def decisions_equal_benjamini_hochberg_on_the_p_values():
    rows, _ = score("--fdr", "0.2", "--alpha", "0.05")
    decided = numpy.array([row["flag"] == "1" for row in rows])
    assert decided.any() and (benjamini_hochberg(rows, 0.2) == decided).all()


@test
def with_an_estimated_alpha_decisions_are_the_top_of_benjamini_hochberg():
    rows, _ = score("--fdr", "0.2")
    decided = numpy.array([row["flag"] == "1" for row in rows])
    scores = numpy.array([float(row["score"]) for row in rows])
    assert decided.any() and benjamini_hochberg(rows, 0.2)[decided].all()
    assert scores[decided].min() > scores[~decided].max()


@test
def flagging_nothing_is_reported_with_advice():
    rows, said = score("--fdr", "1e-6")
    assert not any(int(row["flag"]) for row in rows)
    assert "--fdr" in said and has(said, "--flag-rate", "alpha") and "1e-06" in said, said


@test
def flag_rate_flags_the_top_of_the_held_out_rows():
    rows, said = score("--flag-rate", "0.1")
    share = numpy.mean([int(row["flag"]) for row in rows])
    flagged = sum(int(row["flag"]) for row in rows)
    assert 0.1 < share < 0.3 and f"{flagged} of {len(rows)}" in said, (share, said)
    _, said = score("--flag-rate", "alpha")
    assert f"top {json.loads(puad('operate', 'm.safetensors', '--json').stdout)['alpha']:.3g} " in said, said


def sorted_by_kind(name, normals, first, second, label):
    """Rows in the order of their kinds: normal, anomalies of two kinds far from each other."""
    draws = numpy.random.default_rng(len(name))
    values = draws.normal(size=(normals + first + second, 4))
    values[normals:normals + first, 0] += 9
    values[normals + first:, 1] -= 9
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*"abcd", "label"])
        for i, row in enumerate(values):
            writer.writerow([*(f"{v:.5f}" for v in row), label if i >= normals else 0])


@test
def kinds_are_known_from_all_of_a_sorted_file():
    """A model keeps a thousand labeled anomalies at most: not the first thousand."""
    sorted_by_kind("sorted.csv", 3000, 1300, 300, 1)
    sorted_by_kind("sorted_new.csv", 500, 40, 40, 0)
    puad("fit", "sorted.csv", "--label-column", "label", "--calibrate", "--quiet", "-o", "sorted.safetensors")
    done = puad("score", "sorted.safetensors", "sorted_new.csv", "--flag-rate", "0.1379", "--kind")
    kinds = [row["kind"] for row in csv.DictReader(io.StringIO(done.stdout))]
    for begin in 500, 540:
        found = [kind for kind in kinds[begin:begin + 40] if kind]
        assert len(found) >= 30 and found.count("known") >= 0.8 * len(found), (begin, found)


@test
def kinds_distinguish_known_from_new_anomalies():
    rows, _ = score("--flag-rate", "0.1", "--kind")
    kinds = [row["kind"] for row in rows]
    flagged = [row["flag"] == "1" for row in rows]
    assert all((kind != "") == flag for kind, flag in zip(kinds, flagged))
    known = [kind for kind, true in zip(kinds, truth) if true == 1 and kind]
    novel = [kind for kind, true in zip(kinds, truth) if true == 2 and kind]
    assert known.count("known") / len(known) > 0.8, known.count("known") / len(known)
    assert len(novel) > 30 and novel.count("new") / len(novel) > 0.8, (len(novel), novel.count("new"))


@test
def the_operating_table_agrees_with_the_truth():
    found = json.loads(puad("operate", "m.safetensors", "--json", "--points", "30", "--plot", "table.svg").stdout)
    assert found["unlabeled"] == 600 and found["anomalies"] == 30 and found["alpha_kind"] == "alpha_U"
    assert "recall" in open(os.path.join(folder.name, "table.svg")).read()
    scores = numpy.array([float(row["score"]) for row in score()[0]])
    pairs = scores[truth == 1][:, None] > scores[truth == 0][None, :]
    assert found["auroc"]["low"] - 0.01 <= pairs.mean() <= found["auroc"]["high"] + 0.01, (found["auroc"], pairs.mean())
    hits = total = 0
    share = 0.05  # of anomalies among rows like the training rows; the new ones have more
    for point in found["points"]:
        recall, false = (scores[truth == 1] >= point["threshold"]).mean(), (scores[truth == 0] >= point["threshold"]).mean()
        flagged = share * recall + (1 - share) * false
        real = {"recall": recall, "fpr": false, "precision": share * recall / flagged if flagged else 1,
                "f1": 2 * share * recall / (flagged + share)}
        for figure, value in real.items():
            hits += point[figure]["low"] - 0.02 <= value <= point[figure]["high"] + 0.02
            total += 1
        for figure in ("recall", "precision", "fpr", "f1"):
            assert point[figure]["low"] <= point[figure]["value"] <= point[figure]["high"], point
            assert "raw" in point[figure]
    assert hits >= 0.9 * total, (hits, total)
    few = json.loads(puad("operate", "m.safetensors", "--json", "--points", "5").stdout)
    best = max(point["f1"]["value"] for point in found["points"])
    assert len(few["points"]) == 5 and few["points"][few["best_f1_index"]]["f1"]["value"] >= best, (few, best)
    text = puad("operate", "m.safetensors").stdout
    assert "best F1" in text and "kinds" in " ".join(text.split()) and text.startswith("AUROC"), text
    certain = json.loads(puad("operate", "m.safetensors", "--json", "--alpha", "0.05").stdout)
    assert certain["alpha"] == certain["alpha_low"] == certain["alpha_high"] == 0.05


@test
def without_calibration_the_message_gives_advice():
    for option in (("--fdr", "0.1"), ("--flag-rate", "0.1"), ("--p-values", "plain"), ("--kind", "--threshold", "1")):
        _, said = score(*option, code=2, model="plain.safetensors")
        assert "fit --calibrate" in said, said
    assert "fit --calibrate" in puad("operate", "plain.safetensors", code=2).stderr
    assert list(score(model="plain.safetensors")[0][0]) == ["row", "score", "name"]
    assert list(score("--threshold", "1", model="plain.safetensors")[0][0]) == ["row", "score", "name", "flag"]


@test
def an_alpha_of_0_alone_flags_nothing():
    assert json.loads(puad("operate", "m.safetensors", "--json", "--alpha", "0").stdout)["alpha"] == 0
    assert "alpha" in score("--alpha", "0", "--flag-rate", "alpha", code=2)[1]


@test
def a_given_alpha_is_assumed_to_be_exact():
    rows, said = score("--alpha", "0.05", "--flag-rate", "alpha")
    assert has(said, "asymptotic", "top 0.05 ") and rows[0]["probability"] != "", said
    rows, said = score("--alpha", "0.05", "--fdr", "0.1")
    assert has(said, "alpha_U", "0.05"), said


@test
def an_unknown_alpha_corrects_nothing():
    write("bare.csv", 800, 40, 0, 3)
    puad("fit", "bare.csv", "--label-column", "label", "--id-column", "name", "--calibrate", "-o", "bare.safetensors")
    rows, said = score("--fdr", "0.1", model="bare.safetensors")
    assert "conformal" in said and "alpha" in said and rows[0]["probability"] == "", said
    assert "unknown" in puad("inspect", "bare.safetensors").stdout
    rows, said = score("--fdr", "0.1", "--alpha", "0.05", model="bare.safetensors")  # which scores anomalies have is still not known
    assert {row["probability"] for row in rows} == {""}, said


@test
def the_number_of_sufficient_labels_is_reported():
    write("five.csv", 2850, 300, 5, 5)
    puad("fit", "five.csv", "--label-column", "label", "--id-column", "name", "--quiet", "--calibrate", "-o", "five.safetensors")
    found = json.loads(puad("inspect", "five.safetensors", "--json").stdout)["calibration"]
    assert found["anomalies"] == 5 and found["folded"] and found["unlabeled"] == round(0.4 * 3145), found
    assert found["alpha_low"] <= 295 / 3145 <= found["alpha_high"], found
    write("like.csv", 1900, 200, 0, 6)
    said = puad("score", "five.safetensors", "like.csv", "--fdr", "0.1").stderr
    assert has(said, "--fdr", "5 labels") and max(int(count) for count in re.findall(r"(\d+) labeled", said)) > 5, said


@test
def thresholds_of_operate_flag_the_same_rows_when_pasted():
    shown = [line.split()[0] for line in puad("operate", "m.safetensors").stdout.splitlines()[4:] if "(" in line]
    exact = json.loads(puad("operate", "m.safetensors", "--json").stdout)["points"]
    assert len(shown) == len(exact) == 16, (shown, exact)
    for text, point in zip(shown, exact):
        pasted, same = (score("--threshold", value, "--quiet")[0] for value in (text, repr(point["threshold"])))
        assert [row["flag"] for row in pasted] == [row["flag"] for row in same], text


@test
def wrong_use_is_refused():
    assert "0.0001" in score("--flag-rate", "0.0001")[1]
    assert has(score("--fdr", "0.1", "--threshold", "1", code=2)[1], "--fdr", "--threshold")
    assert "--kind" in score("--kind", code=2)[1]
    assert "flag-rate" in score("--flag-rate", "2", code=2)[1]
    assert "fdr" in score("--fdr", "2", code=2)[1]


@test
def too_few_rows_to_hold_out_are_an_error():
    write("few.csv", 500, 30, 4, 3)
    said = puad("fit", "few.csv", "--label-column", "label", "--id-column", "name", "--calibrate", "-o", "x", code=2).stderr
    assert "4 labeled" in said and "--calibrate" in said, said
    write("few.csv", 500, 30, 12, 3)
    said = puad("fit", "few.csv", *COMMON, "--calibrate", "-o", "x", code=2).stderr
    assert "12 labeled" in said and "--calibrate" in said, said
    write("small.csv", 100, 30, 25, 4)
    said = puad("fit", "small.csv", *COMMON, "--calibrate", "-o", "x", code=2).stderr
    assert "50" in said, said
    assert not os.path.exists(os.path.join(folder.name, "x"))


@test
def methods_without_labels_calibrate_too():
    puad("fit", "train.csv", *COMMON, "--method", "if", "--calibrate", "-o", "if.safetensors")
    found = json.loads(puad("inspect", "if.safetensors", "--json").stdout)["calibration"]
    assert found["anomalies"] == 150, "a method that cannot use labels holds all of them out"
    rows, _ = score("--flag-rate", "0.2", "--kind", model="if.safetensors")
    assert {row["kind"] for row in rows} == {"", "known", "new"}
    puad("fit", "new.csv", "--label-column", "label", "--id-column", "name", "--quiet", "--method", "if", "--calibrate",
         "-o", "none.safetensors")
    _, said = score("--fdr", "0.5", model="none.safetensors")
    assert "conformal" in said, said
    assert "anomalies" in puad("operate", "none.safetensors", code=2).stderr


@test
def fractions_take_percent_signs_and_optional_values_an_equals_sign():
    for same in (("--fdr", "0.2"), ("--fdr", "20%")), (("--flag-rate", "0.05"), ("--flag-rate", "5%")), (("--alpha", "0.1"), ("--alpha", "10%")):
        first, second = (score(*arguments)[0] for arguments in same)
        assert first == second, same
    models = []
    for calibrate in "--calibrate=0.2", "--calibrate=20%":
        puad("fit", "train.csv", *COMMON, "--method", "if", "--alpha", "5%", calibrate, "--quiet", "-o", "percent.safetensors")
        models.append(json.loads(puad("inspect", "percent.safetensors", "--json").stdout)["calibration"])
    assert models[0] == models[1] and models[0]["unlabeled"] > 0
    for value in "20%", "0.2":
        assert has(puad("fit", "train.csv", *COMMON, "--calibrate", value, "-o", "no.safetensors", code=2).stderr, f"--calibrate={value}")
    assert "'20%%'" in puad("score", "m.safetensors", "new.csv", "--fdr", "20%%", code=2).stderr


finish()
