#!/usr/bin/env python3
"""The default of tables: what `fit` makes without a method, with labels and without, and what the other commands say of it."""
import csv, io, json, os, random, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
draw = random.Random(1)


def row(kind, label):
    amount, hour, shop = draw.gauss(50, 15), draw.gauss(14, 3), draw.choice(["web", "shop"])
    if kind == "known":
        amount, shop = draw.gauss(130, 15), "phone"
    if kind == "new":
        hour = draw.gauss(-20, 2)
    return f"{amount:.2f},{hour:.2f},{shop},{label}\n"


def write(name, rows):
    with open(os.path.join(folder.name, name), "w") as file:
        file.write("amount,hour,shop,label\n" + "".join(rows))


write("train.csv", [row("known", int(i < 12)) for i in range(60)] + [row("normal", 0) for _ in range(1200)])
write("bare.csv", [row("known", 0) for i in range(30)] + [row("normal", 0) for _ in range(600)])
write("test.csv", [row("known", 1) for _ in range(40)] + [row("normal", 0) for _ in range(400)])
write("new.csv", [row("new", 1) for _ in range(40)] + [row("normal", 0) for _ in range(400)])


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True, cwd=folder.name)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def auroc(model, table):
    return json.loads(puad("eval", model, table, "--label-column", "label", "--json").stdout)["auroc"]


@test
def fit_without_a_method_uses_the_ensemble_and_reports_alpha():
    done = puad("fit", "train.csv", "--label-column", "label", "-o", "m", "--json")
    found = json.loads(done.stdout)
    assert found["method"] == "committee" and found["alpha_kind"] == "assumed", found
    assert "alpha" in done.stderr, done.stderr
    assert found["alpha"] is None and found["alphas"] == [0, 0.05, 0.1, 0.2] and "valid_loss" not in found, found


@test
def inspect_reports_the_options_that_were_used():
    def inspected(*options):
        found = json.loads(puad("fit", "train.csv", "--label-column", "label", "-q", "-o", "used", "--json", *options).stdout)
        model = json.loads(puad("inspect", "used", "--json").stdout)
        assert all(found.get(key) == model["recipe"].get(key) for key in ("alpha", "alphas", "alpha_kind")), (found, model["recipe"])
        return model, puad("inspect", "used").stdout

    network = {"epochs", "pretrain_epochs", "patience", "batch", "learning_rate", "network", "sampler", "noise", "width", "latent", "objective"}
    model, text = inspected()
    recipe = model["recipe"]
    assert not network & {*recipe} and recipe["head"] == "committee" and recipe["novelty"] == 0.2, recipe
    assert not {"training", "best_epoch", "valid_loss"} & {*model["facts"]} and "parameters" not in model, model
    assert "0, 0.05, 0.1, 0.2 (assumed)" in text and "batch" not in text, text
    recipe = inspected("--method", "puforest", "--alpha", "0.04")[0]["recipe"]
    assert (recipe["alpha"], recipe["alphas"], recipe["alpha_kind"]) == (0.04, [0, 0.02, 0.04, 0.08], "given"), recipe
    assert "novelty" not in recipe, recipe
    model, text = inspected("--method", "nearest")
    assert not (network | {"alpha", "alphas", "alpha_kind"}) & {*model["recipe"]} and "alpha" not in text, (model, text)
    recipe = inspected("--method", "pusvdd", "--epochs", "1")[0]["recipe"]
    assert network <= {*recipe} and "novelty" not in recipe and "alphas" not in recipe, recipe
    assert recipe["alpha_kind"] in ("alpha_U", "assumed") and recipe["alpha"] > 0, recipe


@test
def it_finds_the_known_kind_and_a_new_one():
    assert auroc("m", "test.csv") > 0.97 and auroc("m", "new.csv") > 0.9, (auroc("m", "test.csv"), auroc("m", "new.csv"))


@test
def novelty_can_be_set():
    def lead_of_the_new_kind(novelty):
        puad("fit", "train.csv", "--label-column", "label", "-q", "-o", "other", "--set", f"novelty={novelty}")
        means = []
        for table in ("new.csv", "test.csv"):
            lines = list(csv.DictReader(io.StringIO(puad("score", "other", table).stdout)))[:40]
            means.append(sum(float(line["score"]) for line in lines) / 40)
        return means[0] - means[1]
    assert lead_of_the_new_kind(0.9) > lead_of_the_new_kind(0) + 0.5
    said = puad("fit", "train.csv", "--label-column", "label", "-o", "x", "--set", "novelty=2", code=2).stderr
    assert "novelty" in said, said
    said = puad("fit", "train.csv", "--label-column", "label", "-o", "x", "--set", "width=7", code=2).stderr
    assert has(said, "'width'", "novelty") and "network" not in said, said


@test
def without_labels_it_is_an_unsupervised_detector():
    done = puad("fit", "bare.csv", "--label-column", "label", "-o", "bare")
    assert "anomalies" in done.stderr and "warning" not in done.stderr, done.stderr
    assert auroc("bare", "test.csv") > 0.8
    assert "none" in puad("inspect", "bare").stdout


@test
def a_row_is_explained_by_its_unusual_columns():
    lines = list(csv.DictReader(io.StringIO(puad("score", "m", "new.csv", "--top", "5", "--explain", "1").stdout)))
    reasons = [value for line in lines for value in line.values() if value and "hour" in value]
    assert len(reasons) == 5, lines


@test
def inspect_reports_the_parts():
    said = puad("inspect", "m").stdout
    for word in ("forest", "isolation", "nearest", "novelty      0.2", "of the evidence of the top 1%"):
        assert word in said, said


@test
def network_options_without_effect_are_noted():
    said = puad("fit", "train.csv", "--label-column", "label", "-o", "x", "--epochs", "3").stderr
    assert has(said, "--epochs", "committee"), said


@test
def calibration_decisions_and_the_label_loop_support_it():
    write("more.csv", [row("known", int(i < 40)) for i in range(90)] + [row("normal", 0) for _ in range(1200)])
    puad("fit", "more.csv", "--label-column", "label", "--calibrate", "-q", "-o", "c")
    assert "p_value" in puad("score", "c", "test.csv").stdout.splitlines()[0].split(",")
    ask = puad("query", "c", "more.csv", "-n", "5").stdout.splitlines()
    place = ask[0].split(",").index("label")
    with open(os.path.join(folder.name, "ask.csv"), "w") as file:
        file.write(ask[0] + "\n")
        for line in ask[1:]:
            cells = line.split(",")
            cells[place] = "1"
            file.write(",".join(cells) + "\n")
    puad("fit", "more.csv", "--answers", "ask.csv", "--update", "c", "-q", "-o", "again")
    assert json.loads(puad("inspect", "again", "--json").stdout)["recipe"]["method"] == "committee"


@test
def an_alpha_that_the_data_contradict_is_a_warning():
    far = puad("fit", "more.csv", "--label-column", "label", "--alpha", "0.4", "-o", "x").stderr
    assert has(far, "warning", "alpha", "0.4") and "--alpha" in far, far
    near = puad("fit", "more.csv", "--label-column", "label", "--alpha", "0.04", "-o", "x").stderr
    assert "warning" not in near, near


finish()
