#!/usr/bin/env python3
"""Trains on, scores and audits a partitioned table with Dask. Workers draw the sample and score; one process trains on the sample.

usage: dask_table.py fit TRAIN.csv LABEL_COLUMN MODEL [WORKERS]       needs dask[dataframe,distributed] and the puad package
       dask_table.py score MODEL ROWS.csv SCORES.csv [WORKERS]"""
import sys

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import puad

KEY = "__key__"
MERGED = 4  # samples merged by one task


def smallest(rows, label, count):
    """Of each label the `count` rows with the smallest keys, in their order."""
    return rows[rows.groupby(label, dropna=False)[KEY].rank(method="first") <= count]


def sample_part(part, label, count, seed, number):
    """The rows of a partition that can be part of the sample. Their keys depend on the seed and the partition, not on the worker."""
    keys = np.random.default_rng([seed, number]).random(len(part))
    return smallest(part.assign(**{KEY: keys}), label, count)


def merge(samples, label, count):
    return smallest(pd.concat(samples), label, count)


def sample(table, label, count=1_000_000, seed=0):
    """A uniform sample of `count` rows of each label, as `puad fit --max-rows` draws it. Rare labels keep all rows."""
    samples = [dask.delayed(sample_part)(part, label, count, seed, i) for i, part in enumerate(table.to_delayed())]
    while len(samples) > 1:
        samples = [dask.delayed(merge)(samples[i : i + MERGED], label, count) for i in range(0, len(samples), MERGED)]
    return samples[0].compute().drop(columns=KEY)


def fit(table, label, count=1_000_000, seed=0, **settings):
    return puad.Detector(seed=seed, **settings).fit(sample(table, label, count, seed), label)


def score_part(part, path):
    return pd.DataFrame({"score": puad.load_once(path).score_samples(part)}, index=part.index)


def score_table(table, path):
    """A Dask frame of scores with the partitions of `table`. Every worker loads the model once; every partition is one call."""
    return table.map_partitions(score_part, path, meta={"score": "float32"})


def audit(scores, path, checks=30, fdr=0.1, seed=0):
    """Rows for a person to check (docs/howto/audit.md), drawn from all scores: 4 bytes of each row in one process."""
    return puad.load_once(path).audit(scores=scores["score"].to_numpy(), checks=checks, fdr=fdr, seed=seed)


if __name__ == "__main__":
    from dask.distributed import Client

    task, *words = sys.argv[1:]
    with Client(n_workers=int(words[3]) if len(words) > 3 else 2, threads_per_worker=1, dashboard_address=None):
        if task == "fit":
            fit(dd.read_csv(words[0], blocksize="16MB"), words[1]).save(words[2])
        else:
            score_table(dd.read_csv(words[1], blocksize="16MB"), words[0]).to_csv(words[2], single_file=True, index=False)
