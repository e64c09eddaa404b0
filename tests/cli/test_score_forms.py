#!/usr/bin/env python3
"""Scores as CSV, as JSON lines and in a file are the same; with the columns of the input; and the label loop in the words of the input."""
import csv, io, json, os, random, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


draw = random.Random(5)
ROWS = []
for i in range(400):
    fraud = i % 16 == 0
    note = draw.choice(['plain', 'with, comma', 'say "hi"', "two\nlines"])
    ROWS.append([f"A{i}", f"{draw.gauss(9000 if fraud else 1000, 300):,.2f}", note, "fraud" if fraud and i % 32 == 0 else "ok" if i % 3 else ""])
with open("new.csv", "w", newline="") as file:
    csv.writer(file).writerows([["account", "amount", "score", "state"]] + ROWS)
WORDS = "--label-column", "state", "--positive", "fraud", "--unlabeled", "ok"
puad("fit", "new.csv", *WORDS, "--id-column", "account", "--calibrate", "-o", "m.safetensors", "--quiet")


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@test
def csv_json_and_files_hold_the_same_scores():
    for options in [], ["--fdr", "0.2", "--kind"], ["--top", "7", "--explain", "2"], ["--keep-columns"], ["--keep-columns", "--top", "5"], ["--keep-columns", "--fdr", "0.2"]:
        rows = table(puad("score", "m.safetensors", "new.csv", *options).stdout)
        lines = [json.loads(line) for line in puad("score", "m.safetensors", "new.csv", "--format", "jsonl", *options).stdout.splitlines()]
        assert len(rows) == len(lines) == (7 if "7" in options else 5 if "5" in options else 400)
        for row, line in zip(rows, lines):
            assert list(row) == list(line), (row, line)
            for name, value in line.items():
                assert row[name] == ("" if value is None else value) if isinstance(value, (str, type(None))) else float(row[name]) == value, (name, row, line)
        for form, expected in ("csv", puad("score", "m.safetensors", "new.csv", *options).stdout), ("jsonl", "".join(json.dumps(l) for l in lines)):
            done = puad("score", "m.safetensors", "new.csv", "--format", form, "-o", "out", *options)
            assert done.stdout == ""
            found = open("out", newline="").read()
            assert (found if form == "csv" else "".join(json.dumps(json.loads(l)) for l in found.splitlines())) == expected


@test
def with_fdr_flagged_rows_are_explained_and_no_others():
    every = table(puad("score", "m.safetensors", "new.csv", "--explain", "2").stdout)
    rows = table(puad("score", "m.safetensors", "new.csv", "--explain", "2", "--fdr", "0.2", "--keep-columns").stdout)
    flagged = sum(row["flag"] == "1" for row in rows)
    assert 0 < flagged < len(rows), flagged
    for row, alone in zip(rows, every):
        assert row["reasons"] == (alone["reasons"] if row["flag"] == "1" else ""), (row, alone)
    top = table(puad("score", "m.safetensors", "new.csv", "--explain", "2", "--fdr", "0.2", "--top", str(flagged + 5)).stdout)
    assert sum(row["flag"] == "1" for row in top) == flagged
    for row in top:
        assert row["reasons"] == every[int(row["row"])]["reasons"], row


@test
def the_columns_of_the_input_are_copied_unchanged():
    rows = table(puad("score", "m.safetensors", "new.csv", "--keep-columns").stdout)
    for row, given in zip(rows, ROWS):
        assert [row["account"], row["amount"], row["input.score"], row["state"]] == given, (row, given)
    plain = table(puad("score", "m.safetensors", "new.csv").stdout)
    assert [r["score"] for r in rows] == [r["score"] for r in plain]  # read as text, the numbers are the same
    assert "account" in plain[0], "the id column of the training is kept without being named"


@test
def an_unwritable_output_is_reported_before_the_work():
    assert "new.csv" in puad("score", "m.safetensors", "new.csv", "-o", "new.csv", code=2).stderr
    assert "nowhere" in puad("score", "m.safetensors", "new.csv", "-o", "nowhere/out", code=1).stderr


@test
def the_label_words_of_the_training_are_remembered():
    with open("truth.csv", "w", newline="") as file:
        csv.writer(file).writerows([["account", "amount", "score", "state"]] + [[*r[:3], "fraud" if i % 16 == 0 else "ok"] for i, r in enumerate(ROWS)])
    words = json.loads(puad("eval", "m.safetensors", "truth.csv", "--label-column", "state", "--json").stdout)
    with open("numbers.csv", "w", newline="") as file:
        csv.writer(file).writerows([["account", "amount", "score", "state"]] + [[*r[:3], int(i % 16 == 0)] for i, r in enumerate(ROWS)])
    numbers = json.loads(puad("eval", "m.safetensors", "numbers.csv", "--label-column", "state", "--json").stdout)
    words.pop("seconds", None), numbers.pop("seconds", None), words.pop("input", None), numbers.pop("input", None)
    assert words == numbers, (words, numbers)
    assert "truth.csv" in puad("eval", "m.safetensors", "truth.csv", "--label-column", "state", "--positive", "theft", code=1).stderr


@test
def the_label_loop_takes_answers_in_these_words():
    asked = table(puad("query", "m.safetensors", "new.csv", "-n", "40").stdout)
    assert len(asked) == 40
    for k, row in enumerate(asked):
        row["label"] = "fraud" if int(row["row"]) % 16 == 0 else ["ok", "-1", "ok", ""][k % 4]
    with open("ask.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(asked[0]))
        writer.writeheader()
        writer.writerows(asked)
    frauds = sum(r["label"] == "fraud" for r in asked)
    normals = sum(r["label"] in ("ok", "-1") for r in asked)
    known = sum(r[3] == "fraud" for r in ROWS)
    done = json.loads(puad("fit", "new.csv", *WORDS, "--id-column", "account", "--answers", "ask.csv", "-o", "m2.safetensors", "--json").stdout)
    already = sum(1 for r in asked if r["label"] == "fraud" and ROWS[int(r["row"])][3] == "fraud")
    assert done["anomalies"] == known + frauds - already and done["normals"] == normals > 0, done
    again = json.loads(puad("fit", "new.csv", "--update", "m.safetensors", "--answers", "ask.csv", "-o", "m3.safetensors", "--json").stdout)
    assert again["anomalies"] == done["anomalies"] and again["normals"] == normals, again
    asked[0]["label"] = "perhaps"
    with open("wrong.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(asked[0]))
        writer.writeheader()
        writer.writerows(asked)
    assert "'perhaps'" in puad("fit", "new.csv", *WORDS, "--answers", "wrong.csv", "-o", "m4.safetensors", code=2).stderr


finish()
