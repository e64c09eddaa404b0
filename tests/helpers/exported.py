"""Exported models beside the program: a table with every kind of column, what onnxruntime says of rows, and how far that is
from `puad score`."""
import csv
import datetime
import io
import os
import subprocess

import numpy as np

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
SOURCE = os.environ.get("SOURCE", ".")
MISSING = {"", "na", "n/a", "#n/a", "#na", "nan", "-nan", "null", "none", "nil", "\\n", "?", "-", ".",
           "nat", "<na>", "missing"}


def run(*arguments, code=0):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"puad {' '.join(arguments)}: exit {done.returncode}: {done.stderr}"
    return done


def number(text):
    """What a cell of write_table stands for: a plain number, a price, yes or no, or a date in seconds since 1970."""
    if text.lower() in ("yes", "no"):
        return float(text.lower() == "yes")
    if text.strip().lower() in MISSING:
        return float("nan")
    if text.startswith("$"):
        return float(text[1:].replace(",", ""))
    if text[4:5] == "-" and ":" in text:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp()
    try:
        return float(text)
    except ValueError:
        return float("nan")


def columns_of(session, path):
    """What the session takes, from the columns of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    feed = {}
    for entry in session.get_inputs():
        name = entry.name if entry.name in rows[0] else entry.name.removesuffix("_input")
        cells = [row[name].strip() for row in rows]
        values = np.array([number(cell) for cell in cells]) if entry.type == "tensor(double)" else np.array(cells, object)
        feed[entry.name] = values.reshape(-1, 1)
    return feed


def scores_of(model, path):
    text = run("score", model, path, "--threads", "1").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: np.array([number(row[name]) for row in rows]) for name in ("score", "p_value", "probability") if name in rows[0]}


def answers(session, feed):
    return dict(zip((entry.name for entry in session.get_outputs()), session.run(None, feed)))


def largest_difference(ours, theirs):
    """Relative to a score, or to a thousandth of the largest where a score is nearer to 0 than that."""
    least = max(1e-3 * np.abs(ours).max(), 1e-30)
    return float((np.abs(ours - theirs) / np.maximum(np.abs(ours), least)).max())


def write_table(path, rows, seed, odd):
    """Numbers of all sizes, some missing; categories, rare ones among them. With `odd` also cells that training has not seen."""
    draw = np.random.default_rng(seed)
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["amount", "time", "score", "shop", "flag", "small", "constant", "extreme", "when", "price", "label"])
        for i in range(rows):
            anomaly = i % 8 == 0
            amount = f"{draw.normal(300 if anomaly else 50, 15):.3f}"
            shop = draw.choice(["web", "shop", "Straße", "phone"], p=[0.5, 0.3, 0.15, 0.05] if not anomaly else [0.1, 0.1, 0.1, 0.7])
            row = [amount, f"{1.7e9 + draw.integers(0, 10**6)}", f"{draw.normal():.4f}", shop, draw.choice(["yes", "no"]),
                   f"{draw.normal() * 1e-9:.6g}", "7", f"{draw.standard_cauchy() * 10:.4f}",
                   (datetime.datetime(1999, 2, 20) + datetime.timedelta(hours=9.5 * i + 5 * draw.random())).isoformat(" ", "seconds"),
                   f"${draw.integers(900, 9000):,}.50", int(anomaly and i % 16 == 0)]
            if i % 11 == 3:
                row[2] = draw.choice(["", "NA", "NaN", "null", "inf"])
            if i % 13 == 5:
                row[3] = draw.choice(["", "n/A", "?", "Missing"])
            if i % 97 == 0:
                row[3] = draw.choice(["kiosk", "fair"])
            if odd and i % 5 == 2:
                row[0] = draw.choice(["", "1e300", "-4e25", "0", "-inf"])
            if odd and i % 7 == 1:
                row[4] = draw.choice(["maybe", "YES", "", "MISSING"])
            if odd and i % 23 == 4:
                row[3] = draw.choice(["WEB", "market", "NONE", "MISSING"])
            if odd and i % 19 == 4:
                row[8] = draw.choice(["", "1960-12-31 23:59:59", "2400-02-29 00:00:00"])
            if odd and i % 17 == 2:
                row[7] = draw.choice(["1e12", "-1e12", "nan"])
            out.writerow(row)
