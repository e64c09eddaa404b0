"""puad report: one page that needs no network, with a slider, sorting and other people's texts shown as text. The
test in a browser is skipped without one."""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ.get("SOURCE", "."), "tests"))
import browser  # noqa: E402

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
HOSTILE = '<script>alert("name")</script>'
CELL = '"><img src=x onerror=alert(1)>'
tests = []


def test(body):
    tests.append(body)
    return body


def puad(*words, code=0):
    done = subprocess.run([PUAD, *words, "--threads", "1"] if words[0] != "list" else [PUAD, *words], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done


def make(path, rows, labeled, seed):
    """Amounts, hours with gaps, and places; anomalies are early with large amounts, a few of another kind have a hostile place."""
    draw = random.Random(seed)
    with open(path, "w", newline="") as out:
        to = csv.writer(out)
        to.writerow(["account", "amount", "hour", "place", HOSTILE, "label"])
        for i in range(rows):
            odd, strange = i % 20 == 0, i % 97 == 5
            to.writerow([f"A{i}", round(draw.gauss(900 if odd else 100, 20), 2),
                         "" if i % 11 == 3 else round(draw.gauss(3 if odd else 14, 1.5), 1),
                         CELL if strange else draw.choice(["home", "office", "5 < 6 & 7"]),
                         round(draw.gauss(12 if strange else 0, 1), 3), 1 if odd and labeled and i % 40 == 0 else ""])


@test
def the_page_is_whole_and_small_and_says_what_was_done():
    said = puad("report", "train.csv", "new.csv", "--label-column", "label", "--id-column", "account", "-o", "page.html").stderr
    assert re.search(r"page.html: 600 rows ranked, \d+ flagged", said), said
    page = open("page.html").read()
    assert len(page) < 3e6
    assert re.search(r"<b>25</b><small>of 1,000 training rows", page)
    assert HOSTILE not in page and CELL not in page and "<img" not in page
    for word in ("What a threshold would flag", "Rows that stand out", "Kinds of anomaly", "told apart", "share of hidden anomalies",
                 "what was done with each column", "usual among unlabeled rows", "share of the score", "known kind", "new kind",
                 "puad report train.csv new.csv --label-column label --id-column account -o page.html"):
        assert word in page, word
    assert not re.search(r'(src|href)="?(https?:)?//', page)


@test
def the_same_rows_are_flagged_as_score_would():
    puad("report", "train.csv", "new.csv", "--label-column", "label", "--id-column", "account", "--save-model", "m.st", "-o", "kept.html", "-q")
    data = json.loads(re.search(r'id="operating">(.*?)</script>', open("kept.html").read(), re.S)[1])
    for point in data["points"][:: len(data["points"]) // 5]:
        lines = csv.DictReader(io.StringIO(puad("score", "m.st", "new.csv", "--threshold=" + point["s"], "-q").stdout))
        assert sum(line["decision"] == "1" for line in lines) == point["n"], point
    assert "m.st" in data["command"]


@test
def a_model_can_be_taken_and_the_training_rows_ranked():
    puad("report", "--model", "m.st", "new.csv", "train.csv", "-o", "model.html", "--top", "5", "-q")
    page = open("model.html").read()
    assert page.count('<details class="row') == 5 and re.search(r"(new|train).csv row \d", page)
    puad("report", "train.csv", "--label-column", "label", "--alpha", "auto", "-o", "self.html", "-q")
    assert "The model was trained on these rows" in open("self.html").read()
    said = puad("report", "--model", "m.st", "new.csv", "--save-model", "x", code=2).stderr
    assert "--model" in said and "--save-model" in said, said


@test
def score_writes_the_same_page():
    rows = puad("score", "m.st", "new.csv", "--top", "3", "--html", "scored.html", "-q").stdout
    assert len(rows.splitlines()) == 4
    page = open("scored.html").read()
    assert "What a threshold would flag" in page and page.count('<details class="row') == 50
    piped = subprocess.run([PUAD, "score", "m.st", "-", "--html", "x.html"], stdin=open("new.csv"), capture_output=True, text=True)
    assert piped.returncode == 2 and "--html" in piped.stderr and not os.path.exists("x.html"), piped


@test
def decisions_of_the_options_set_the_threshold():
    puad("report", "--model", "m.st", "new.csv", "--threshold", "1.25", "-o", "asked.html", "-q")
    data = json.loads(re.search(r'id="operating">(.*?)</script>', open("asked.html").read(), re.S)[1])
    assert data["points"][data["at"]]["s"] == "1.25"


@test
def drift_has_a_section_and_a_warning_first():
    page = open("page.html").read()
    assert "No drift found: the columns of new.csv (600 rows)" in page and "No warnings." in page
    assert "Drift between" not in open("self.html").read()  # the rows of training are not compared with themselves
    with open("cents.csv", "w", newline="") as out:
        rows = list(csv.reader(open("new.csv")))
        csv.writer(out).writerows([rows[0]] + [[r[0], float(r[1]) * 100, *r[2:]] for r in rows[1:]])
    said = puad("report", "--model", "m.st", "new.csv", "cents.csv", "-o", "drift.html", "-q").stderr
    assert said.count("warning: column 'amount'") == 1, said
    page = open("drift.html").read()
    assert "No warnings." not in page and page.index("Warning: drift.") < page.index('id="s1"')
    assert page.count("has its unit changed?") == 1 and "cents.csv differs from the training data" in page
    assert "No drift found: the columns of new.csv" in page
    said = puad("score", "m.st", "cents.csv", "--html", "drift2.html", "-o", "scores.csv").stderr
    assert said.count("warning: column 'amount'") == 1 and said.count("600 rows") == 1, said
    assert open("drift2.html").read().count("has its unit changed?") == 1
    with open("short.csv", "w") as out:
        out.writelines(open("new.csv").readlines()[:11])
    puad("report", "--model", "m.st", "short.csv", "-o", "short.html", "-q")
    assert "too few to compare" in open("short.html").read()
    with open("less.csv", "w", newline="") as out:
        csv.writer(out).writerows([r[:2] + r[3:] for r in csv.reader(open("new.csv"))])
    puad("report", "--model", "m.st", "less.csv", "-o", "less.html", "-q")
    assert "column 'hour'" in open("less.html").read().split("Drift between training", 2)[2]


@test
def too_few_labels_to_hold_out_are_no_failure():
    with open("few.csv", "w") as out:
        for i, line in enumerate(open("train.csv")):
            out.write(line if i < 80 else line.rsplit(",", 1)[0] + ",\n")
    said = puad("report", "few.csv", "new.csv", "--label-column", "label", "-o", "few.html").stderr
    assert "held out" in said, said
    assert "cannot be estimated" in open("few.html").read()


@test
def no_output_over_an_input():
    assert "train.csv" in puad("report", "train.csv", "--label-column", "label", "-o", "train.csv", code=2).stderr
    assert "train.csv" in puad("report", "train.csv", "--label-column", "label", "--save-model", "train.csv", code=2).stderr


def in_a_browser():
    with browser.Browser() as on:
        on.open("page.html")
        on.look(1280, 900)
        number = "+document.getElementById('at-flagged').textContent.replace(/,/g,'')"
        move = "(v => { const s = document.getElementById('threshold'); s.value = v; s.dispatchEvent(new Event('input')) })(%d)"
        data = json.loads(on.run("document.getElementById('operating').textContent"))
        last = len(data["points"]) - 1
        assert on.run("+document.getElementById('threshold').value") == data["at"]
        assert on.run(number) == data["points"][data["at"]]["n"]
        for at in (0, last // 2, last):
            on.run(move % at)
            assert on.run(number) == data["points"][at]["n"], at
            marked = on.run("[...document.querySelectorAll('#top .mark')].filter(x => x.textContent == 'flagged').length")
            assert marked == min(data["points"][at]["n"], 50), (at, marked)
        on.run(move % 0)
        on.run("document.querySelector('[data-step=\"1\"]').click()")
        assert on.run(number) == data["points"][1]["n"]
        on.run("document.getElementById('suggested').click()")
        assert on.run(number) == data["points"][data["at"]]["n"]
        column = "[...document.querySelectorAll('#top tbody tr')].map(r => parseFloat(r.cells[2].textContent))"
        falling = on.run(column)
        assert falling == sorted(falling, reverse=True)
        on.run("document.querySelectorAll('#top th button')[2].click()")
        on.run("document.querySelectorAll('#top th button')[2].click()")
        assert on.run(column) == sorted(falling)
        assert on.run("document.querySelectorAll('script').length") == 3  # the page's two and the data
        assert on.run("document.body.innerText").count(HOSTILE) > 3
        assert on.run("document.querySelectorAll('img').length") == 0
        on.run("location.hash = '#r37'")
        on.look(390, 800, dark=True, mobile=True)
        assert on.run("document.documentElement.scrollWidth") <= 390
        assert on.run("document.getElementById('r37').checkVisibility() && document.getElementById('r37').open") is True
        assert on.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        on.look(800, 1000, dark=True, media="print")
        assert on.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert on.run("getComputedStyle(document.querySelector('.steps')).display") == "none"
        assert on.run("document.documentElement.scrollWidth") <= 800
        assert on.run("getComputedStyle(document.getElementById('threshold')).display") == "none"
        assert on.messages == [], on.messages
        outside = [r for r in on.requests if not r.startswith(("file:", "data:", "about:"))]
        assert outside == [], outside


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    make("train.csv", 1000, True, 1)
    make("new.csv", 600, False, 2)
    for body in tests:
        body()
    driven = browser.program() and not os.environ.get("SANITIZE") in ("ON", "thread")
    if driven:
        in_a_browser()
    else:
        print("skipped in_a_browser: no Chromium here (apt-get install chromium), or a sanitizer is at work")
    os.chdir("/")
print(f"{len(tests) + bool(driven)} passed, 0 failed")
sys.exit(0 if driven else 77)
