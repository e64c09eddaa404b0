"""The isolation forest has the mean AUROC of scikit-learn's within 0.005: on five real tables over 10 seeds each, and on three where single forests
differ by so much (standard deviation over 0.01) that 10 do not tell, over 80."""
import os
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish

DATA = os.path.join(os.environ.get("PUAD_DATA", "../shared/data"), "tabular")
SEEDS = {"31_satimage-2": 10, "4_breastw": 10, "38_thyroid": 10, "20_letter": 10, "12_fault": 10,
         "28_pendigits": 80, "6_cardio": 80, "30_satellite": 80}
TOLERANCE = 0.005  # of the mean AUROC
HELPER = os.path.join(os.environ.get("BUILD", "build"), "tests", "helper-forest")

if not os.path.isdir(DATA):
    print(f"skipped: no tables in {DATA}")
    sys.exit(77)
try:
    from sklearn.ensemble import IsolationForest
    from sklearn.metrics import roc_auc_score
except ImportError:
    print("skipped: no scikit-learn")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    raw, output = os.path.join(folder, "x"), os.path.join(folder, "s")
    for table, seeds in SEEDS.items():
        with numpy.load(os.path.join(DATA, table + ".npz")) as file:
            values, labels = numpy.ascontiguousarray(file["X"], dtype=numpy.float32), file["y"]
        values.tofile(raw)
        ours, theirs = [], []
        for seed in range(seeds):
            subprocess.run([HELPER, raw, *map(str, values.shape), str(seed), "0", output], check=True,
                           stdout=subprocess.DEVNULL)
            ours.append(roc_auc_score(labels, numpy.fromfile(output, dtype=numpy.float32)))
            theirs.append(roc_auc_score(labels, -IsolationForest(random_state=seed).fit(values).score_samples(values)))
        difference = numpy.mean(ours) - numpy.mean(theirs)
        error = numpy.sqrt((numpy.var(ours, ddof=1) + numpy.var(theirs, ddof=1)) / seeds)
        print(f"{table:16s} {seeds} seeds: ours {numpy.mean(ours):.4f}  scikit-learn {numpy.mean(theirs):.4f}  difference "
              f"{difference:+.4f} (standard error {error:.4f})")
        check(abs(difference) <= TOLERANCE, f"{table}: the mean AUROC is within {TOLERANCE} of that of scikit-learn")
finish()
