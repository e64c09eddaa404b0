"""The file of results of bench/adbench.py: one row per run, always complete on disk, shared by any number of processes."""
import contextlib
import csv
import fcntl
import os

KEY = ("table", "share", "seed", "method")
FEW_LABELS = (*KEY, "rows", "columns", "labels", "hidden", "auroc", "ap", "fit_seconds", "score_seconds", "arguments")
NOVEL = (*KEY, "rows", "columns", "labels", "hidden", "known", "novel", "auroc_known", "auroc_novel", "fit_seconds", "score_seconds",
         "arguments")


def key_of(row):
    return row["table"], float(row["share"]), int(row["seed"]), row["method"]


class Results:
    """Each new row rewrites a copy of the file and replaces it, under a lock of the folder: a killed process loses only its current run,
    and two processes do not lose each other's rows. rows and columns are those of the training part, labels and hidden its labeled and
    hidden anomalies, seconds are wall time, arguments those of puad fit."""

    def __init__(self, path, columns):
        self.path, self.columns = os.path.abspath(path), columns

    def read(self):
        if not os.path.exists(self.path):
            return {}
        with open(self.path, newline="") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames and set(reader.fieldnames) != set(self.columns):
                raise SystemExit(f"{self.path}: its columns are {','.join(reader.fieldnames)}, expected {','.join(self.columns)}")
            return {key_of(row): row for row in reader}

    def add(self, row):
        with self.locked():
            rows = self.read()
            rows[key_of(row)] = row
            part = self.path + ".part"
            with open(part, "w", newline="") as file:
                writer = csv.DictWriter(file, self.columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows[key] for key in sorted(rows))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.path)

    @contextlib.contextmanager
    def locked(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def missing(results, wanted, methods, again=()):
    """The wanted (table, share, seed, method) without a row, or whose method is to be run again. Rows made with other arguments under
    the same name would spoil the means, so they are an error."""
    found = []
    for key in wanted:
        row, arguments = results.get(key), methods[key[3]] or ""
        if row is None or key[3] in again:
            found.append(key)
        elif row["arguments"] != arguments:
            raise SystemExit(f"{key[3]}: has rows made with '{row['arguments']}', not '{arguments}'; give it another name or --again {key[3]}")
    return found
