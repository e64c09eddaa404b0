"""The default of time series on real data: VUS-PR on TSB-AD's series without labels and with two labeled intervals, AUROC and average precision on NAB
with and without labels, AUROC and F1 on SKAB with three labeled faults, and the speed of a fit and of a stream."""
import csv
import os
import subprocess
import sys
import tempfile
import time

SOURCE, PUAD = os.environ.get("SOURCE", "."), os.environ.get("PUAD", "build/puad")
DATA = os.path.join(os.environ.get("PUAD_DATA", "../shared/data"), "timeseries")
if not os.path.isdir(os.path.join(DATA, "tsb_ad")):
    print(f"skipped: no series in {DATA}")
    sys.exit(77)
try:
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

failures = 0


def expect(what, value, least):
    global failures
    failures += not value >= least
    print(f"{what}: {value:.3f}, at least {least:.3f}" + ("" if value >= least else "  FAILED"), flush=True)


with tempfile.TemporaryDirectory() as folder:
    def measure(*options):
        out = os.path.join(folder, "series.csv")
        subprocess.run([sys.executable, os.path.join(SOURCE, "bench", "series.py"), "--puad", PUAD, "--data", DATA, "--threads", "2", "--out", out, *options],
                       check=True, stdout=subprocess.DEVNULL)
        with open(out) as file:
            return list(csv.DictReader(file))

    for row in measure("--sets", "skab", "--methods", "default"):
        if row["series"] == "valve1":  # the labeled kind
            all_flagged = 2 * int(row["anomalies"]) / (int(row["rows"]) + int(row["anomalies"]))
            expect("SKAB AUROC", float(row["auroc"]), 0.8)
            expect("SKAB F1 at the threshold of operate", float(row["f1_operate"]), all_flagged)
    rows = measure("--sets", "tsb_ad,nab", "--intervals", "0,2", "--buffers", "12")
    mean = lambda name, method, kind: float(numpy.mean([float(row[kind]) for row in rows if row["set"].endswith(name) and row["method"] == method]))
    expect("VUS-PR, all series", mean("0 intervals", "default", "vus_pr"), 0.42)
    expect("VUS-PR, judged half", mean("judge 0 intervals", "default", "vus_pr"), 0.407)
    expect("VUS-PR, two labeled intervals", mean("2 intervals", "default", "vus_pr"), mean("2 intervals", "default unlabeled", "vus_pr"))
    expect("NAB AUROC", mean("all rows", "default unlabeled", "auroc"), 0.63)
    expect("NAB average precision", mean("all rows", "default unlabeled", "average_precision"), 0.22)
    for kind in "auroc", "average_precision":
        expect(f"NAB {kind} with labels", mean("outside labels", "default", kind), mean("outside labels", "default unlabeled", kind) - 1e-4)

    values, model = os.path.join(folder, "big.csv"), os.path.join(folder, "m.safetensors")
    steps = numpy.arange(20000)
    table = numpy.column_stack([numpy.sin(steps * 2 * numpy.pi / (40 + c)) for c in range(25)]) + numpy.random.default_rng(0).normal(0, .1, (20000, 25))
    numpy.savetxt(values, table, delimiter=",", fmt="%.5f", header=",".join(f"c{c}" for c in range(25)), comments="")
    begin = time.monotonic()
    subprocess.run([PUAD, "fit", values, "--window", "0", "--threads", "2", "--quiet", "-o", model], check=True)
    expect("fits in 20 s", 20 / (time.monotonic() - begin), 1)
    begin = time.monotonic()
    with open(values) as file:
        subprocess.run([PUAD, "score", model, "-", "--quiet"], stdin=file, check=True, stdout=subprocess.DEVNULL)
    expect("rows per second of a stream / 20000", 1 / (time.monotonic() - begin), 1)
sys.exit(failures > 0)
