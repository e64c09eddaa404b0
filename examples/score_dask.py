#!/usr/bin/env python3
"""Scores a partitioned table with Dask: every worker loads the model once, every partition is one call.

usage: score_dask.py MODEL ROWS.csv SCORES.csv       needs dask[dataframe] and the puad package"""
import sys

import dask.dataframe as dd
import pandas as pd
import puad


def score(part, path):
    return pd.DataFrame({"score": puad.load_once(path).score_samples(part)}, index=part.index)


def score_table(table, path):
    """A Dask frame of scores with the partitions of `table`."""
    return table.map_partitions(score, path, meta={"score": "float32"})


if __name__ == "__main__":
    model_path, rows, out = sys.argv[1:]
    table = dd.read_csv(rows, blocksize="16MB")
    score_table(table, model_path).to_csv(out, single_file=True, index=False, compute_kwargs={"scheduler": "processes"})
