#!/usr/bin/env python3
"""The label loop as a person runs it: query, fill in, fit --labels --from; and every way to get it wrong."""
import csv
import io
import json
import os
import shutil
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


def put(name, text):
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        file.write(text)


draws = numpy.random.default_rng(5)
values = draws.normal(size=(900, 4))
truth = numpy.arange(900) % 6 == 0
values[truth, :3] += 2.5
status = numpy.where(truth & (numpy.arange(900) % 12 == 0), "fraud", "")
with open(os.path.join(folder.name, "train.csv"), "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["account", "a", "b", "c", "d", "kind, of", "status"])
    for i, row in enumerate(values):
        writer.writerow([f"no. {i}", *(f"{v:.4f}" for v in row), "x,y" if truth[i] else "z", status[i]])
FIT = ("--label-column", "status", "--positive", "fraud", "--id-column", "account", "--epochs", "15", "--alpha", "auto",
       "--set", "weight=equal", "--batch", "64")
puad("fit", "train.csv", *FIT, "--quiet", "--calibrate", "-o", "m.safetensors")


def query(*arguments, model="m.safetensors"):
    return puad("query", model, "train.csv", *arguments)


def filled(text, answers):
    rows = list(csv.reader(io.StringIO(text)))
    for row in rows[1:]:
        row[rows[0].index("label")] = answers(int(row[0]))
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


@test
def a_query_is_a_file_to_fill_in():
    done = query("-k", "20")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == ["row", "account", "score", "label", "a", "b", "c", "d", "kind, of"], list(rows[0])
    assert len({row["row"] for row in rows}) == 20 and all(row["label"] == "" for row in rows)
    for row in rows:
        number = int(row["row"])
        assert row["account"] == f"no. {number}" and row["a"] == f"{values[number, 0]:.4f}", row
        assert status[number] == "", "a labeled row is not asked about; the model knows the label column"
        assert row["kind, of"] == ("x,y" if truth[number] else "z")
    assert done.stdout == query("-k", "20").stdout and done.stdout != query("-k", "20", "--seed", "1").stdout
    assert "900 rows, 75 of which are labeled" in done.stderr and "fit INPUT --labels" in done.stderr


@test
def answers_train_a_model_that_uses_normals_too():
    put("ask.csv", filled(query("-k", "40", "--quiet").stdout, lambda row: "1" if truth[row] else "-1"))
    done = puad("fit", "train.csv", "--labels", "ask.csv", "--from", "m.safetensors", "-o", "m2.safetensors", "--json")
    found = json.loads(done.stdout)
    asked = [int(row["row"]) for row in csv.DictReader(open(os.path.join(folder.name, "ask.csv")))]
    assert found["method"] == "pnusvdd" and found["normals"] == sum(not truth[row] for row in asked), found
    before, after = found["moved"]["before"], found["moved"]["after"]
    assert (before["method"], after["method"]) == ("pusvdd", "pnusvdd") and after["normals"] == found["normals"], found
    for figure in ("alpha_U", "auroc", "best_f1", "recall", "precision"):
        assert after[figure]["low"] <= after[figure]["value"] <= after[figure]["high"], (figure, after)
    recipes = [json.loads(puad("inspect", name, "--json").stdout) for name in ("m.safetensors", "m2.safetensors")]
    for key in ("epochs", "batch", "seed", "network", "alpha_kind", "learning_rate"):
        assert recipes[0]["recipe"][key] == recipes[1]["recipe"][key], key
    assert recipes[1]["calibration"]["anomalies"] == recipes[0]["calibration"]["anomalies"]
    again = csv.DictReader(io.StringIO(query("--labels", "ask.csv", "-k", "40", model="m2.safetensors").stdout))
    assert not {int(row["row"]) for row in again} & set(asked), "no row is asked about twice"


@test
def unanswered_rows_stay_unlabeled():
    put("none.csv", query("-k", "10", "--quiet").stdout)
    said = puad("fit", "train.csv", "--labels", "none.csv", "--from", "m.safetensors", "-o", "n.safetensors").stderr
    for word in ("0 labeled normals", "compared with m.safetensors", "pusvdd  ->  pusvdd", "alpha", "AUROC", "best F1"):
        assert word in said, said


@test
def given_options_go_before_those_of_the_model():
    found = json.loads(puad("fit", "train.csv", "--labels", "ask.csv", "--from", "m.safetensors", "-o", "o.safetensors",
                            "--quiet", "--json", "--method", "deepsad", "--epochs", "3", "--alpha", "0.2").stdout)
    assert found["method"] == "deepsad" and found["alpha"] == 0.2 and found["best_epoch"] < 3, found


@test
def rows_that_nobody_could_answer_are_not_asked_about_again():
    put("first.csv", query("-k", "10", "--quiet").stdout)
    rows = [{row["row"] for row in csv.DictReader(io.StringIO(text))}
            for text in (open(os.path.join(folder.name, "first.csv")).read(), query("--labels", "first.csv", "-k", "10").stdout)]
    assert len(rows[1]) == 10 and not rows[0] & rows[1], rows


@test
def rows_held_out_are_not_asked_about_and_stay_held_out():
    def held(name):
        with open(os.path.join(folder.name, name), "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
            rest = file.read()
        begin, end = header["calibration.rows"]["data_offsets"]
        return numpy.frombuffer(rest[begin:end], numpy.uint32)
    before = held("m.safetensors")
    asked = {int(row["row"]) for row in csv.DictReader(io.StringIO(query("-k", "900", "--quiet").stdout))}
    assert asked | set(before) == set(range(900)) - {row for row in range(900) if status[row] and row not in before}
    assert not asked & set(before)
    assert (held("m2.safetensors") == before).all(), "trained with answers, the same rows are held out"


@test
def files_of_more_anomalies_must_be_named_again():
    with open(os.path.join(folder.name, "more.csv"), "w", newline="") as file:
        csv.writer(file).writerows([["account", "a", "b", "c", "d", "kind, of", "status"],
                                    *([f"m {i}", 3, 3, 3, 0.1 * i, "x,y", ""] for i in range(30))])
    puad("fit", "train.csv", *FIT, "--quiet", "--anomalies", "more.csv", "--epochs", "2", "-o", "more.safetensors")
    said = puad("fit", "train.csv", "--from", "more.safetensors", "-o", "x", code=2).stderr
    assert "--anomalies more.csv: name the file again" in said, said


@test
def wrong_answers_are_named():
    def refused(text, *words, code=2):
        put("bad.csv", text)
        said = puad("fit", "train.csv", "--labels", "bad.csv", "--from", "m.safetensors", "-o", "x", "--quiet", code=code).stderr
        assert all(word in said for word in words), said
    refused("row,label\n5,maybe\n", "bad.csv, line 2", "row 5 is 'maybe'", "1 (anomaly), -1 (normal)")
    refused("row,label\n5,0\n", "row 5 is '0'")
    refused("row,label\n900,1\n", "row 900", "900 rows")
    refused("row,label\nx,1\n", "'x' is not the number of a row", code=1)
    refused("row,label\n5,1\n5,-1\n", "answered in two ways")
    refused("row,account,label\n5,no. 6,1\n", "'no. 6' here and 'no. 5'")
    refused("a,b\n1,2\n", "no column 'row'", code=1)
    said = puad("fit", "train.csv", "--labels", "nothing.csv", *FIT, "-o", "x", "--quiet", code=1).stderr
    assert "nothing.csv" in said
    assert not os.path.exists(os.path.join(folder.name, "x"))


@test
def no_output_goes_over_an_input():
    os.link(os.path.join(folder.name, "train.csv"), os.path.join(folder.name, "hard.csv"))
    os.symlink("train.csv", os.path.join(folder.name, "soft.csv"))
    os.link(os.path.join(folder.name, "train.csv"), os.path.join(folder.name, "c.checkpoint"))
    before = open(os.path.join(folder.name, "train.csv")).read()
    for arguments in (("fit", "train.csv", *FIT, "-o", "train.csv"), ("fit", "train.csv", *FIT, "-o", "hard.csv"),
                      ("fit", "train.csv", *FIT, "-o", "soft.csv"), ("fit", "soft.csv", *FIT, "-o", "train.csv"),
                      ("fit", "train.csv", *FIT, "-o", "c"),
                      ("fit", "train.csv", *FIT, "--anomalies", "more.csv", "-o", "more.csv"),
                      ("fit", "train.csv", "--labels", "ask.csv", "--from", "m.safetensors", "-o", "ask.csv"),
                      ("prior", "train.csv", *FIT[:4], "--plot", "train.csv"),
                      ("data", "train.csv", "--preview", "train.csv"),
                      ("eval", "m.safetensors", "train.csv", "--label-column", "status", "--plot", "m.safetensors"),
                      ("inspect", "m.safetensors", "--plot", "m.safetensors"),
                      ("operate", "m.safetensors", "--plot", "m.safetensors")):
        said = puad(*arguments, code=2).stderr
        assert "name another output" in said, (arguments, said)
    assert open(os.path.join(folder.name, "train.csv")).read() == before
    puad("inspect", "m.safetensors")
    shutil.copy(os.path.join(folder.name, "m.safetensors"), os.path.join(folder.name, "own.safetensors"))
    puad("fit", "train.csv", "--from", "own.safetensors", "-o", "own.safetensors", "--epochs", "1", "--quiet")


@test
def arrays_can_be_queried():
    numpy.savez(os.path.join(folder.name, "t.npz"), X=values, y=(status == "fraud").astype(int))
    puad("fit", "t.npz", "--epochs", "5", "--quiet", "--method", "puae", "-o", "a.safetensors")
    rows = list(csv.DictReader(io.StringIO(puad("query", "a.safetensors", "t.npz", "-k", "5").stdout)))
    assert list(rows[0]) == ["row", "score", "label"] and len(rows) == 5
    assert all(status[int(row["row"])] == "" for row in rows), "y of the file is read"
    assert "give a file" in puad("query", "a.safetensors", "-", code=2).stderr
    assert len(puad("query", "a.safetensors", "t.npz", "-k", "5000").stdout.splitlines()) == 826


finish()
