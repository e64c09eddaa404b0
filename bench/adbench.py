#!/usr/bin/env python3
"""Compares methods with few labels on the tables of ADBench, alongside its published results.

Every run, (table, label fraction, seed, method), is a row of a CSV file. Existing rows are not run again, and a killed bench loses at
most its current runs. Prints means over the tables of 1000 rows or more and over the smaller ones, paired tests, each table, seconds.

Rules and defaults are chosen on the tables of `--group dev` (annthyroid, thyroid, cardio, Cardiotocography, campaign, cover, letter, http,
fault, mnist) and judged on those of `--group judge` (ALOI, celeba, donors, InternetAds, landsat, satellite, satimage-2, pendigits, skin,
Waveform, yeast), which are not used for any choice.

    bench/adbench.py --methods if,iforest,extratrees,extratrees-alpha
    bench/adbench.py --methods default --shares 1,5 --group dev --again default
    bench/adbench.py --methods "short:--method pusvdd --epochs 40;known:--alpha {alpha}" --csv tried.csv
    bench/adbench.py --report --methods default,if --against CatB*,if --markdown
    bench/adbench.py --protocol novel --methods default,if,extratrees

Three protocols: `labels` counts labels in the whole table; `published` counts them as the published results did (on tables of more than
10,000 rows far fewer; adbench_protocol.py has the evidence), for fair comparisons with them; `novel` is for new kinds of anomaly.
adbench_methods.py describes the syntax of methods, adbench_protocol.py the splits.
"""
import argparse
import concurrent.futures
import functools
import os
import sys

import adbench_methods
import adbench_protocol as protocol
import adbench_report
from adbench_results import FEW_LABELS, NOVEL, Results, missing

PROTOCOLS = {  # how labels are counted, the file of results, the metrics
    "labels": ("table", "docs/results/adbench.csv", ("auroc", "ap")),
    "published": ("training", "docs/results/adbench_published.csv", ("auroc", "ap")),
    "novel": (None, "docs/results/adbench_novel.csv", ("auroc_known", "auroc_novel"))}


@functools.lru_cache(maxsize=1)
def table_with_kinds(path, novel):
    rows, truth = protocol.read_table(path)
    return rows, truth, protocol.two_kinds(rows, truth) if novel else None


def split_of(how, path, share, seed):
    rows, truth, kinds = table_with_kinds(path, how.protocol == "novel")
    if kinds is None:
        return protocol.split_few_labels(rows, truth, share, seed, how.count)
    return protocol.split_novel(rows, truth, kinds, seed)


def measures(how, truth, scores):
    from sklearn.metrics import average_precision_score, roc_auc_score
    if how.protocol != "novel":
        return {"auroc": roc_auc_score(truth, scores), "ap": average_precision_score(truth, scores)}
    known, novel = truth == 1, truth == 2
    return {"known": int(known.sum()), "novel": int(novel.sum()),
            "auroc_known": roc_auc_score(truth[~novel] > 0, scores[~novel]),
            "auroc_novel": roc_auc_score(truth[~known] > 0, scores[~known])}


def run_split(how, path, table, share, seed, methods):
    """Runs the methods on one split and stores each result at once. Returns the failed runs."""
    try:
        split = split_of(how, path, share, seed)
    except protocol.LeftOut as why:
        return [f"{table}, seed {seed}: left out, {why}"]
    alpha, problems = protocol.hidden_share(split), []
    for name, arguments in methods.items():
        try:
            done = adbench_methods.run(name, arguments, split, alpha, seed, how.puad, how.threads)
            found = measures(how, split.test_truth, done.scores)
        except (adbench_methods.Failed, ImportError, ValueError) as problem:
            problems.append(f"{table}, {100 * share:g}%, seed {seed}, {name}: {problem}")
            continue
        Results(how.csv, how.columns).add({
            "table": table, "share": f"{share:g}", "seed": seed, "method": name, "rows": len(split.train), "columns": split.train.shape[1],
            "labels": int(split.labels.sum()), "hidden": int(split.truth[split.labels == 0].sum()),
            "fit_seconds": f"{done.fit_seconds:.3f}", "score_seconds": f"{done.score_seconds:.3f}", "arguments": arguments or "",
            **{measure: f"{value:.6f}" if isinstance(value, float) else value for measure, value in found.items()}})
        print(f"{table}, {100 * share:g}%, seed {seed}, {name}: " + ", ".join(f"{m} {float(found[m]):.3f}" for m in how.metrics),
              file=sys.stderr, flush=True)
    return problems


def run_all(how, paths, tables, methods):
    """Makes the missing runs, table by table; returns the problems."""
    wanted = [(table, share, seed, name) for table in tables for share in how.shares for seed in how.seeds for name in methods
              if share > 0 or not adbench_methods.needs_labels(name, methods[name])]
    left = {}
    for table, share, seed, name in missing(Results(how.csv, how.columns).read(), wanted, methods, how.again):
        left.setdefault((table, share, seed), {})[name] = methods[name]
    jobs = [(how, paths[table], table, share, seed, some) for (table, share, seed), some in left.items()]
    if how.jobs == 1:
        return [problem for job in jobs for problem in run_split(*job)]
    with concurrent.futures.ProcessPoolExecutor(how.jobs) as pool:
        return [problem for found in pool.map(run_split, *zip(*jobs)) for problem in found] if jobs else []


def arguments_of(parser, argv):
    add = parser.add_argument
    add("--protocol", choices=sorted(PROTOCOLS), default="labels",
        help="labels counted in the whole table, labels counted as in the published results, or a known and a novel kind of anomaly")
    add("--methods", default="default", help="separated by commas, or by semicolons if arguments contain commas; see adbench_methods.py")
    add("--group", choices=sorted(protocol.GROUPS), default="all")
    add("--tables", help="names separated by commas, instead of a group")
    add("--shares", default="0,1,5,10,25", help="percent of the anomalies that are labeled")
    add("--seeds", default="1,2,3")
    add("--again", default="", metavar="METHODS", help="run these again, even if the file has them")
    add("--report", action="store_true", help="run nothing, print the existing results")
    add("--csv", help="the file of results; default: one per protocol in docs/results")
    add("--data", default=protocol.default_folder(), help="folder of the tables")
    add("--published", default="docs/results/adbench_paper.csv", help="values of the ADBench paper")
    add("--models", default="CatB,PReNet,DeepSAD,XGBOD,IForest", help="published models to show for comparison")
    add("--against", default="CatB*,extratrees", help="compare with these methods, or published models, which end with *")
    add("--show", default="means,paired,tables,seconds")
    add("--markdown", action="store_true")
    add("--puad", default="build/puad")
    add("--threads", type=int, default=1, help="of each run")
    add("--jobs", type=int, default=1, help="splits at a time")
    how = parser.parse_args(argv)
    novel = how.protocol == "novel"
    how.count, file, how.metrics = PROTOCOLS[how.protocol]
    how.csv = how.csv or file
    how.columns = NOVEL if novel else FEW_LABELS
    how.shares = [protocol.NOVEL_SHARE] if novel else [float(share) / 100 for share in how.shares.split(",")]
    how.seeds = [int(seed) for seed in how.seeds.split(",")]
    for name in ("again", "models", "against", "show"):
        setattr(how, name, [part for part in getattr(how, name).split(",") if part])
    return how


def main(argv=None):
    how = arguments_of(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter), argv)
    methods = adbench_methods.parse_all(how.methods)
    problems = []
    tables = how.tables.split(",") if how.tables else protocol.GROUPS[how.group]
    if not how.report:
        paths = protocol.find_tables(how.data)
        unknown = [table for table in tables if table not in paths]
        if unknown:
            raise SystemExit(f"no table {', '.join(unknown)} in {how.data}")
        problems = run_all(how, paths, tables, methods)
    novel = how.protocol == "novel"
    figures = adbench_report.Figures(Results(how.csv, how.columns).read(), {} if novel else adbench_report.read_published(how.published), how.seeds)
    if how.tables:
        parts = [("", tables)]
    else:
        parts = [(name, protocol.GROUPS[name]) for name in (("large", "small") if how.group == "all" else (how.group,))]
    if novel:
        parts = [(name, [table for table in some if any(key[0] == table for key in figures.rows)]) for name, some in parts]
    adbench_report.show(figures, parts, how.shares, list(methods), [] if novel else how.models, how.against, how.metrics, how.show, how.markdown)
    if how.protocol == "labels" and how.models:
        print("Labels are counted in the whole table: those of more than 10,000 rows have more labels here than they had for the published\n"
              "figures, and small ones fewer; --protocol published has as many.")
    for problem in problems:
        print(problem, file=sys.stderr)
    return any("left out" not in problem for problem in problems)


if __name__ == "__main__":
    sys.exit(main())
