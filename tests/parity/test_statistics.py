"""Student's t, the paired t-test, mean and standard deviation are those of scipy and numpy."""
import os
import subprocess

import numpy as np
from scipy import stats

HELPER = os.path.join(os.environ.get("BUILD", "build"), "tests", "helper-statistics")


def main():
    rng = np.random.default_rng(1)
    questions, expected = [], []

    def ask(question, *answer):
        questions.append(question)
        expected.append(answer)

    for degrees in (1, 2, 3, 4.5, 9, 39, 44, 100, 999):
        for t in (0, 1e-9, 1e-3, 0.3, 1, 1.96, 2.776, 5, 12.7, 40, 1e3, -0.5, -3, -60):
            ask(f"t {t!r} {degrees!r}", 2 * stats.t.sf(abs(t), degrees))
    for count in (2, 3, 5, 45, 1000):
        for shift in (0, 0.01, 0.5, -2):
            first = rng.uniform(0.5, 1, count)
            second = first + 0.1 * rng.normal(size=count) - shift
            result = stats.ttest_rel(first, second)
            numbers = " ".join(repr(float(x)) for x in [*first, *second])
            ask(f"paired {count} {numbers}", result.statistic, result.pvalue)
            text = " ".join(repr(float(x)) for x in first)
            ask(f"spread {count} {text}", first.mean(), first.std(ddof=1))
    out = subprocess.run([HELPER], input="\n".join(questions), capture_output=True, text=True, check=True).stdout
    got = [tuple(float(x) for x in line.split()) for line in out.splitlines()]
    assert len(got) == len(expected)
    for question, mine, theirs in zip(questions, got, expected):
        for a, b in zip(mine, theirs):
            assert abs(a - b) <= 1e-10 * abs(b) + 1e-300, (question[:60], mine, theirs)
    print(f"{len(got)} passed, 0 failed")


main()
