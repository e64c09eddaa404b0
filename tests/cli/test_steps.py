#!/usr/bin/env python3
"""The budget of a training in steps: what a table has by default, what --steps and --epochs make of it."""
import json, os, random, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
draw = random.Random(0)
table, model = (os.path.join(folder.name, name) for name in ("t.csv", "m.safetensors"))
with open(table, "w") as file:
    file.write("a,b,label\n")
    for i in range(1280):
        file.write(f"{draw.gauss(0, 1) + 5 * (i < 40)},{draw.gauss(0, 1)},{int(i < 40)}\n")


def epochs(*options):
    """Epochs run of pretraining and of training, and the recipe."""
    subprocess.run([PUAD, "fit", table, "--method", "pusvdd", "--label-column", "label", "--batch", "128", "--threads", "1", "--quiet", "--force", "-o", model, *options],
                   check=True, capture_output=True)
    found = json.loads(subprocess.run([PUAD, "inspect", model, "--json"], check=True, capture_output=True, text=True).stdout)
    return [len(found["facts"][phase]["epoch"]) for phase in ("pretraining", "training")], found


@test
def steps_end_a_training_in_the_middle_of_an_epoch():
    (before, after), found = epochs("--steps", "23")  # 10 or 11 batches an epoch
    assert before == 3 and after == 3, (before, after)
    assert found["recipe"]["steps"] == 23 and found["facts"]["best_epoch"] == 2, found["facts"]


@test
def a_table_has_a_budget_unless_epochs_are_given():
    (_, after), found = epochs()
    assert found["recipe"]["steps"] == 250 and after < 26, after
    (before, after), found = epochs("--epochs", "4")
    assert (before, after) == (4, 4) and found["recipe"]["steps"] == 0, (before, after)


@test
def steps_below_an_epoch_still_make_a_model():
    assert epochs("--steps", "1")[0] == [1, 1]


finish()
