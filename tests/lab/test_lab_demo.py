"""puad-lab demo at a tiny budget: one page that needs nothing but itself, the same for the same seed; progress is a bar on a
terminal, plain lines in a pipe, nothing with --quiet."""
import html.parser
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from terminal import in_terminal

LAB = os.environ.get("PUAD", "build/puad") + "-lab"
BUDGET = ["--epochs", "2", "--toy-epochs", "2", "--rows", "100", "--threads", "1"]


class Page(html.parser.HTMLParser):
    """What the page holds, and what it would load from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.loads, self.tags, self.rows = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        for name, value in attributes:
            if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:")):
                self.loads.append(value)
        if tag not in ("meta", "link", "br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        self.words.append(data)
        if "td" in self.open:
            self.rows[-1].append(data)


def strip_times(text):
    return re.sub(r"\d+(\.\d+)? s(econds)?\b|<td class=\"n f\">[\d.]+</td>", "", text)


with tempfile.TemporaryDirectory() as folder:
    first = os.path.join(folder, "new", "first.html")
    out, shown = in_terminal([LAB, "demo", "-o", first] + BUDGET)
    assert out.count("\n") == 1 and out.rstrip().endswith("report: " + first), out
    assert "synthetic" in out and "pusvdd" in out, out
    assert "\r" in shown and "100/100" in shown and shown.endswith("\n"), repr(shown)

    text = open(first, encoding="utf-8").read()
    page = Page(text)
    words = " ".join(" ".join(page.words).split())
    assert page.loads == [] and "<script src" not in text and "@import" not in text, page.loads
    assert "synthetic" in words and "budget is small" in words
    # Four planes, four parts of the split, six and four training curves, a bar chart, and legends.
    assert page.tags.count("svg") >= 4 + 4 + 6 + 4 + 1, page.tags.count("svg")
    for title in ("hidden anomalies", "labeled anomalies", "unseen anomalies", "validation", "seconds"):
        assert title in words, title
    tables = {row[0]: row[1:] for row in page.rows if len(row) > 3}
    assert set(tables) >= {"pu", "dae", "abc", "pudae", "ae", "puae", "deepsvdd", "deepsad", "pusvdd"}, tables
    for name in ("ae", "abc", "puae", "deepsvdd", "deepsad", "pusvdd"):
        assert all(0 <= float(value) <= 1 for value in tables[name][0:3]), tables[name]

    second = os.path.join(folder, "second.html")
    quiet = subprocess.run([LAB, "demo", "--quiet", "--output", second] + BUDGET, capture_output=True, text=True)
    assert quiet.returncode == 0 and quiet.stderr == "" and quiet.stdout.count("\n") == 1, quiet
    assert strip_times(open(second, encoding="utf-8").read()) == strip_times(text), "the same seed gives another page"

    blocked = subprocess.run([LAB, "demo", "-o", os.path.join(first, "x", "y.html")], capture_output=True, text=True)
    assert blocked.returncode == 1 and "folder" in blocked.stderr, blocked
print("1 passed, 0 failed")
