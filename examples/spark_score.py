#!/usr/bin/env python3
"""Scores a table with Spark: the model is broadcast, and each task loads it once and scores batches of rows.

usage: spark_score.py MODEL ROWS.csv SCORES       writes the folder SCORES; needs pyspark, pandas, pyarrow, Java and the puad package"""
import pathlib
import sys

import puad
from pyspark.sql import SparkSession
from pyspark.sql.types import FloatType, StructType


def score_table(table, model):
    """The table with a column `score`. `model` is the content of a model file."""
    shared = table.sparkSession.sparkContext.broadcast(model)

    def score_batches(batches):
        detector = puad.loads(shared.value, threads=1)
        for batch in batches:
            yield batch.assign(score=detector.score_samples(batch))

    return table.mapInPandas(score_batches, StructType([*table.schema.fields]).add("score", FloatType()))


if __name__ == "__main__":
    path, rows, out = sys.argv[1:]
    spark = SparkSession.builder.appName("puad").getOrCreate()
    table = spark.read.csv(rows, header=True, inferSchema=True)
    score_table(table, pathlib.Path(path).read_bytes()).write.csv(out, header=True)
    spark.stop()
