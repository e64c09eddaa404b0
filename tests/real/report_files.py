"""Real data as people have them, for puad report: tables with text, dates and missing cells, and folders of pictures.

    python3 tests/real/report_files.py DATA FOLDER

pump.csv and pump_new.csv      SKAB: a water circuit, one row a second; semicolons, dates, the run as text
servers.csv, servers_new.csv   NAB: load of cloud servers, the series as text, times as Americans write them
bank.csv and bank_new.csv      ADBench campaign: the one-hot columns are texts again, some cells are empty
donors.csv                     ADBench donors: 100,000 rows with yes and no, dates and empty cells
lungs/ and lungs_new/          PneumoniaMNIST as PNG, labels by folder

Cells are emptied and labels taken away by a fixed seed; nothing else is made up but the donors' dates."""
import csv
import datetime
import glob
import json
import os
import sys

import numpy

GROUPS = {"job": (1, 13), "marital": (13, 17), "education": (17, 25), "credit": (25, 28), "housing": (28, 31), "loan": (31, 34),
          "month": (36, 46), "weekday": (45, 50), "outcome": (54, 57)}
NUMBERS = {"age": 0, "duration": 50, "calls": 51, "days_since": 52, "previous": 53, "employment": 57, "prices": 58, "confidence": 59,
           "euribor": 60, "employees": 61}
draws = numpy.random.default_rng(0)


def write(path, heads, rows, delimiter=","):
    with open(path, "w", newline="") as file:
        to = csv.writer(file, delimiter=delimiter)
        to.writerow(heads)
        to.writerows(rows)


def divide(to, name, heads, rows, truth, known, word, delimiter=","):
    """Two files: to train on, with a share of the anomalies known, and the rows behind, without labels."""
    half = len(rows) * 2 // 3
    label = [word if anomaly and draws.random() < known else "" for anomaly in truth]
    write(os.path.join(to, name + ".csv"), heads + ["label"], [row + [label[i]] for i, row in enumerate(rows[:half])], delimiter)
    write(os.path.join(to, name + "_new.csv"), heads, rows[half:], delimiter)


def emptied(rows, columns, share):
    for row in rows:
        for column in columns:
            if draws.random() < share:
                row[column] = ""
    return rows


def pump(data, to):
    heads, rows, truth = None, [], []
    for path in sorted(glob.glob(os.path.join(data, "timeseries/skab/valve1/*.csv")))[:12]:
        run = "valve 1, run " + os.path.basename(path)[:-4]
        with open(path) as file:
            for row in csv.DictReader(file, delimiter=";"):
                names = [name for name in row if name not in ("anomaly", "changepoint")]
                heads = ["run"] + names
                rows.append([run] + [row[name] for name in names])
                truth.append(float(row["anomaly"]) > 0)
    order = draws.permutation(len(rows))
    divide(to, "pump", heads, emptied([rows[i] for i in order], (4, 6), 0.04), [truth[i] for i in order], 0.1, "fault", ";")


def servers(data, to):
    folder, rows, truth = os.path.join(data, "timeseries/nab/data"), [], []
    with open(os.path.join(data, "timeseries/nab/combined_windows.json")) as file:
        windows = json.load(file)
    for path in sorted(glob.glob(folder + "/realAWSCloudwatch/*.csv"))[:8]:
        last = None
        with open(path) as file:
            for row in csv.DictReader(file):
                at, value = datetime.datetime.fromisoformat(row["timestamp"]), float(row["value"])
                rows.append([os.path.basename(path)[:-4], at.strftime("%m/%d/%Y %I:%M %p"), f"{value:.4g}", f"{value - (last or value):.4g}"])
                truth.append(any(a[:19] <= row["timestamp"] <= b[:19] for a, b in windows[os.path.relpath(path, folder)]))
                last = value
    order = draws.permutation(len(rows))
    divide(to, "servers", ["series", "time", "load", "change"], emptied([rows[i] for i in order], (3,), 0.05), [truth[i] for i in order], 0.05, "alarm")


def bank(data, to):
    file = numpy.load(os.path.join(data, "tabular/5_campaign.npz"))
    order = draws.permutation(len(file["X"]))[:12000]
    rows = []
    for cells in file["X"][order]:
        texts = [f"{name} {1 + int(cells[a:b].argmax())}" for name, (a, b) in GROUPS.items()]
        rows.append([f"{cells[place]:.4f}" for place in NUMBERS.values()] + texts)
    divide(to, "bank", list(NUMBERS) + list(GROUPS), emptied(rows, (0, 10, 12), 0.05), file["y"][order] == 1, 0.05, "yes")


def donors(data, to, count=100000):
    file = numpy.load(os.path.join(data, "adbench/11_donors.npz"))
    order = draws.permutation(len(file["X"]))[:count]
    first, rows = datetime.datetime(2012, 1, 1), []
    for cells in file["X"][order]:
        at = first + datetime.timedelta(minutes=int(draws.integers(0, 1000000)))
        rows.append([f"P{draws.integers(0, 10**9)}", at.isoformat(" ", "minutes")] + ["yes" if c else "no" for c in cells[:7]] +
                    [f"{c:.4f}" for c in cells[7:]])
    emptied(rows, (4, 9), 0.03)
    truth = file["y"][order] == 1
    heads = ["project", "posted"] + [f"q{i}" for i in range(1, 8)] + ["chat", "photo", "cost"]
    label = ["exciting" if anomaly and draws.random() < 0.05 else "" for anomaly in truth]
    write(os.path.join(to, "donors.csv"), heads + ["label"], [row + [label[i]] for i, row in enumerate(rows)])


def lungs(data, to):
    from PIL import Image
    file = numpy.load(os.path.join(data, "medmnist/pneumoniamnist.npz"))
    normal, ill = (numpy.flatnonzero(file["train_labels"][:, 0] == k) for k in (0, 1))
    parts = {"lungs/unlabeled": list(normal[:1000]) + list(ill[:100]), "lungs/ill": list(ill[100:160]),
             "lungs_new": list(normal[1000:1150]) + list(ill[200:250])}
    for part, rows in parts.items():
        os.makedirs(os.path.join(to, part), exist_ok=True)
        for row in rows:
            Image.fromarray(file["train_images"][row]).save(os.path.join(to, part, f"{row:05d}.png"))


def make(data, to):
    for each in (pump, servers, bank, donors, lungs):
        each(data, to)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    make(sys.argv[1], sys.argv[2])
