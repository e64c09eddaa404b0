"""Rows used by several tests: payments, of which one in ten is odd and every other odd one is known."""
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

import puad


def payments(rows=800, seed=0):
    generator = np.random.default_rng(seed)
    odd = np.arange(rows) % 10 == 0
    frame = pd.DataFrame(
        {
            "amount": generator.normal(20, 5, rows) + 40 * odd,
            "hour": generator.integers(0, 24, rows),
            "country": np.where(odd | (generator.random(rows) < 0.1), "abroad", "home"),
            "code": [f"{i % 5:03d}" for i in range(rows)],  # numbers as strings, as in a CSV file
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(rows) // 10 % 4, unit="D"),
            "card": generator.random(rows) < 0.5,
            "kind": pd.Categorical(np.where(np.arange(rows) % 3, "a", "b")),
        }
    )
    frame.loc[frame.index % 17 == 0, "amount"] = np.nan
    frame.loc[frame.index % 13 == 0, "country"] = None
    y = (odd & (generator.random(rows) < 0.5)).astype(float)
    return frame, y, odd.astype(int)


def numbers(rows=600, columns=4, seed=0):
    """Two clouds of numbers: X, y (half of the anomalies are known) and the truth."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(rows, columns))
    truth = (np.arange(rows) % 10 == 0).astype(int)
    X[truth == 1] += 3
    return X, truth * (np.arange(rows) % 20 == 0), truth


def program(*words, **options):
    """Runs the program and returns its standard output."""
    done = subprocess.run([os.environ["PUAD"], *map(str, words)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def program_scores(model, path):
    lines = program("score", model, path, "--quiet").splitlines()
    assert lines[0].startswith("row,score")
    return np.array([line.split(",")[1] for line in lines[1:]], np.float32)


@pytest.fixture(scope="session")
def calibrated():
    frame, y, truth = payments(2000)
    return puad.Detector(calibrate=0.3, alpha=0.05, seed=2).fit(frame, y), frame, y, truth
