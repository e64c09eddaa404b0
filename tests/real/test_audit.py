#!/usr/bin/env python3
"""Whether audits keep their guarantee on real tables, and what they find.

Half of a table trains, with at most 50 labeled anomalies; the other half is new. An audit of 10, 30 or 100 rows is drawn at random from
the new rows, answered by the truth and given to `score --answers --fdr 0.1`. Only the draw of the audit changes from one draw to the
next, as the guarantee is about that. Three kinds of data:

    random   labels are a random sample of the anomalies
    biased   labels are the anomalies farthest from the median row
    drifted  random labels; the new rows have noise and a shift, and two thirds of their anomalies are taken out

For each table, kind and number of checks the mean false fraction must be at most the rate + 3 standard errors, and the printed 90% limit may be
exceeded in at most as many draws as a binomial variable of probability 0.1 exceeds with probability 0.001. The same holds for the 90%
interval of the fraction of anomalies, by kind and number of checks. Power is the recall of
the flags divided by that of the best threshold: with the same realized false fraction, and with the rate itself. A draw that flags only
checked rows counts 0. Tables where the best threshold finds fewer than 5 anomalies at the rate are left out of it.

The default is a slice that takes a few minutes. PUAD_AUDIT=all (or --all) runs every table with 20 draws. Draws are written to audit.csv in
the build folder, or with --commit to docs/results.

    test_audit.py [--all] [--draws N] [--tables a,b] [--kinds a,b] [--checks 10,30] [--commit] [--report FILE]"""
import argparse
import math
import os
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers")]
from decisions import best_recall
from tables import *

RATE, CONFIDENCE = 0.1, 0.9
CHECKS = (10, 30, 100)
KINDS = ("random", "biased", "drifted")
ROWS_MAX = 12000
POWER_MIN = {10: 0.5, 30: 0.7}  # with the same realized false fraction, random labels, mean over all tables
SLICE = "annthyroid campaign cardio satellite shoppers ai4i2020".split()
COLUMNS = ["version", "table", "kind", "checks", "draw", "rows", "flagged", "false", "limit", "recall", "best_same", "best_rate", "alpha_low", "alpha_high", "alpha_truth"]


def raw_table(name, label):
    with open(os.path.join(DATA, "raw", name + ".csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    truth = numpy.array([row[label] in ("1", "TRUE") for row in rows], int)
    leaks = {label, "TWF", "HDF", "PWF", "OSF", "RNF", "UDI", "Product ID"}  # consequences of the label, identifiers
    columns = []
    for column in rows[0]:
        cells = [row[column] for row in rows]
        if column in leaks:
            continue
        try:
            columns.append(numpy.array(cells, float))
        except ValueError:
            columns += [numpy.array([cell == value for cell in cells], float) for value in sorted(set(cells))]
    return numpy.stack(columns, 1), truth


RAW = {"shoppers": "Revenue", "ai4i2020": "Machine failure"}


def names():
    files = sorted(file[:-4] for file in os.listdir(os.path.join(DATA, "adbench")) if file.endswith(".npz"))
    return {file.split("_", 1)[1]: file for file in files}


def table_of(name):
    if name in RAW:
        return raw_table(name, RAW[name])
    with numpy.load(os.path.join(DATA, "adbench", names()[name] + ".npz")) as file:
        return file["X"].astype(numpy.float64), file["y"].astype(int)


def rows_of(name, kind):
    """Training values and labels, new values and their truth; None if there are too few."""
    values, truth = table_of(name)
    draws = numpy.random.default_rng(17)
    order = draws.permutation(len(truth))[:ROWS_MAX]
    values, truth = values[order], truth[order]
    half = len(truth) // 2
    anomalies = draws.permutation(numpy.flatnonzero(truth[:half] == 1))
    new, new_truth = values[half:], truth[half:]
    if len(anomalies) < 10 or new_truth.sum() < 30 or half < 500:
        return None
    if kind == "biased":
        scale = values[:half].std(0) + 1e-12
        far = (numpy.abs(values[:half] - numpy.median(values[:half], 0)) / scale).mean(1)
        anomalies = anomalies[numpy.argsort(-far[anomalies], kind="stable")]
    if kind == "drifted":
        noise = draws.standard_normal(new.shape)
        new = new + values.std(0) * (0.3 * noise + 0.3)
        hidden = numpy.flatnonzero(new_truth == 1)
        kept = numpy.ones(len(new_truth), bool)
        kept[hidden[: 2 * len(hidden) // 3]] = False
        new, new_truth = new[kept], new_truth[kept]
    labels = numpy.zeros(half, int)
    labels[anomalies[: min(50, len(anomalies) // 2)]] = 1
    return values[:half], labels, new, new_truth


def answered(text, truth):
    """The file of 'query --audit', filled in."""
    rows = list(csv.reader(io.StringIO(text)))
    place = rows[0].index("label")
    for row in rows[1:]:
        row[place] = 1 if truth[int(row[0])] == 1 else -1
    with open(path("audit.csv"), "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path("audit.csv")


def run(model, data, truth, checks, seed):
    text = puad("query", model, data, "--audit", checks, "--fdr", RATE, "--seed", seed, "--quiet", "--threads", THREADS).stdout
    found, _ = score(model, data, "--answers", answered(text, truth), "--fdr", RATE, "--quiet", "--summary", path("summary.json"))
    with open(path("summary.json")) as file:
        audit = json.load(file)["audit"]
    flagged = found["flag"] == 1
    useful = audit["threshold"] is not None
    false = (truth[flagged] == 0).mean() if flagged.any() else 0.0
    return {"rows": len(truth), "flagged": int(flagged.sum()), "false": false, "limit": audit["limit"],
            "recall": flagged[truth == 1].mean() if useful else 0.0,
            "best_same": best_recall(found["score"], truth, false + 1e-12 if useful else RATE), "best_rate": best_recall(found["score"], truth, RATE),
            "anomalies": int(truth.sum()), "alpha_low": number(audit["alpha"]["low"]), "alpha_high": number(audit["alpha"]["high"]),
            "alpha_truth": truth.mean()}


def number(value):
    return numpy.nan if value is None else value


def over_max(draws):
    """The largest number of draws beyond the limit that is no contradiction to a probability of 0.1."""
    chance, k = 0.0, -1
    while chance < 0.999:
        k += 1
        chance += math.comb(draws, k) * 0.1**k * 0.9 ** (draws - k)
    return k


def report(rows):
    failed, powers = 0, {}
    for name, kind, checks in sorted({(row["table"], row["kind"], int(row["checks"])) for row in rows}):
        some = [row for row in rows if (row["table"], row["kind"], int(row["checks"])) == (name, kind, checks)]
        false = numpy.array([row["false"] for row in some])
        error = false.std(ddof=1) / len(false) ** 0.5 if len(false) > 1 else 1.0
        over = sum(row["false"] > row["limit"] + 1e-9 for row in some)
        bad = false.mean() > RATE + 3 * error or over > over_max(len(some))
        failed += bad
        usable = [row for row in some if row["best_rate"] > 0 and row["best_rate"] * row.get("anomalies", 1e9) >= 5]
        power = [numpy.mean([min(1, row["recall"] / max(row[best], 1e-12)) for row in usable]) if usable else numpy.nan for best in ("best_same", "best_rate")]
        powers.setdefault((kind, checks), []).append(power)
        print(f"  {name:18} {kind:8} {checks:4} checks: false {false.mean():.3f} ({error:.3f}), beyond the rate in {sum(false > RATE)} and beyond the limit "
              f"in {over} of {len(some)}, power {power[0]:.2f} and {power[1]:.2f}{'  FAILED' if bad else ''}")
    for kind, checks in sorted(powers):
        some = [row for row in rows if (row["kind"], row["checks"]) == (kind, checks) and not numpy.isnan(row.get("alpha_low", numpy.nan))]
        missed = sum(not row["alpha_low"] <= row["alpha_truth"] <= row["alpha_high"] for row in some)
        over = bool(some) and missed > over_max(len(some))
        failed += over
        if some:
            print(f"{kind:8} {checks:4} checks: the interval of the fraction of anomalies misses it in {missed} of {len(some)} draws, median width "
                  f"{numpy.median([row['alpha_high'] - row['alpha_low'] for row in some]):.3f}{'  FAILED' if over else ''}")
    for (kind, checks), found in sorted(powers.items()):
        same, strict = numpy.nanmean(numpy.array(found), axis=0)
        low = kind == "random" and len(found) > len(SLICE) and same < POWER_MIN.get(checks, 0)
        failed += low
        print(f"{kind:8} {checks:4} checks: power {same:.2f} of the best threshold with the same false fraction, {strict:.2f} of the best at the rate; "
              f"{numpy.isfinite(numpy.array(found)[:, 0]).sum()} of {len(found)} tables{'  FAILED' if low else ''}")
    return failed


def make_draws(asked):
    whole = asked.all or asked.tables
    tables = asked.tables.split(",") if asked.tables else sorted([*names(), *RAW]) if asked.all else SLICE
    draws = asked.draws or (20 if whole else 6)
    version = puad("--version").stdout.split()[1]
    place = os.path.join(os.environ.get("SOURCE", "."), "docs", "results") if asked.commit else os.environ.get("BUILD", "build")
    rows = []
    with open(os.path.join(place, "audit.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name in tables:
            for kind in asked.kinds.split(","):
                drawn = rows_of(name, kind)
                if drawn is None:
                    continue
                values, labels, new, truth = drawn
                model, data = fit(save("train.npz", values, labels), "m.safetensors", "--calibrate"), save("new.npz", new)
                for checks in map(int, asked.checks.split(",")):
                    for seed in range(draws):
                        row = {"version": version, "table": name, "kind": kind, "checks": checks, "draw": seed} | run(model, data, truth, checks, seed)
                        writer.writerow([row[column] if isinstance(row[column], str) else f"{row[column]:.5g}" for column in COLUMNS])
                        rows.append(row)
                file.flush()
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--all", action="store_true", default=os.environ.get("PUAD_AUDIT") == "all")
    options.add_argument("--draws", type=int)
    options.add_argument("--tables", default="")
    options.add_argument("--kinds", default=",".join(KINDS))
    options.add_argument("--checks", default=",".join(map(str, CHECKS)))
    options.add_argument("--commit", action="store_true", help="write docs/results/audit.csv")
    options.add_argument("--report", metavar="FILE", help="judge the draws in this file, and make none")
    asked = options.parse_args()
    begin = time.time()
    if asked.report:
        with open(asked.report, newline="") as file:
            rows = [{key: value if key in ("version", "table", "kind") else float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    else:
        need("adbench")
        rows = make_draws(asked)
    print(f"{len(rows)} draws of {len({row['table'] for row in rows})} tables, {time.time() - begin:.0f} s")
    failed = report(rows)
    print(f"{failed} failed")
    sys.exit(int(failed > 0))


main()
