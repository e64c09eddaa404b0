#!/usr/bin/env python3
"""docs/howto/troubleshooting.md: each command runs on files that contain the mistake, and the page shows the output.
With PUAD_WRITE_DOCS=1 the outputs of the page are written instead."""
import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test
from pages import alike, folded

PUAD, SOURCE = os.path.abspath(os.environ["PUAD"]), os.path.abspath(os.environ["SOURCE"])
PAGE = os.path.join(SOURCE, "docs", "howto", "troubleshooting.md")
folder = tempfile.TemporaryDirectory()


def write(name, rows):
    with open(os.path.join(folder.name, name), "w", newline="") as file:
        to = csv.DictWriter(file, rows[0].keys())
        to.writeheader()
        to.writerows(rows)


def make_files():
    """The payments of examples/payments.py, and the same with a mistake each, as the page tells them."""
    subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "payments.py")], check=True, cwd=folder.name)
    train, new = (list(csv.DictReader(open(os.path.join(folder.name, name)))) for name in ("train.csv", "new.csv"))
    words = ["fraud", "fraud", "Fraud"]
    write("misspelled.csv", [{**r, "status": words[i % 3] if r["status"] else ""} for i, r in enumerate(train)])
    write("swapped.csv", [{**r, "status": "0" if r["status"] else "1"} for r in train])
    write("refunds.csv", [{**r, "refunded": "yes" if r["status"] else "no"} for r in train])
    write("checked.csv", [{**r, "status": 1 if r["status"] else -1} for r in train])
    few = [i for i, r in enumerate(train) if r["status"]][:4]
    write("few.csv", [{**r, "status": r["status"] if i in few else ""} for i, r in enumerate(train)])
    write("cents.csv", [{**r, "amount": f"{float(r['amount']) * 100:.0f}"} for r in new])
    write("renamed.csv", [{("distance" if k == "distance_km" else k): v for k, v in r.items()} for r in new])
    write("moved.csv", [{**r, "country": {"home": "DE", "neighbor": "FR", "overseas": "US"}[r["country"]]} for r in new])


def run(command):
    """What a terminal would show."""
    words = shlex.split(command)
    assert words[0] == "puad", command
    done = subprocess.run([PUAD, *words[1:], "--threads", "1"], cwd=folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return re.sub(r", \d+\.\d s$", ", 0.5 s", done.stdout, flags=re.M)


def shown(block):
    """The outputs of a block behind its commands."""
    out, parts = "", []
    for line in block.splitlines():
        if line.startswith("$ "):
            parts.append([line[2:], ""])
        else:
            parts[-1][1] += line + "\n"
    return parts


@test
def the_page_shows_what_is_printed():
    make_files()
    writing, page, wrong = os.environ.get("PUAD_WRITE_DOCS") == "1", open(PAGE).read(), []

    def again(match):
        text = ""
        for command, before in shown(match[1]):
            printed = run(command)
            text += f"$ {command}\n{folded(printed)}"
            differs = alike(before, printed)
            if differs and not writing:
                wrong.append(f"{command}: {differs}\n{printed}")
        return f"```console\n{text}```\n"

    made = re.sub(r"```console\n(.*?)```\n", again, page, flags=re.S)
    if writing:
        open(PAGE, "w").write(made)
    assert not wrong, "\n".join(wrong)


@test
def it_has_ten_mistakes_and_each_is_warned_about_or_rejected():
    page = open(PAGE).read()
    sections = re.split(r"^## ", page, flags=re.M)[1:]
    assert len(sections) >= 10, len(sections)
    for section in sections:
        block = re.search(r"```console\n(.*?)```", section, re.S)[1]
        assert re.search(r"warning: |^puad \w+: (?!note)", block, re.M), section


finish()
