"""puad lab run --plan adbench: tables with few labels through plan, ledger, table, report, export and import, beside published figures."""
import csv
import os
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish
from lab_runs import cells, lab

csv.field_size_limit(1 << 24)
RUN = ["--plan", "adbench", "--data-dir", ".", "--threads", "1", "--quiet", "--ledger", "a.db"]


def write_tables(folder):
    os.mkdir(os.path.join(folder, "adbench"))
    generator = numpy.random.default_rng(0)
    for name, rows in ("3_small", 300), ("12_large", 1100):
        truth = (numpy.arange(rows) % 10 == 0).astype(int)
        numpy.savez(os.path.join(folder, "adbench", name + ".npz"), X=generator.normal(3 * truth[:, None], 1, (rows, 5)), y=truth)


def check_run(folder):
    dry = lab("run", *RUN, "--dry-run", folder=folder)
    check(dry.returncode == 0 and len(dry.stdout.splitlines()) == 2 * 5 * 3 * 2, f"two tables, five shares, three seeds, two methods: {dry}")
    found = cells(*RUN, "--set", "share=0,0.1", folder=folder)
    check(len(found) == 24 and {cell["seed"] for cell in found} == {1, 2, 3}, f"cells: {len(found)}")
    small = [cell for cell in found if cell["dataset"].startswith("small@")]
    large = [cell for cell in found if cell["dataset"].startswith("large@")]
    check(len(small) == len(large) == 12 and {cell["train_rows"] for cell in small} == {700} and {cell["train_rows"] for cell in large} == {770}, "sizes")
    labeled = [cell for cell in large if cell["share"] == 0.1]  # ceil(0.1 x 0.7 x 110) = 8 of the 77 in training
    check(all(abs(cell["alpha_u"] - 69 / 762) < 1e-12 for cell in labeled), f"hidden anomalies: {labeled[0]}")
    check(all(cell["normal"] == "0" and cell["normals"] == 0 and cell["protocol"] == "adbench" and cell["auroc"] > 0.9 for cell in found), f"{found[0]}")
    check(all(cell["cached"] for cell in cells(*RUN, "--set", "share=0,0.1", folder=folder)), "then they are there")
    networks = cells(*RUN, "--datasets", "large", "--methods", "pusvdd", "--seed-list", "1", "--epochs", "3", "--set", "share=0.1", folder=folder)
    check(len(networks) == 1 and networks[0]["network"] == "mlp" and networks[0]["alpha"] == 0.1, f"networks too: {networks}")
    published = cells(*RUN, "--datasets", "large", "--methods", "if", "--seed-list", "1", "--set", "share=0.1", "--set", "protocol=adbench-published", folder=folder)
    check(abs(published[0]["alpha_u"] - 69 / 762) < 1e-12, "a share of the anomalies in training: 8 of 77")


def check_shown(folder):
    with open(os.path.join(folder, "published.csv"), "w", encoding="utf-8") as file:
        file.write("table,metric,labeled_anomaly_pct,dataset,model,value\n")
        for name, value in ("small", 80), ("large", 90), ("other", 10):
            file.write(f"D4,AUCROC,10,{name},Theirs,{value}\nD5,AUCPR,10,{name},Theirs,{value / 2}\nD5,AUCPR,10,{name},Nothing,N/A\n")
    few = ["--ledger", "a.db", "--by", "share", "--where", "protocol=adbench", "--methods", "if,committee"]
    done = lab("table", *few, "--published", "published.csv", "--format", "csv", folder=folder)
    rows = list(csv.reader(done.stdout.splitlines()))
    check(done.returncode == 0 and rows[0] == ["method", "setting", "0% (2 tables)", "10% (2 tables)"], f"table: {done}")
    check([row[0] for row in rows[1:]] == ["committee", "if", "Theirs"] and rows[3][2:] == ["", "0.850 / 0.425"], f"published beside: {rows}")
    lab("export", "a.csv", "--ledger", "a.db", folder=folder)
    with open(os.path.join(folder, "a.csv"), newline="", encoding="utf-8") as file:
        own = [row for row in csv.DictReader(file) if row["method"] == "if" and row["protocol"] == "adbench" and row["share"] == "0.1"]
    means = [numpy.mean([float(row[name]) for row in own]) for name in ("auroc", "auprc")]
    check(rows[2][3] == f"{means[0]:.3f} / {means[1]:.3f}", f"means: {rows[2]} {means}")
    done = lab("report", "--ledger", "a.db", "--no-training", "-q", "-o", "page.html", "--data-dir", ".", folder=folder)
    with open(os.path.join(folder, "page.html"), encoding="utf-8") as file:
        page = file.read()
    check(done.returncode == 0 and "Tables with few labels" in page and "--set protocol=adbench" in page, f"report: {done.stderr}")
    lab("import", "a.csv", "--ledger", "b.db", folder=folder)
    lab("export", "b.csv", "--ledger", "b.db", folder=folder)
    with open(os.path.join(folder, "a.csv"), encoding="utf-8") as one, open(os.path.join(folder, "b.csv"), encoding="utf-8") as other:
        check(one.read() == other.read(), "import and export")


def check_refused(folder):
    for word, *arguments in (("'gone'", "run", *RUN, "--datasets", "gone"), ("share", "run", *RUN, "--set", "share=2"),
                             ("protocol", "run", *RUN, "--set", "protocol=other"), ("elsewhere/adbench", "run", *RUN[:3], "elsewhere", *RUN[4:]),
                             ("adbench", "run", "--datasets", "toy", "--set", "protocol=adbench", "--ledger", "a.db"),
                             ("--by share", "table", "--published", "published.csv", "--ledger", "a.db")):
        done = lab(*arguments, folder=folder)
        check(done.returncode in (1, 2) and word in done.stderr, f"{arguments}: expected '{word}': {done}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_tables(folder)
        check_run(folder)
        check_shown(folder)
        check_refused(folder)
    finish()


main()
