#!/usr/bin/env python3
"""puad data on real tables: the ADBench arrays (rows, columns, anomalies as published) and the NAB time series."""
import csv, json, os, subprocess, sys

PUAD, DATA = os.environ["PUAD"], os.environ.get("PUAD_DATA", "../shared/data")
TABLES = {"2_annthyroid": (7200, 6, 534), "4_breastw": (683, 9, 239), "5_campaign": (41188, 62, 4640), "6_cardio": (1831, 21, 176),
          "7_Cardiotocography": (2114, 21, 466), "12_fault": (1941, 27, 673), "20_letter": (1600, 32, 100),
          "28_pendigits": (6870, 16, 156), "30_satellite": (6435, 36, 2036), "31_satimage-2": (5803, 36, 71),
          "38_thyroid": (3772, 6, 93), "41_Waveform": (3443, 21, 100)}
SERIES = os.path.join(DATA, "timeseries/nab/realKnownCause")
if not os.path.isdir(os.path.join(DATA, "tabular")) or not os.path.isdir(SERIES):
    print(f"skipped: no tables in {DATA}")
    sys.exit(77)


def data(*arguments):
    return json.loads(subprocess.run([PUAD, "data", *arguments, "--json"], check=True, capture_output=True).stdout)


failed = 0
for name, (rows, columns, anomalies) in TABLES.items():
    found = data(os.path.join(DATA, "tabular", name + ".npz"))
    if (found["shape"], found["labels"]["anomaly"], found["missing"]) != ([rows, columns], anomalies, 0):
        failed += 1
        print(f"FAILED {name}: {found['shape']}, {found['labels']}")
series = sorted(os.listdir(SERIES))
for name in series:
    with open(os.path.join(SERIES, name)) as file:
        values = [float(row["value"]) for row in csv.DictReader(file)]
    found = data(os.path.join(SERIES, name))
    value = found["columns"][1]
    if (found["rows"], value["min"], value["max"], found["columns"][0]["type"]) != (len(values), min(values), max(values), "category"):
        failed += 1
        print(f"FAILED {name}")
total = len(TABLES) + len(series)
print(f"{total - failed} passed, {failed} failed")
sys.exit(failed > 0)
