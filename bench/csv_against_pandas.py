#!/usr/bin/env python3
"""Reads one large numeric CSV file alternately with puad and with pandas.read_csv, each in a separate process, and prints
times, their ratio and the peak memory of both.

usage: bench/csv_against_pandas.py [--puad build/puad] [--bytes 1000000000] [--rounds 3] [--file FILE] [--json]

The file has 20 columns of numbers as NumPy prints them (15 to 17 digits) and is deleted afterwards. Two ways
of puad are timed: `load` is puad_dataset_open through the shared library (parsed, types decided, standardized, in memory, ready
for training), and `data` is `puad data --json` (parsed and described, streamed). Both sides read from the page
cache. pandas runs with its default parser, which is fast but not exact in the last digit; puad's is exact.
"""
import argparse, ctypes, json, os, resource, statistics, subprocess, sys, tempfile, time

PANDAS = """
import pandas, time, resource, sys
begin = time.perf_counter()
frame = pandas.read_csv(sys.argv[1])
seconds = time.perf_counter() - begin
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(frame))
"""

LOAD = """
import ctypes, time, resource, sys
library = ctypes.CDLL(sys.argv[2])
library.puad_dataset_count.restype = ctypes.c_size_t
library.puad_dataset_count.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.puad_last_error.restype = ctypes.c_char_p
data = ctypes.c_void_p()
begin = time.perf_counter()
status = library.puad_dataset_open(ctypes.byref(data), sys.argv[1].encode(), None, None)
seconds = time.perf_counter() - begin
assert status == 0, library.puad_last_error()
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sum(library.puad_dataset_count(data, label) for label in (-1, 0, 1)))
"""


def write_file(path, size):
    import numpy
    draw = numpy.random.default_rng(0)
    with open(path, "w") as file:
        file.write(",".join(f"c{i}" for i in range(20)) + "\n")
        block = "\n".join(",".join(map(repr, row)) for row in draw.normal(size=(20000, 20)).tolist()) + "\n"
        while file.tell() < size:
            file.write(block)


def run(command):
    """Seconds, peak memory in KiB and rows of one run in a fresh process; measured inside the process if possible."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{command[0]} failed")
    if out.startswith(b"{"):
        return seconds, usage.ru_maxrss, json.loads(out)["rows"]
    fields = out.split()
    return float(fields[0]), int(fields[1]), int(fields[2])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--puad", default="build/puad")
    options.add_argument("--bytes", type=float, default=1e9)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--file", help="an existing file instead of a generated one")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    library = os.path.join(os.path.dirname(os.path.abspath(given.puad)), "libpuad.so")
    folder = None if given.file else tempfile.TemporaryDirectory()
    path = given.file or os.path.join(folder.name, "numbers.csv")
    if not given.file:
        write_file(path, given.bytes)
    with open(path, "rb") as file:  # both sides read the file from the page cache
        while file.read(1 << 24):
            pass
    sides = {
        "pandas": [sys.executable, "-c", PANDAS, path],
        "load": [sys.executable, "-c", LOAD, path, library],
        "data": [given.puad, "data", path, "--json"],
    }
    runs = {name: [] for name in sides}
    for _ in range(given.rounds):
        for name, command in sides.items():
            runs[name].append(run(command))
    assert len({row[2] for rows in runs.values() for row in rows}) == 1, "the two sides differ in the number of rows"
    baseline_seconds = statistics.median(row[0] for row in runs["pandas"])
    baseline_memory = max(row[1] for row in runs["pandas"])
    result = {"bytes": os.path.getsize(path), "rows": runs["pandas"][0][2], "rounds": given.rounds}
    for name, rows in runs.items():
        seconds, memory = statistics.median(row[0] for row in rows), max(row[1] for row in rows)
        result[name] = {"seconds": seconds, "peak_mib": memory / 1024, "times_faster": baseline_seconds / seconds,
                        "share_of_memory": memory / baseline_memory}
    if given.json:
        print(json.dumps(result))
        return
    print(f"{result['bytes'] / 1e9:.2f} GB, {result['rows']} rows, median of {given.rounds} alternating rounds")
    for name in sides:
        side = result[name]
        print(f"  {name:7} {side['seconds']:7.2f} s  {side['times_faster']:5.1f} x  peak {side['peak_mib']:7.0f} MiB"
              f"  ({side['share_of_memory']:.2f} of pandas)")


main()
