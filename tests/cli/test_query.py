#!/usr/bin/env python3
"""The label loop as a person runs it: query, fill in, fit --answers --update; and every way to get it wrong."""
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
from checks import finish, has, test

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
for name, rows in ("train.csv", values), ("clear.csv", values + 1.5 * truth[:, None] * [1, 1, 1, 0]):
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["account", "a", "b", "c", "d", "kind, of", "status"])
        for i, row in enumerate(rows):
            writer.writerow([f"no. {i}", *(f"{v:.4f}" for v in row), "x,y" if truth[i] else "z", status[i]])
FIT = ("--label-column", "status", "--positive", "fraud", "--id-column", "account", "--method", "pusvdd", "--epochs", "15",
       "--set", "weight=equal", "--batch", "64", "--calibrate")
puad("fit", "train.csv", *FIT, "--quiet", "--alpha", "auto", "-o", "m.safetensors")


def query(*arguments, model="m.safetensors", rows="train.csv"):
    return puad("query", model, rows, *arguments)


def filled(text, answers):
    rows = list(csv.reader(io.StringIO(text)))
    for row in rows[1:]:
        row[rows[0].index("label")] = answers(int(row[0]))
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


@test
def a_query_is_a_file_to_fill_in():
    done = query("-n", "20")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == ["row", "account", "score", "label", "a", "b", "c", "d", "kind, of"], list(rows[0])
    assert len({row["row"] for row in rows}) == 20 and all(row["label"] == "" for row in rows)
    for row in rows:
        number = int(row["row"])
        assert row["account"] == f"no. {number}" and row["a"] == f"{values[number, 0]:.4f}", row
        assert status[number] == "", "a labeled row is not asked about; the model knows the label column"
        assert row["kind, of"] == ("x,y" if truth[number] else "z")
    assert done.stdout == query("-n", "20").stdout
    learn = [query("-n", "20", "--goal", "learn", "--seed", seed).stdout for seed in ("1", "1", "2")]
    assert learn[0] == learn[1] != learn[2]
    assert has(done.stderr, "900 rows", "75") and "fit INPUT --answers" in done.stderr


@test
def a_model_given_as_answers_is_named_as_a_model():
    done = subprocess.run([PUAD, "fit", "train.csv", "--answers", "m.safetensors", "-o", "none"], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == 1 and "model" in done.stderr.replace("m.safetensors", "") and "NUL" not in done.stderr, done.stderr


@test
def answers_train_a_model_that_uses_normals_too():
    put("ask.csv", filled(query("-n", "40", "--quiet").stdout, lambda row: "1" if truth[row] else "-1"))
    done = puad("fit", "train.csv", "--answers", "ask.csv", "--update", "m.safetensors", "-o", "m2.safetensors", "--json")
    found = json.loads(done.stdout)
    asked = [int(row["row"]) for row in csv.DictReader(open(os.path.join(folder.name, "ask.csv")))]
    assert found["method"] == "pnusvdd" and found["normals"] == sum(not truth[row] for row in asked), found
    before, after = found["moved"]["before"], found["moved"]["after"]
    assert (before["method"], after["method"]) == ("pusvdd", "pnusvdd") and after["normals"] == found["normals"], found
    assert after["alpha_U"]["value"] is None, after  # 15 labels do not identify it
    assert after["recall"]["low"] <= after["recall"]["value"] <= after["recall"]["high"], after
    recipes = [json.loads(puad("inspect", name, "--json").stdout) for name in ("m.safetensors", "m2.safetensors")]
    for key in ("epochs", "batch", "seed", "network", "alpha_kind", "learning_rate"):
        assert recipes[0]["recipe"][key] == recipes[1]["recipe"][key], key
    assert recipes[1]["calibration"]["anomalies"] == recipes[0]["calibration"]["anomalies"]
    again = csv.DictReader(io.StringIO(query("--answers", "ask.csv", "-n", "40", model="m2.safetensors").stdout))
    assert not {int(row["row"]) for row in again} & set(asked), "no row is asked about twice"


@test
def models_whose_labels_identify_alpha_are_compared_in_every_number():
    puad("fit", "clear.csv", *FIT[:6], "--calibrate", "--quiet", "-o", "clear.safetensors")
    asked = query("-n", "40", "--quiet", model="clear.safetensors", rows="clear.csv").stdout
    put("clear_ask.csv", filled(asked, lambda row: "1" if truth[row] else "-1"))
    done = puad("fit", "clear.csv", "--answers", "clear_ask.csv", "--update", "clear.safetensors", "-o", "clear2.safetensors", "--json")
    moved = json.loads(done.stdout)["moved"]
    for model in moved["before"], moved["after"]:
        for figure in ("alpha_U", "auroc", "best_f1", "recall", "precision"):
            assert model[figure]["low"] <= model[figure]["value"] <= model[figure]["high"], (figure, model)
    done = puad("fit", "clear.csv", "--answers", "clear_ask.csv", "--update", "clear.safetensors", "-o", "clear2.safetensors")
    assert has(done.stderr, "clear.safetensors", "75", "AUROC", "best F1", "alpha_U"), done.stderr


@test
def unanswered_rows_stay_unlabeled_and_a_file_without_answers_is_warned_of():
    put("none.csv", query("-n", "10", "--quiet").stdout)
    fit = ["fit", "train.csv", "--answers", "none.csv", "--update", "m.safetensors", "-o", "n.safetensors", "--json"]
    done = puad(*fit)
    found = json.loads(done.stdout)
    assert (found["method"], found["normals"]) == ("pusvdd", 0) and found["moved"]["after"]["normals"] == 0, found
    assert has(done.stderr, "10 rows", "'label'") and "no_answers" in {w["name"] for w in found["warnings"]}, found["warnings"]
    puad(*fit, "--strict", code=3)


@test
def given_options_go_before_those_of_the_model():
    found = json.loads(puad("fit", "train.csv", "--answers", "ask.csv", "--update", "m.safetensors", "-o", "o.safetensors",
                            "--quiet", "--json", "--method", "pnuae", "--epochs", "3", "--alpha", "0.2").stdout)
    assert found["method"] == "pnuae" and found["alpha"] == 0.2 and found["best_epoch"] < 3, found


@test
def rows_without_an_answer_are_not_proposed_again():
    put("first.csv", query("-n", "10", "--quiet").stdout)
    rows = [{row["row"] for row in csv.DictReader(io.StringIO(text))}
            for text in (open(os.path.join(folder.name, "first.csv")).read(), query("--answers", "first.csv", "-n", "10").stdout)]
    assert len(rows[1]) == 10 and not rows[0] & rows[1], rows


def held(name):
    with open(os.path.join(folder.name, name), "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        rest = file.read()
    begin, end = header["calibration.rows"]["data_offsets"]
    return numpy.frombuffer(rest[begin:end], numpy.uint32)


def rows_of(text):
    return [int(row["row"]) for row in csv.DictReader(io.StringIO(text))]


@test
def held_out_rows_are_not_proposed_and_stay_held_out():
    before = held("m.safetensors")
    asked = {int(row["row"]) for row in csv.DictReader(io.StringIO(query("-n", "900", "--quiet").stdout))}
    assert asked | set(before) == set(range(900)) - {row for row in range(900) if status[row] and row not in before}
    assert not asked & set(before)
    assert (held("m2.safetensors") == before).all(), "trained with answers, the same rows are held out"


def without_ids(name, order, more=()):
    """Rows of the table in another order, without the column that names them."""
    with open(os.path.join(folder.name, "train.csv"), newline="") as file:
        rows = [row[1:] for row in csv.reader(file)]
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        csv.writer(file).writerows([rows[0], *(rows[1 + i] for i in order), *more])


shuffled = numpy.random.default_rng(6).permutation(900)
NO_ID = (*FIT[:4], *FIT[6:])


@test
def answers_of_earlier_rounds_are_not_lost():
    put("ask2.csv", filled(query("--answers", "ask.csv", "-n", "10", "--quiet", model="m2.safetensors").stdout,
                           lambda row: "1" if truth[row] else "-1"))
    def fit(*arguments, code=0):
        return puad("fit", "train.csv", *arguments, "--update", "m2.safetensors", "-o", "m3.safetensors", "--json", code=code)
    said = fit("--answers", "ask2.csv", code=2).stderr
    assert has(said, "40 answers", "40"), said
    assert "--answers ask.csv" in said, said
    assert "--answers ask.csv" in fit(code=2).stderr
    first = sum(not truth[row] for row in rows_of(open(os.path.join(folder.name, "ask.csv")).read()))
    second = sum(not truth[row] for row in rows_of(open(os.path.join(folder.name, "ask2.csv")).read()))
    assert json.loads(fit("--answers", "ask.csv", "--answers", "ask2.csv").stdout)["normals"] == first + second
    assert "50 rows" in puad("inspect", "m3.safetensors").stdout
    rows = list(csv.reader(open(os.path.join(folder.name, "ask.csv"))))
    rows[1][rows[0].index("label")] = ""  # one answer is taken back
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    put("fewer.csv", out.getvalue())
    fit("--answers", "fewer.csv")
    put("cut.csv", "".join(out.getvalue().splitlines(True)[:-3]))
    assert has(fit("--answers", "cut.csv", code=2).stderr, "40 answers", "3")


@test
def a_query_lists_the_files_of_answers():
    done = query("-n", "900", model="m2.safetensors")
    assert has(done.stderr, "40", "--answers ask.csv")
    assert has(done.stderr, "puad fit", "--answers ask.csv", "--answers FILE", "--update MODEL"), done.stderr
    assert not set(rows_of(done.stdout)) & set(rows_of(open(os.path.join(folder.name, "ask.csv")).read()))
    said = query("-n", "9", "--answers", "ask.csv", model="m2.safetensors").stderr
    assert "40 answers" not in said and has(said, "--answers ask.csv", "--answers FILE", "--update"), said


@test
def answers_go_to_the_rows_they_were_given_for():
    without_ids("noid.csv", range(900))
    without_ids("mixed.csv", shuffled)
    puad("fit", "noid.csv", *NO_ID, "--quiet", "--calibrate", "-o", "noid.safetensors")
    asked = filled(puad("query", "noid.safetensors", "noid.csv", "-n", "10", "--quiet").stdout,
                   lambda row: "1" if truth[row] else "-1")
    put("noid_ask.csv", asked)
    arguments = ("--answers", "noid_ask.csv", "--update", "noid.safetensors", "--epochs", "1", "--quiet", "-o", "y")
    said = puad("fit", "mixed.csv", *arguments, code=2).stderr
    assert has(said, "noid_ask.csv", "line 2") and f"row {rows_of(asked)[0]}" in said, said
    said = puad("query", "noid.safetensors", "mixed.csv", "--answers", "noid_ask.csv", code=2).stderr
    assert "noid_ask.csv" in said, said
    assert not os.path.exists(os.path.join(folder.name, "y"))
    puad("fit", "noid.csv", *arguments)
    table = list(csv.DictReader(io.StringIO(asked)))
    out = io.StringIO()  # as a spreadsheet writes it
    writer = csv.DictWriter(out, list(table[0]))
    writer.writeheader()
    writer.writerows({**row, "a": f" {float(row['a']):g}", "b": f"{float(row['b']):.9e}"} for row in table)
    put("noid_ask.csv", out.getvalue())
    puad("fit", "noid.csv", *arguments)


@test
def held_out_rows_are_recognized_by_value():
    before = set(held("noid.safetensors"))
    done = puad("query", "noid.safetensors", "mixed.csv", "-n", "900")
    assert "warning" not in done.stderr, done.stderr
    assert not {shuffled[row] for row in rows_of(done.stdout)} & before
    fit = ("--update", "noid.safetensors", "--epochs", "1")
    said = puad("fit", "mixed.csv", *fit, "-o", "mixed.safetensors").stderr
    assert {shuffled[row] for row in held("mixed.safetensors")} == before and "held out" not in said, said
    more = [[f"{v:.4f}" for v in row] + ["z", ""] for row in draws.normal(size=(100, 4))]
    without_ids("longer.csv", range(900), more)
    said = puad("fit", "longer.csv", *fit, "-o", "longer.safetensors").stderr
    after = set(held("longer.safetensors"))
    assert before < after and len(after - before) == 20 and min(after - before) >= 900, (len(before), len(after))
    assert has(said, f"{len(before)} rows", "held out", "20"), said
    without_ids("shorter.csv", shuffled[:600])
    said = puad("query", "noid.safetensors", "shorter.csv").stderr
    assert "warning" in said and "held out" in said, said
    said = puad("fit", "shorter.csv", *fit, "-o", "shorter.safetensors").stderr
    assert {shuffled[row] for row in held("shorter.safetensors")} <= before and "held out" in said, said


@test
def rows_of_arrays_and_of_standard_input_are_recognized_too():
    y = (status == "fraud").astype(int)
    numpy.savez(os.path.join(folder.name, "one.npz"), X=values, y=y)
    numpy.savez(os.path.join(folder.name, "two.npz"), X=values[shuffled], y=y[shuffled])
    puad("fit", "one.npz", "--method", "pusvdd", "--epochs", "2", "--quiet", "--calibrate", "-o", "one.safetensors")
    said = puad("fit", "two.npz", "--update", "one.safetensors", "-o", "two.safetensors").stderr
    assert {shuffled[row] for row in held("two.safetensors")} == set(held("one.safetensors")), said
    with open(os.path.join(folder.name, "noid.csv")) as file:
        subprocess.run([PUAD, "fit", "-", "--update", "noid.safetensors", "--epochs", "1", "-o", "piped.safetensors", "--quiet"],
                       stdin=file, cwd=folder.name, check=True)
    assert (held("piped.safetensors") == held("noid.safetensors")).all()


@test
def files_of_more_anomalies_must_be_named_again():
    with open(os.path.join(folder.name, "more.csv"), "w", newline="") as file:
        csv.writer(file).writerows([["account", "a", "b", "c", "d", "kind, of", "status"],
                                    *([f"m {i}", 3, 3, 3, 0.1 * i, "x,y", ""] for i in range(30))])
    puad("fit", "train.csv", *FIT, "--quiet", "--anomalies", "more.csv", "--epochs", "2", "-o", "more.safetensors")
    said = puad("fit", "train.csv", "--update", "more.safetensors", "-o", "x", code=2).stderr
    assert "--anomalies more.csv" in said, said


@test
def wrong_answers_are_named():
    def refused(text, *words, code=2):
        put("bad.csv", text)
        said = puad("fit", "train.csv", "--answers", "bad.csv", "--update", "m.safetensors", "-o", "x", "--quiet", code=code).stderr
        assert all(word in said for word in words), said
    refused("row,label\n5,maybe\n", "bad.csv", "line 2", "row 5", "'maybe'")
    refused("row,label\n5,0\n", "row 5", "'0'")
    refused("row,label\n900,1\n", "row 900", "900 rows")
    refused("row,label\nx,1\n", "'x'", code=1)
    refused("row,label\n5,1\n5,-1\n", "row 5")
    refused("row,account,label\n5,no. 6,1\n", "'no. 6'", "'no. 5'")
    refused("a,b\n1,2\n", "'row'", code=1)
    said = puad("fit", "train.csv", "--answers", "nothing.csv", *FIT, "-o", "x", "--quiet", code=1).stderr
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
                      ("fit", "train.csv", "--answers", "ask.csv", "--update", "m.safetensors", "-o", "ask.csv"),
                      ("prior", "train.csv", *FIT[:4], "--plot", "train.csv"),
                      ("data", "train.csv", "--preview", "train.csv"),
                      ("eval", "m.safetensors", "train.csv", "--label-column", "status", "--plot", "m.safetensors"),
                      ("inspect", "m.safetensors", "--plot", "m.safetensors"),
                      ("operate", "m.safetensors", "--plot", "m.safetensors")):
        said = puad(*arguments, code=2).stderr
        assert arguments[-1] in said, (arguments, said)
    assert open(os.path.join(folder.name, "train.csv")).read() == before
    puad("inspect", "m.safetensors")
    shutil.copy(os.path.join(folder.name, "m.safetensors"), os.path.join(folder.name, "own.safetensors"))
    puad("fit", "train.csv", "--update", "own.safetensors", "-o", "own.safetensors", "--epochs", "1", "--quiet")


@test
def arrays_can_be_queried():
    numpy.savez(os.path.join(folder.name, "t.npz"), X=values, y=(status == "fraud").astype(int))
    puad("fit", "t.npz", "--epochs", "5", "--quiet", "--method", "puae", "-o", "a.safetensors")
    rows = list(csv.DictReader(io.StringIO(puad("query", "a.safetensors", "t.npz", "-n", "5").stdout)))
    assert list(rows[0]) == ["row", "score", "label"] and len(rows) == 5
    assert all(status[int(row["row"])] == "" for row in rows), "y of the file is read"
    puad("query", "a.safetensors", "-", code=2)
    assert len(puad("query", "a.safetensors", "t.npz", "-n", "5000").stdout.splitlines()) == 826


@test
def learning_looks_where_the_anomalies_are_estimated_to_end():
    for part in (0.03, 0.3):  # without calibration, alpha is estimated from the labels
        draws = numpy.random.default_rng(8)
        anomaly = numpy.arange(2000) < 2000 * part
        rows = draws.normal(size=(2000, 4))
        rows[anomaly] += 4
        numpy.savez(os.path.join(folder.name, "l.npz"), X=rows, y=(numpy.arange(2000) < 20).astype(int))
        puad("fit", "l.npz", "--quiet", "-o", "l.safetensors")
        scores = [float(row["score"]) for row in csv.DictReader(io.StringIO(puad("score", "l.safetensors", "l.npz").stdout))]
        rank = numpy.argsort(numpy.argsort(-numpy.array(scores)))
        asked = [int(row["row"]) for row in csv.DictReader(io.StringIO(puad("query", "l.safetensors", "l.npz", "--goal", "learn", "-n", "20").stdout))]
        near = numpy.sort(rank[asked[:10]] / 2000)
        assert part / 2 < near[0] and near[-1] < 1.6 * part, f"{part}: {near}"


finish()
