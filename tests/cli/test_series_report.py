#!/usr/bin/env python3
"""puad report of a time series: the series drawn, flagged intervals shaded and listed, groups apart; and the slider moves both."""
import csv, json, math, os, random, re, subprocess, sys, tempfile
from datetime import datetime, timedelta

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import browser
from checks import finish, skip, test

PUAD = os.path.abspath(os.environ["PUAD"])
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
HOSTILE = "<b>run & one</b>"


def puad(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments, "--threads", "1"], capture_output=True, text=True)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def write(name, runs, rows=1200, columns=2):
    draw = random.Random(name)
    with open(name, "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["when", *(f"c{i}" for i in range(columns)), "run", "fault"])
        for run in runs:
            for i in range(rows):
                when = datetime(2024, 3, 1) + timedelta(minutes=i + (600 if i >= 900 else 0))  # a gap
                fault = 300 <= i < 330 or 700 <= i < 730
                to.writerow([when, f"{(.9 if fault else math.sin(i / 5)) + draw.gauss(0, .05):.4f}",
                             *(f"{math.cos(i / 9 + c) + draw.gauss(0, .05):.4f}" for c in range(1, columns)), run, int(fault)])


write("train.csv", ["a", "b"])
write("new.csv", [HOSTILE, "calm"])
FIT = "--time-column", "when", "--series-column", "run", "--window", "32", "--label-column", "fault", "-q"
puad("report", "train.csv", "new.csv", *FIT, "--threshold", "20", "-o", "new.html", "--save-model", "m.st")
with open("new.html") as file:
    page = file.read()
data = json.loads(re.search(r'id="report">(.*?)</script>', page, re.S)[1])


@test
def faults_are_intervals_with_their_time_their_group_and_their_reason():
    assert HOSTILE not in page and "&lt;b&gt;run &amp; one&lt;/b&gt;" in page
    table = re.search(r'<table id="top">.*?</table>', page, re.S).group(0)
    for begin in "2024-03-01 04:", "2024-03-01 11:":
        assert begin in table, table
    assert "c0 level=0." in table and "largest score" in table and ">run<" in table
    assert page.count('<div class="strand"') >= 4  # two groups, and a picture of each interval listed first
    assert data["kind"] == "series" and data["model"]["window"] == 32 and data["groups"] == []


@test
def every_shaded_band_lies_in_the_picture_and_has_the_score_that_flags_it():
    bands = re.findall(r'<rect class="hit( flagged)?" x="([0-9.]+)" y="0" width="([0-9.]+)" height="[0-9]+"(?: data-score="([^"]+)")?', page)
    assert len(bands) > 20
    for flagged, x, width, score in bands:
        assert 64 <= float(x) and float(x) + float(width) <= 985.5, (x, width)
    threshold = data["thresholds"][data["suggested"]]["threshold"]
    for flagged, _, _, score in bands:
        if score:
            assert (float(score) >= threshold - 1e-6 * abs(threshold)) == bool(flagged), (score, threshold)


@test
def the_same_from_a_model_and_of_the_rows_trained_on():
    puad("report", "--model", "m.st", "new.csv", "--threshold", "20", "-q", "-o", "again.html")
    with open("again.html") as file:
        again = file.read()
    assert re.search(r'<table id="top">.*?</table>', again, re.S).group(0) == re.search(r'<table id="top">.*?</table>', page, re.S).group(0)
    puad("score", "m.st", "new.csv", "-q", "-o", "scores.csv", "--html", "scored.html")
    assert "Flagged intervals" in open("scored.html").read()
    puad("report", "train.csv", *FIT, "-o", "own.html")
    own = open("own.html").read()
    assert "labeled anomalies" in own and len(re.findall(r'class="labeled"', own)) >= 4


@test
def many_rows_are_thinned_and_many_columns_chosen():
    write("long.csv", ["x"], rows=30000, columns=12)
    puad("report", "--model", "m.st", "long.csv", "-q", "-o", "thin.html")
    assert os.path.getsize("thin.html") < 1e6
    write("wide.csv", ["x"], columns=12)
    puad("report", "wide.csv", *FIT, "-o", "wide.html")
    wide = open("wide.html").read()
    assert "8 of 12 columns" in wide and '>c0</text>' in wide


@test
def times_may_be_numbers_or_missing():
    puad("report", "train.csv", "--ignore", "when", "--ignore", "run", "--window", "32", "--label-column", "fault", "-q", "-o", "plain.html")
    assert re.search(r"<td>row \d+</td><td>row \d+</td>", open("plain.html").read())


@test
def in_a_browser_the_slider_moves_the_shading_without_errors():
    if not browser.program():
        skip("no Chromium here (apt-get install chromium)")
    with browser.Browser() as on:
        on.open("new.html")
        count = "document.querySelectorAll('.hit.flagged').length"
        before, level = on.run(count), on.run("document.querySelector('.level').getAttribute('transform')")
        on.run("document.getElementById('threshold').value = data.scores.from; document.getElementById('threshold').dispatchEvent(new Event('input'))")
        assert on.run(count) > before and on.run("document.querySelector('.level').getAttribute('transform')") != level
        for width in 1280, 390:
            on.look(width, 900, mobile=width < 500)
            assert on.run("document.documentElement.scrollWidth") <= width
        assert on.messages == [], on.messages


finish()
