#!/usr/bin/env python3
"""Scores a long CSV file with joblib: the parent reads it in pieces; worker processes load the model once each and score them.

usage: score_joblib.py MODEL ROWS.csv SCORES.csv [WORKERS]       needs joblib, pandas and the puad package"""
import sys

import joblib
import numpy as np
import pandas as pd
import puad


def score(part, path):
    return puad.load_once(path).score_samples(part)  # loaded once in each worker process


def score_pieces(pieces, path, workers=2):
    """The scores of all pieces, in order; only a few pieces are in memory at a time."""
    run = joblib.Parallel(n_jobs=workers, pre_dispatch=2 * workers, return_as="generator")
    return np.concatenate(list(run(joblib.delayed(score)(piece, path) for piece in pieces)))


if __name__ == "__main__":
    model_path, rows, out = sys.argv[1:4]
    pieces = pd.read_csv(rows, chunksize=100_000)
    scores = score_pieces(pieces, model_path, int(sys.argv[4]) if len(sys.argv) > 4 else 2)
    pd.DataFrame({"score": scores}).to_csv(out, index=False)
