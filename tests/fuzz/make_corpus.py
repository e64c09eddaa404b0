#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets: FOLDER/NAME/... for fuzz_NAME.c, by other people's writers.

usage: make_corpus.py FOLDER
"""
import csv, gzip, io, json, os, sys

ROOT = sys.argv[1]


def save(target, name, content):
    os.makedirs(os.path.join(ROOT, target), exist_ok=True)
    with open(os.path.join(ROOT, target, name), "wb") as file:
        file.write(content)


def csv_text(rows, **how):
    text = io.StringIO()
    csv.writer(text, **how).writerows(rows)
    return text.getvalue().encode()


def csv_seeds():
    table = [["id", "size", "colour", "label"], ["a", "1.5", "red", "1"], ["b", "-2e3", "with, comma", "0"],
             ["c", "", 'with "quotes"', ""], ["d", "NA", "two\nlines", "-1"], ["e", "17", "red", "0"]]
    number = 0
    for delimiter in ",;\t|":
        for terminator in "\n", "\r\n":
            for first in 0, 4, 8, 16 + 4, 48 + 4:  # the options, see fuzz_csv.c
                text = csv_text(table, delimiter=delimiter, lineterminator=terminator)
                save("csv", f"table{number}", bytes([first]) + text)
                number += 1
    save("csv", "bom", b"\0\xef\xbb\xbf" + csv_text(table))
    save("csv", "latin1", b"\0" + "größe,b\n1,ä\n2,ö\n".encode("latin-1"))
    save("csv", "comma", b"\0" + b"a;b\n1,5;2\n-3,25;4\n")
    save("csv", "bare", b"\0" + b"5.1,3.5,setosa\n4.9,3.0,setosa\n7,3.2,versicolor\n")
    save("csv", "long", b"\4" + b"a,b\n" + b"".join(b"%d,%d.%d\n" % (i, i, i * 7) for i in range(400)))
    save("csv", "gzip", b"\0" + gzip.compress(csv_text(table)))
    save("csv", "digits", b"\4a\n1234567890123456789012345678901234567890\n1e308\n1e-320\n.5\n5.\n0x10\n")


def transform_seeds():
    number = {"name": "size", "type": "number", "indicator": True, "pivot": 5, "factor": 0.5, "mean": 0.1, "sd": 2}
    category = {"name": "colour", "type": "category", "indicator": False, "categories": ["red", "blue"], "rest": True}
    dropped = {"name": "same", "type": "dropped", "reason": "all its values are the same"}
    for i, columns in enumerate([[number], [category], [number, category, dropped]]):
        save("transform", f"table{i}", json.dumps({"kind": "table", "named": True, "columns": columns}).encode())
    save("transform", "image", json.dumps({"kind": "image", "height": 32, "width": 32, "channels": 3, "divisor": 255}).encode())


for name, seeds in sorted(globals().copy().items()):
    if name.endswith("_seeds"):
        seeds()
