#!/usr/bin/env python3
"""score --explain leaves usual values out and writes weekdays by name; an identifier that fit left out names the rows of the output."""
import csv
import datetime
import io
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
random.seed(3)
ANOMALIES = 60
SUNDAY, DAYS = 6, ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def day_of(anomaly):
    """Weekdays; anomalies are on Sundays."""
    day = datetime.date(2024, 1, 1)
    while (day.weekday() != SUNDAY) if anomaly else (day.weekday() > 4 or day == datetime.date(2024, 1, 1)):
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=random.randrange(700))
    return day


with open(os.path.join(folder.name, "t.csv"), "w") as file:
    file.write("ref,when,sex,amount,label\n")
    for i in range(1500):
        bad = i < ANOMALIES
        file.write(f"R{i:05},{day_of(bad)},{random.choice('MF')},{random.gauss(50, 9) + 40 * bad:.2f},{1 if bad and i % 2 else ''}\n")


def puad(*arguments):
    done = subprocess.run([PUAD, *arguments], cwd=folder.name, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


puad("fit", "t.csv", "--label-column", "label", "-q", "-o", "m.st")
rows = list(csv.DictReader(io.StringIO(puad("score", "m.st", "t.csv", "-n", "20", "--explain", "4", "-q"))))


@test
def usual_values_are_not_reasons():
    for row in rows:
        assert row["reasons"] and "sex=" not in row["reasons"], row
        for value, low, high in re.findall(r"amount=([\d.]+) \(usual ([\d.]+) to ([\d.]+)\)", row["reasons"]):
            assert not float(low) <= float(value) <= float(high), row


@test
def weekdays_have_names():
    days = [found[0] for row in rows if (found := re.findall(r"when \(weekday\)=(\S+) \(usual (\S+) to (\S+)\)", row["reasons"]))]
    assert days and all(day == ("Sun", "Mon", "Fri") for day in days), days


@test
def an_identifier_names_the_rows_unless_another_column_does():
    assert list(rows[0])[:3] == ["row", "score", "ref"] and all(row["ref"] == f"R{int(row['row']):05}" for row in rows)
    other = next(csv.DictReader(io.StringIO(puad("score", "m.st", "t.csv", "-n", "1", "-q", "--id-column", "sex"))))
    assert "ref" not in other and other["sex"] in "MF", other
    with open(os.path.join(folder.name, "t.csv")) as file, open(os.path.join(folder.name, "noref.csv"), "w") as out:
        out.writelines(line.split(",", 1)[1] for line in file)
    assert "ref" not in next(csv.DictReader(io.StringIO(puad("score", "m.st", "noref.csv", "-n", "1", "-q"))))


finish()
