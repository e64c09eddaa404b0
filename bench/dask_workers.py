#!/usr/bin/env python3
"""Seconds to draw the sample of a fit and to score, by examples/dask_table.py on a local cluster of one and of two workers; interleaved rounds.

    bench/dask_workers.py [--rows 2000000] [--rounds 3]

The table is that of bench/large_tables.py in 16 CSV files. From T(1) and T(2) follow a part that does not depend on the workers, 2 T(2) - T(1), and a part
that they divide, 2 T(1) - 2 T(2); the expected times are the former plus the latter divided by the workers.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "examples"))
FILES = 16


def main():
    import dask.dataframe as dd
    import dask_table
    import puad
    from dask.distributed import Client

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--sample", type=int, default=100_000, help="rows of each label in the sample")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    seconds = {(task, workers): [] for task in ("sample", "score") for workers in (1, 2)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "0.csv")
        with open(path, "wb") as file:
            subprocess.run([sys.executable, os.path.join(HERE, "large_tables.py"), "--generate", str(given.rows // FILES)], stdout=file, check=True)
        for i in range(1, FILES):
            os.link(path, os.path.join(folder, f"{i}.csv"))
        model = os.path.join(folder, "m.safetensors")
        table = dd.read_csv(os.path.join(folder, "*.csv"), blocksize=None)
        for _ in range(given.rounds):
            for workers in (1, 2):
                with Client(n_workers=workers, threads_per_worker=1, dashboard_address=None) as client:
                    client.run(lambda: __import__("dask_table") and None)  # imports are not measured
                    begin = time.perf_counter()
                    sample = dask_table.sample(table, "label", given.sample)
                    seconds["sample", workers].append(time.perf_counter() - begin)
                    if not os.path.exists(model):
                        begin = time.perf_counter()
                        puad.Detector().fit(sample, "label").save(model)
                        print(f"training on {len(sample)} rows: {time.perf_counter() - begin:.1f} s", flush=True)
                    begin = time.perf_counter()
                    dask_table.score_table(table, model)["score"].max().compute()
                    seconds["score", workers].append(time.perf_counter() - begin)
        for task in ("sample", "score"):
            one, two = min(seconds[task, 1]), min(seconds[task, 2])
            ratios = sorted(a / b for a, b in zip(seconds[task, 1], seconds[task, 2]))
            fixed, divided = max(2 * two - one, 0), 2 * (one - two)
            print(f"{task}: 1 worker {one:.1f} s, 2 workers {two:.1f} s ({one / two:.2f} times; rounds {ratios[0]:.2f} to {ratios[-1]:.2f}), "
                  f"expected: 10 workers {fixed + divided / 10:.1f} s, 100 workers {fixed + divided / 100:.2f} s", flush=True)


if __name__ == "__main__":
    main()
