#!/usr/bin/env python3
"""Writes a Parquet file, or a folder of them, as CSV to standard output, one batch of rows at a time.

usage: parquet_to_csv.py PATH | puad fit - --label-column LABEL -o MODEL       needs pyarrow"""
import sys

import pyarrow.csv
import pyarrow.dataset


def write_csv(path, out):
    table = pyarrow.dataset.dataset(path)
    with pyarrow.csv.CSVWriter(out, table.schema) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)


if __name__ == "__main__":
    write_csv(sys.argv[1], sys.stdout.buffer)
