"""The isolation forest has the mean AUROC of scikit-learn's on five real tables, 10 seeds each, within 0.005."""
import os
import subprocess
import sys
import tempfile

import numpy

DATA = os.path.join(os.environ.get("PUAD_DATA", "../shared/data"), "tabular")
TABLES = ["31_satimage-2", "4_breastw", "6_cardio", "28_pendigits", "38_thyroid"]
SEEDS = 10
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

failures = 0
all_differences = []
with tempfile.TemporaryDirectory() as folder:
    raw, output = os.path.join(folder, "x"), os.path.join(folder, "s")
    for table in TABLES:
        with numpy.load(os.path.join(DATA, table + ".npz")) as file:
            values, labels = numpy.ascontiguousarray(file["X"], dtype=numpy.float32), file["y"]
        values.tofile(raw)
        ours, theirs = [], []
        for seed in range(SEEDS):
            subprocess.run([HELPER, raw, *map(str, values.shape), str(seed), "0", output], check=True,
                           stdout=subprocess.DEVNULL)
            ours.append(roc_auc_score(labels, numpy.fromfile(output, dtype=numpy.float32)))
            theirs.append(roc_auc_score(labels, -IsolationForest(random_state=seed).fit(values).score_samples(values)))
        difference = numpy.mean(ours) - numpy.mean(theirs)
        all_differences.append(difference)
        error = numpy.sqrt((numpy.var(ours, ddof=1) + numpy.var(theirs, ddof=1)) / SEEDS)
        # Two means of 10 forests differ by chance; a table fails only where chance does not explain it.
        good = abs(difference) <= max(0.005, 2.5 * error)
        failures += not good
        print(f"{table:16s} ours {numpy.mean(ours):.4f}  scikit-learn {numpy.mean(theirs):.4f}  difference "
              f"{difference:+.4f} (standard error {error:.4f}){'' if good else '  FAILED'}")
mean = numpy.mean(all_differences)
failures += abs(mean) > 0.005
print(f"mean difference over the tables {mean:+.4f}")
print(f"{len(TABLES) + 1 - failures} passed, {failures} failed")
sys.exit(failures > 0)
