"""AUROC, average precision, TPR at FPR and the ROC points are those of scikit-learn."""
import os
import subprocess
import sys

import numpy as np

try:
    from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
except ImportError:
    print("skipped: scikit-learn is not installed")
    sys.exit(77)

HELPER = os.path.join(os.environ.get("BUILD", "build"), "tests", "helper-metrics")


def ask(scores, truth, *arguments):
    text = "".join(f"{s!r} {t}\n" for s, t in zip(scores.astype(np.float64).tolist(), truth.tolist()))
    out = subprocess.run([HELPER, *arguments], input=text, capture_output=True, text=True, check=True).stdout
    return np.array([[float(x) for x in line.split()] for line in out.splitlines()])


def cases(rng):
    for rows in (2, 3, 10, 101, 2000, 60000):
        truth = (rng.random(rows) < 0.2).astype(int)
        truth[0], truth[1] = 0, 1
        yield "smooth", rng.normal(size=rows) + truth, truth
        yield "tied", np.round(2 * rng.normal(size=rows) + truth), truth
        yield "all equal", np.zeros(rows), truth
        yield "signed zeros", np.where(rng.random(rows) < 0.5, -0.0, 0.0) + (rng.random(rows) < 0.1), truth
        yield "perfect", truth - 0.5, truth
        yield "reversed", 1e30 * (0.5 - truth), truth
        yield "tiny", 1e-42 * rng.integers(-5, 5, rows), truth
        yield "with labeled normals", rng.exponential(size=rows) ** 9, np.where(truth == 1, 1, -(np.arange(rows) % 2))


def main():
    rng = np.random.default_rng(0)
    fprs = [0.0, 0.01, 0.05, 0.5, 1.0]
    checked = 0
    for name, scores, labels in cases(rng):
        scores = scores.astype(np.float32)
        truth = (labels == 1).astype(int)
        got = ask(scores, labels, *map(str, fprs))[0]
        fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
        expected = [roc_auc_score(truth, scores), average_precision_score(truth, scores)]
        expected += [tpr[fpr <= f].max() for f in fprs]
        assert np.abs(got - expected).max() <= 1e-12, (name, len(scores), got, expected)
        points = ask(scores, labels, "curve")
        assert points.shape == (len(fpr), 3), (name, points.shape, len(fpr))
        assert np.abs(points[:, 0] - fpr).max() <= 1e-15 and np.abs(points[:, 1] - tpr).max() <= 1e-15, name
        assert np.array_equal(points[1:, 2].astype(np.float32), np.unique(scores + np.float32(0))[::-1]), name
        checked += 1
    print(f"{checked} passed, 0 failed")


main()
