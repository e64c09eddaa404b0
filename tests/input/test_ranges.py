#!/usr/bin/env python3
"""Columns of ranges ("3 to 4", "more than 8"): ordered numbers in the model, in puad data, and for rows to score."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
RNG = np.random.default_rng(3)
COUNT = 600
CARS = {"1 vehicle": 1, "2 vehicles": 2, "3 to 4": 3.5, "5 to 8": 6.5, "more than 8": 8}
TEXTS = RNG.choice(list(CARS), COUNT)
OTHER = RNG.normal(size=COUNT)


def path(name):
    return os.path.join(folder.name, name)


def puad(*arguments):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"puad {' '.join(arguments)}: exit {done.returncode}: {done.stderr}"
    return done.stdout


def write(name, cars, others=OTHER):
    with open(path(name), "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["cars", "other"], *zip(cars, others)])
    return path(name)


def fit(name):
    puad("fit", path(name), "-q", "--force", "--method", "if", "--threads", "1", "-o", path("m.safetensors"))
    return json.loads(puad("inspect", path("m.safetensors"), "--json"))["table"]["columns"]


def scores(name):
    rows = csv.DictReader(puad("score", path("m.safetensors"), path(name), "-q").splitlines())
    return [float(row["score"]) for row in rows]


@test
def ranges_are_read_as_numbers():
    write("texts.csv", TEXTS)
    write("numbers.csv", [CARS[text] for text in TEXTS])
    ranges = fit("texts.csv")[0]
    assert ranges["type"] == "number" and ranges["form"]["kind"] == "range", ranges
    as_texts = scores("texts.csv")
    numbers = fit("numbers.csv")[0]
    assert ranges["mean"] == numbers["mean"] and ranges["sd"] == numbers["sd"], (ranges, numbers)
    assert as_texts == scores("numbers.csv")


@test
def new_ranges_and_plain_numbers_are_read_in_the_form_of_the_model():
    fit("texts.csv")
    write("new.csv", ["3 to 4", "3.5", "more than 8", "8", "2-5"], [0] * 5)
    found = scores("new.csv")
    assert found[0] == found[1] == found[4] and found[2] == found[3], found


@test
def data_shows_ranges():
    columns = json.loads(puad("data", path("texts.csv"), "--json"))["columns"]
    assert [column["type"] for column in columns if column["name"] == "cars"] == ["range"], columns


finish()
