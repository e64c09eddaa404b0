#!/usr/bin/env python3
"""Derived columns (option --derive): which are added, what they hold, and that they find what no column shows alone."""
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


def path(name):
    return os.path.join(folder.name, name)


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"puad {' '.join(arguments)}: exit {done.returncode}: {done.stderr}"
    return done


def write(name, header, rows):
    with open(path(name), "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path(name)


def fit(name, *options):
    """The transform of a model that is fitted on the file."""
    puad("fit", path(name), "-q", "--label-column", "known", "--force", "-o", path("m.safetensors"), *options)
    return json.loads(puad("inspect", path("m.safetensors"), "--json").stdout)["table"]


def derived(table):
    return [column["name"] for column in table.get("derived", [])]


def scores(name, *options):
    rows = csv.DictReader(puad("score", path("m.safetensors"), path(name), "-q", *options).stdout.splitlines())
    return np.array([float(row["score"]) for row in rows])


def precision(ranked):
    hits = TRUTH[np.argsort(-ranked, kind="stable")]
    return (np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean()


RNG = np.random.default_rng(5)
COUNT = 4000
TRUTH = RNG.random(COUNT) < 0.04
KNOWN = TRUTH & (RNG.random(COUNT) < 0.3)
PRODUCT, QUANTITY = RNG.integers(0, 50, COUNT), RNG.integers(1, 200, COUNT)
PRICE = np.exp(RNG.normal(3, 1.2, 50))[PRODUCT] * np.exp(RNG.normal(0, 0.1, COUNT)) * np.where(TRUTH, 3, 1)
SHOP = np.where(TRUTH & (RNG.random(COUNT) < 0.8), 900 + RNG.integers(0, 5, COUNT), RNG.integers(1000, 4000, COUNT))
SALES = [[f"p{p}", q, f"{q * v:.2f}"] for p, q, v in zip(PRODUCT, QUANTITY, PRICE)]
write("sales.csv", ["product", "quantity", "value", "known"], [[*row, int(k)] for row, k in zip(SALES, KNOWN)])


@test
def a_unit_price_far_from_that_of_its_product_is_found():
    fit("sales.csv", "--derive", "no")
    without = precision(scores("sales.csv"))
    table = fit("sales.csv")
    assert "value / quantity by product" in derived(table), derived(table)
    assert precision(scores("sales.csv")) > without + 0.4
    reasons = puad("score", path("m.safetensors"), path("sales.csv"), "-q", "--explain", "3").stdout
    assert "value / quantity is 3" in reasons


@test
def the_medians_are_those_of_the_training_rows():
    table = fit("sales.csv", "--derive", "value by product, count of product")
    assert derived(table) == ["value by product", "count of product"], derived(table)
    by, groups = table["derived"][0], table["groups"][0]
    for text, median, count in zip(groups["texts"], by["medians"], groups["counts"]):
        own = sorted(float(row[2]) for row in SALES if row[0] == text)
        assert len(own) == count and abs(own[len(own) // 2] - median) < 1e-4 * median, (text, median)


@test
def a_row_scores_the_same_alone_in_a_block_and_with_any_number_of_threads():
    fit("sales.csv", "--threads", "1")
    first = open(path("m.safetensors"), "rb").read()
    together = scores("sales.csv", "--threads", "1")
    assert np.array_equal(together, scores("sales.csv", "--threads", "2"))
    write("one.csv", ["product", "quantity", "value"], SALES[7:8])
    assert scores("one.csv")[0] == together[7]
    one = fit("sales.csv", "--threads", "1")
    two = fit("sales.csv", "--threads", "2")
    assert one == two and len(first) == os.path.getsize(path("m.safetensors"))


@test
def an_unseen_group_has_the_value_of_the_median():
    fit("sales.csv", "--derive", "value by product", "--method", "nearest")
    median = next(float(row[2]) for row in SALES)
    write("new.csv", ["product", "quantity", "value"], [["unheard of", 100, median], ["unheard of", 100, 7 * median], ["", 100, median]])
    assert np.isfinite(scores("new.csv")).all()


@test
def identifying_numbers_are_counted_and_not_measured():
    write("shops.csv", ["row_id", "shop_id", "amount", "known"],
          [[i + 1, s, f"{a:.1f}", int(k)] for i, (s, a, k) in enumerate(zip(SHOP, RNG.normal(10, 3, COUNT), KNOWN))])
    table = fit("shops.csv")
    columns = {column["name"]: column for column in table["columns"]}
    assert columns["shop_id"]["type"] == "category" and columns["shop_id"]["categories"] == [], columns["shop_id"]
    assert columns["row_id"]["type"] == "dropped"
    assert derived(table) == ["count of shop_id"], derived(table)
    assert precision(scores("shops.csv")) > 0.6
    assert fit("shops.csv", "--numeric", "shop_id")["columns"][1]["type"] == "number"


@test
def dates_of_birth_are_ages_and_two_dates_a_time():
    days = np.datetime64("2024-01-01") + RNG.integers(0, 100, COUNT).astype("timedelta64[D]")
    born = np.datetime64("1950-01-01") + RNG.integers(0, 20000, COUNT).astype("timedelta64[D]")
    seconds = np.where(TRUTH, 30, RNG.integers(10**5, 10**6, COUNT))
    rows = [[d, np.datetime64(d, "s") + np.timedelta64(int(s), "s"), b, int(k)] for d, s, b, k in zip(days, seconds, born, KNOWN)]
    write("dates.csv", ["opened", "paid", "date_of_birth", "known"], rows)
    table = fit("dates.csv")
    parts = [column["part"] for column in table["columns"] if column["source"] == "date_of_birth" and column["type"] == "number"]
    assert parts == ["date"], parts
    assert "paid - opened" in derived(table), derived(table)
    assert precision(scores("dates.csv")) > 0.9


@test
def a_leak_that_only_a_derived_column_shows_is_named_by_its_input():
    ordered = np.datetime64("2024-01-01T00:00:00") + RNG.integers(0, 10**7, COUNT).astype("timedelta64[s]")
    for leaking in (KNOWN, TRUTH):  # times that follow the label; times that hidden anomalies share
        seconds = np.where(leaking, RNG.integers(1, 60, COUNT), RNG.integers(10**5, 10**6, COUNT))
        write("leak.csv", ["ordered", "closed", "amount", "known"],
              [[o, o + np.timedelta64(int(s), "s"), f"{a:.2f}", int(k)] for o, s, a, k in zip(ordered, seconds, RNG.normal(10, 3, COUNT), KNOWN)])
        done = puad("fit", path("leak.csv"), "-q", "--json", "--label-column", "known", "--force", "-o", path("m.safetensors"))
        warned = [(w["name"], w["column"]) for w in json.loads(done.stdout)["warnings"]]
        assert warned == ([("leaking_derived", "closed")] if leaking is KNOWN else []), warned


@test
def nothing_is_added_without_evidence_or_if_the_user_says_no():
    noise = RNG.normal(size=(COUNT, 3))
    write("noise.csv", ["alpha", "beta", "gamma", "known"], [[*map(float, row), int(k)] for row, k in zip(noise, KNOWN)])
    assert derived(fit("noise.csv")) == []
    assert derived(fit("sales.csv", "--derive", "no")) == []
    np.savez(path("a.npz"), X=np.column_stack([QUANTITY, PRICE]), y=KNOWN.astype(int))
    puad("fit", path("a.npz"), "-q", "--force", "-o", path("m.safetensors"))
    assert "derived" not in json.loads(puad("inspect", path("m.safetensors"), "--json").stdout)["table"]


@test
def columns_without_a_signal_are_rarely_added():
    added = 0
    for seed in range(20):
        rng = np.random.default_rng([3, seed])
        opened = np.datetime64("2024-01-01T00:00:00") + rng.integers(0, 10**7, 1500).astype("timedelta64[s]")
        paid = opened + rng.integers(10**5, 10**6, 1500).astype("timedelta64[s]")
        product, device = rng.integers(0, 40, 1500), np.where(rng.random(1500) < 0.1, rng.integers(0, 40, 1500), rng.integers(100, 9999, 1500))
        price = np.exp(rng.normal(3, 1.2, 40))[product] * np.exp(rng.normal(0, 0.2, 1500))
        known = np.isin(np.arange(1500), rng.choice(1500, 30, replace=False))
        write("noise.csv", ["opened", "paid", "device_id", "product", "price", "known"],
              [[o, p, f"d{d}", f"p{g}", f"{v:.2f}", int(k)] for o, p, d, g, v, k in zip(opened, paid, device, product, price, known)])
        added += bool(derived(fit("noise.csv")))
    assert added <= 3, added  # 5 before the tests were corrected for their number


@test
def an_identifier_is_not_a_category_without_derived_columns_either():
    rows = [[f"c{i % 1500}", float(a), int(k)] for i, (a, k) in enumerate(zip(RNG.normal(10, 3, COUNT), KNOWN))]
    write("ids.csv", ["card_id", "amount", "known"], rows)
    for options in ([], ["--derive", "no"]):
        assert not fit("ids.csv", *options)["columns"][0].get("categories"), options
    assert len(fit("ids.csv", "--derive", "no", "--categorical", "card_id")["columns"][0]["categories"]) == 32


@test
def an_unknown_column_is_rejected():
    for wrong in ("value by nothing", "count of value", "value / product", "half of value"):
        puad("fit", path("sales.csv"), "-q", "--label-column", "known", "--derive", wrong, "-o", path("m2.safetensors"), code=2)
    assert not os.path.exists(path("m2.safetensors"))


finish()
