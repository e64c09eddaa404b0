#!/usr/bin/env python3
"""The audit as a person runs it: query --audit, fill in, score --answers and operate --answers; and ways to get it wrong."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
OWN = ["row", "id", "score", "label", "audit", "stratum", "probability"]


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *map(str, arguments)], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def put(name, text):
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        file.write(text)


def table(name, seed, rows, labels):
    draws = numpy.random.default_rng(seed)
    truth = numpy.arange(rows) % 10 == 0
    values = draws.normal(size=(rows, 3)) + numpy.where(truth, 4, 0)[:, None]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "a", "b", "stratum", *(["fraud"] if labels else [])])
    for i, row in enumerate(values):
        writer.writerow([f"=r{i}", *(f"{v:.4f}" for v in row), *([int(truth[i] and i % 20 == 0)] if labels else [])])
    put(name, out.getvalue())
    return truth


table("train.csv", 1, 1500, True)
truth = table("new.csv", 2, 2000, False)
truth_of_train = numpy.arange(1500) % 10 == 0
with open(os.path.join(folder.name, "train.csv"), newline="") as train_file:
    train_text = train_file.read()
puad("fit", "train.csv", "--label-column", "fraud", "--id-column", "id", "-o", "m.safetensors", "--quiet")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def filled(text, answers=lambda row: 1 if truth[row] else -1):
    rows = list(csv.reader(io.StringIO(text)))
    for row in rows[1:]:
        row[rows[0].index("label")] = answers(int(row[0]))
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def audit(*arguments):
    return puad("query", "m.safetensors", "new.csv", *arguments).stdout


def score(*arguments, code=0, data="new.csv"):
    return puad("score", "m.safetensors", data, *arguments, code=code)


@test
def a_calibrated_model_places_few_checks_where_the_anomalies_are():
    for alpha in (0.1, 0.02):  # the fraction of anomalies in both files
        rows = [row for row in range(1500) if not truth_of_train[row] or row % int(10 / (10 * alpha)) == 0]
        lines = train_text.splitlines()
        put("thin.csv", "\n".join([lines[0], *(lines[1 + row] for row in rows)]) + "\n")
        puad("fit", "thin.csv", "--label-column", "fraud", "--id-column", "id", "--calibrate", "-o", "thin.safetensors", "--quiet")
        drawn = rows_of(puad("query", "thin.safetensors", "new.csv", "--audit", 10, "--quiet").stdout)
        region = int(drawn[0]["audit"].split("region=")[1].split()[0])
        assert alpha / 2 <= region / 2000 <= 1.5 * alpha, f"{alpha}: {region}"


@test
def the_file_to_fill_in_has_the_design_and_the_cells():
    rows = rows_of(audit("--audit", 30, "--fdr", 0.1))
    assert len(rows) == 30 and list(rows[0])[:7] == OWN
    assert list(rows[0])[7:] == ["a", "b", "input.stratum"]  # a name of ours
    assert all(row["label"] == "" and row["audit"] == rows[0]["audit"] for row in rows)
    numbers = [int(row["row"]) for row in rows]
    assert numbers == sorted(set(numbers))
    assert all(0 < float(row["probability"]) <= 1 for row in rows)
    top = [float(row["probability"]) for row in rows if row["stratum"] == "1"]
    assert max(float(row["probability"]) for row in rows) == max(top)


@test
def the_same_seed_draws_the_same_rows_and_another_seed_others():
    assert audit("--audit", 30) == audit("--audit", 30, "--threads", 1)
    assert audit("--audit", 30) != audit("--audit", 30, "--seed", 1)


@test
def answers_decide_without_a_calibration():
    put("answers.csv", filled(audit("--audit", 30)))
    done = score("--answers", "answers.csv", "--fdr", 0.1, "--summary", "s.json")
    flagged = [int(row["row"]) for row in rows_of(done.stdout) if row["flag"] == "1"]
    assert len(flagged) > 100 and numpy.mean([not truth[row] for row in flagged]) < 0.2
    checked = {int(row["row"]) for row in rows_of(audit("--audit", 30))}
    assert all((row in set(flagged)) == bool(truth[row]) for row in checked if truth[row])
    assert not any(row in checked and not truth[row] for row in flagged)
    with open(os.path.join(folder.name, "s.json")) as file:
        found = json.load(file)
    assert found["flagged"] == len(flagged) == found["audit"]["flagged"]
    assert found["audit"]["checked"] == 30 and found["audit"]["rate"] == 0.1 and found["audit"]["confidence"] == 0.9
    assert found["audit"]["alpha"]["low"] <= 0.1 <= found["audit"]["alpha"]["high"]
    top = rows_of(score("--answers", "answers.csv", "--top", 20).stdout)
    assert all((row["flag"] == "1") == (int(row["row"]) in set(flagged)) for row in top)


@test
def operate_prints_what_the_answers_support():
    put("answers.csv", filled(audit("--audit", 30)))
    found = json.loads(puad("operate", "m.safetensors", "new.csv", "--answers", "answers.csv", "--json").stdout)
    points = found["points"]
    assert len(points) > 3 and [point["flagged"] for point in points] == sorted(point["flagged"] for point in points)
    assert any(point["rate"] <= 0.1 for point in points) and found["audit"]["flagged"] > 100
    assert puad("operate", "m.safetensors", "new.csv", "--answers", "answers.csv").stdout.count("\n") > len(points)
    puad("operate", "m.safetensors", "new.csv", code=2)
    puad("operate", "m.safetensors", "--answers", "answers.csv", code=2)


@test
def rounds_are_answered_together():
    put("one.csv", filled(audit("--audit", 15, "--rounds", 2)))
    put("two.csv", filled(audit("--audit", 15, "--answers", "one.csv")))
    one, two = ({int(row["row"]) for row in rows_of(open(os.path.join(folder.name, name)).read())} for name in ("one.csv", "two.csv"))
    assert len(one) == len(two) == 15 and not one & two
    score("--answers", "one.csv", "--answers", "two.csv", "--summary", "s.json")
    with open(os.path.join(folder.name, "s.json")) as file:
        found = json.load(file)["audit"]
    assert found["checked"] == 30 and found["rate"] == 0.1 and found["round_rate"] == 0.05
    assert "round 1 is missing" in score("--answers", "two.csv", code=2).stderr
    put("three.csv", filled(audit("--audit", 15, "--answers", "one.csv")))
    puad("query", "m.safetensors", "new.csv", "--audit", 15, "--answers", "one.csv", "--answers", "two.csv", code=2)


@test
def empty_answers_count_as_normal():
    put("answers.csv", filled(audit("--audit", 30), lambda row: "1" if truth[row] else ""))
    score("--answers", "answers.csv", "--summary", "s.json")
    with open(os.path.join(folder.name, "s.json")) as file:
        found = json.load(file)["audit"]
    assert found["unanswered"] > 0 and found["anomalies"] + found["unanswered"] == 30
    put("answers.csv", audit("--audit", 30))
    score("--answers", "answers.csv", code=2)


@test
def answers_about_other_rows_are_rejected():
    text = filled(audit("--audit", 30))
    put("answers.csv", text)
    table("other.csv", 3, 2000, False)
    assert "answers.csv" in score("--answers", "answers.csv", code=2, data="other.csv").stderr  # other rows are drawn there
    assert "answers.csv" in score("--answers", "answers.csv", code=2, data="train.csv").stderr  # other number of rows
    put("answers.csv", "".join(text.splitlines(True)[:-1]))
    score("--answers", "answers.csv", code=2)  # a row was taken out
    put("answers.csv", text.replace("seed=0", "seed=1"))
    score("--answers", "answers.csv", code=2)
    put("answers.csv", text.replace("checks=30", "checks=many", 1))
    assert "line 2" in score("--answers", "answers.csv", code=1).stderr
    put("answers.csv", "row,label\n1,1\n")
    score("--answers", "answers.csv", code=1)
    put("answers.csv", text)
    for option in (("--threshold", 3), ("--flag-rate", 0.1)):
        score("--answers", "answers.csv", *option, code=2)
    puad("query", "m.safetensors", "new.csv", "--rounds", 2, code=2)
    puad("query", "m.safetensors", "-", "--audit", 5, code=2)


def warned(labeled, seed):
    """Whether an audit of 100 rows finds labels biased, where hardness of anomalies differs and `labeled` chooses those with labels."""
    draws = numpy.random.default_rng(seed)
    odd = numpy.arange(3000) % 10 == 0
    size = numpy.where(odd, draws.uniform(1.5, 7, 3000), 0)
    values = draws.normal(size=(3000, 3)) + size[:, None]
    hidden = numpy.flatnonzero(odd[:1500])
    known = numpy.zeros(1500, int)
    known[labeled(hidden, size[hidden], draws)] = 1
    numpy.savez(os.path.join(folder.name, "t.npz"), X=values[:1500], y=known)
    numpy.savez(os.path.join(folder.name, "n.npz"), X=values[1500:])
    puad("fit", "t.npz", "-o", "b.safetensors", "--calibrate", "--quiet")
    text = puad("query", "b.safetensors", "n.npz", "--audit", 100, "--seed", seed, "--quiet").stdout
    put("answers.csv", filled(text, lambda row: 1 if odd[1500 + row] else -1))
    puad("score", "b.safetensors", "n.npz", "--answers", "answers.csv", "--quiet", "--summary", "s.json")
    with open(os.path.join(folder.name, "s.json")) as file:
        return "labels_biased" in [warning["name"] for warning in json.load(file)["warnings"]]


@test
def labels_of_only_obvious_anomalies_are_detected():
    obvious = sum(warned(lambda rows, size, draws: rows[numpy.argsort(-size)[:40]], seed) for seed in range(6))
    random = sum(warned(lambda rows, size, draws: draws.permutation(rows)[:40], seed) for seed in range(6))
    assert obvious >= 4 and random <= 1, (obvious, random)


@test
def a_series_is_audited_by_its_rows():
    draws = numpy.random.default_rng(4)
    values = numpy.sin(numpy.arange(3000) / 7) + 0.1 * draws.normal(size=3000)
    values[1000:1040] += 4
    values[2000:2060] -= 4
    put("series.csv", "time,value\n" + "".join(f"{i},{v:.4f}\n" for i, v in enumerate(values)))
    puad("fit", "series.csv", "--time-column", "time", "--window", 16, "-o", "series.safetensors", "--quiet")
    text = puad("query", "series.safetensors", "series.csv", "--audit", 30).stdout
    assert len(rows_of(text)) == 30
    put("answers.csv", filled(text, lambda row: 1 if 1000 <= row < 1040 or 2000 <= row < 2060 else -1))
    done = puad("score", "series.safetensors", "series.csv", "--answers", "answers.csv")
    assert sum(row["flag"] == "1" for row in rows_of(done.stdout)) > 0


finish()
