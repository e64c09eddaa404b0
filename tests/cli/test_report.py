"""puad report: one page that needs no network. What it says is read from its JSON object; what it does is tried in a browser,
unless there is none."""
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
    done = subprocess.run([PUAD, *words, "--threads", "1"] if words[0] not in ("list", "inspect") else [PUAD, *words], capture_output=True, text=True)
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


def report(path):
    """The JSON object of a page."""
    with open(path, encoding="utf-8") as page:
        return json.loads(re.search(r'id="report">(.*?)</script>', page.read(), re.S)[1])


@test
def the_page_is_whole_and_small_and_has_everything_flagged():
    said = puad("report", "train.csv", "new.csv", "--label-column", "label", "--id-column", "account", "-o", "page.html").stderr
    ranked, flagged = map(int, re.search(r"page.html: (\d+) rows ranked, (\d+) flagged", said).groups())
    with open("page.html", encoding="utf-8") as file:
        page = file.read()
    data = report("page.html")
    assert ranked == data["ranked"] == 600 and flagged == data["flagged"] == data["thresholds"][data["suggested"]]["flagged"]
    assert len(page) < 1.5e6 and HOSTILE not in page and CELL not in page and "<img" not in page
    assert not re.search(r'(src|href)="?(https?:)?//', page)
    assert data["schema"] == 1 and data["kind"] == "table" and data["training"]["anomalies"] == 25 and data["training"]["rows"] == 1000
    assert data["command"] == "puad report train.csv new.csv --label-column label --id-column account -o page.html" + " --threads 1"
    cut = data["thresholds"][data["suggested"]]["threshold"]
    assert sum(row["score"] >= cut for row in data["rows"]) == flagged
    rows = list(csv.DictReader(open("new.csv")))
    for row in data["rows"][:50]:  # cells as they stand in the file, without id
        cells = dict(zip(data["inputs"][0]["cells"], row["cells"]))
        assert row["id"] == rows[row["row"]]["account"]
        assert cells == {name: text for name, text in rows[row["row"]].items() if name != "account"}
        for reason in row["reasons"]:
            column = data["columns"][reason["column"]]
            assert reason["value"] == cells[column["name"]] or not cells[column["name"]]
            if "number" in reason:  # a reason is never a typical number
                assert not column["low"] <= reason["number"] <= column["high"], (reason, column)
    nearest = data["rows"][0]["nearest"]
    assert len(nearest) == 3 and nearest == sorted(nearest, key=lambda pair: pair[1])
    known = [row for row in csv.DictReader(open("train.csv"))]
    assert all(known[one["row"]]["label"] == "1" and known[one["row"]]["account"] == one["id"] for one in data["labeled"]["rows"])
    assert abs(sum(column["contribution"] for column in data["columns"]) - 1) < 0.02
    assert data["baseline"]["operating"] and data["operating"] and data["probabilities"]


@test
def the_same_rows_are_flagged_as_score_would():
    data = report("page.html")
    assert data["score_command"] == "puad score page.safetensors new.csv" and os.path.exists("page.safetensors")
    for point in data["thresholds"][:: len(data["thresholds"]) // 5]:
        lines = csv.DictReader(io.StringIO(puad("score", "page.safetensors", "new.csv", "--threshold=" + point["typed"], "-q").stdout))
        assert sum(line["flag"] == "1" for line in lines) == point["flagged"], point
    puad("report", "train.csv", "--label-column", "label", "--save-model", "m.st", "-o", "kept.html", "-q")
    assert report("kept.html")["score_command"] == "puad score m.st train.csv" and not os.path.exists("kept.safetensors")


@test
def a_model_can_be_taken_and_the_training_rows_ranked():
    puad("report", "--model", "m.st", "new.csv", "train.csv", "-o", "model.html", "--top", "5", "-q")
    data = report("model.html")
    assert [one["rows"] for one in data["inputs"]] == [600, 1000] and "fit_command" not in data
    listed = len(data["rows"]) + len(data["more"]["row"])
    assert len(data["rows"]) >= 5 and listed >= data["flagged"] and all(row["kind"] == "new" for row in data["rows"][5:])
    puad("report", "train.csv", "--label-column", "label", "--alpha", "auto", "-o", "self.html", "-q")
    data = report("self.html")
    assert data["ranks_training"] and data["ranked"] == 975 and "label" not in data["inputs"][0]["cells"]
    said = puad("report", "--model", "m.st", "new.csv", "--save-model", "x", code=2).stderr
    assert "--model" in said and "--save-model" in said, said


@test
def score_writes_the_same_page():
    rows = puad("score", "page.safetensors", "new.csv", "--top", "3", "--html", "scored.html", "-q").stdout
    assert len(rows.splitlines()) == 4
    whole, scored = report("page.html"), report("scored.html")
    assert [row["score"] for row in scored["rows"]] == [row["score"] for row in whole["rows"]]
    assert scored["thresholds"] == whole["thresholds"]
    piped = subprocess.run([PUAD, "score", "m.st", "-", "--html", "x.html"], stdin=open("new.csv"), capture_output=True, text=True)
    assert piped.returncode == 2 and "--html" in piped.stderr and not os.path.exists("x.html"), piped


@test
def decisions_of_the_options_set_the_threshold():
    puad("report", "--model", "m.st", "new.csv", "--threshold", "1.25", "-o", "asked.html", "-q")
    data = report("asked.html")
    assert data["thresholds"][data["suggested"]]["typed"] == "1.25" and data["suggestion"] == "asked"
    puad("report", "--model", "m.st", "new.csv", "--fdr", "0.000001", "-o", "none.html", "-q")
    data = report("none.html")
    assert data["suggestion"] == "no_row" and data["suggested"] is None and data["flagged"] == 0 and data["rows"]


@test
def drift_and_notes_are_on_the_page():
    data = report("page.html")
    assert data["warnings"] == [] and data["inputs"][0]["drift"] == [] and data["compared_rows"] > 0
    with open("cents.csv", "w", newline="") as out:
        rows = list(csv.reader(open("new.csv")))
        csv.writer(out).writerows([rows[0]] + [[r[0], float(r[1]) * 100, *r[2:]] for r in rows[1:]])
    said = puad("report", "--model", "m.st", "new.csv", "cents.csv", "-o", "drift.html", "-q").stderr
    assert said.count("warning: column 'amount'") == 1, said
    first, second = report("drift.html")["inputs"]
    assert first["drift"] == [] and any("amount" in text for text in second["drift"]) and second["notes"]
    said = puad("score", "m.st", "cents.csv", "--html", "drift2.html", "-o", "scores.csv").stderr
    assert said.count("warning: column 'amount'") == 1, said
    assert len(report("drift2.html")["inputs"][0]["drift"]) == len(second["drift"])
    with open("less.csv", "w", newline="") as out:
        csv.writer(out).writerows([r[:2] + r[3:] for r in csv.reader(open("new.csv"))])
    puad("report", "--model", "m.st", "less.csv", "-o", "less.html", "-q")
    assert any("'hour'" in text for text in report("less.html")["inputs"][0]["drift"])


@test
def two_files_are_compared():
    with open("next.csv", "w", newline="") as out:
        rows = list(csv.reader(open("new.csv")))
        csv.writer(out).writerows([rows[0]] + [[r[0], r[1], r[2], "home", *r[4:]] for r in rows[300:]])
    puad("report", "--model", "page.safetensors", "--compare", "new.csv", "next.csv", "--id-column", "account", "-o", "compare.html", "-q")
    data = report("compare.html")
    named = {data["columns"][one["column"]]["name"]: one for one in data["compare"]["columns"]}
    assert named["place"]["distance"] > 0.4 > 0.15 > named["amount"]["distance"], named
    assert named["place"]["values"][1]["texts"] == [["home", 301]]
    assert [sum(counts) for counts in data["compare"]["scores"]] == [600, 301]
    puad("report", "train.csv", "new.csv", "--compare", "--label-column", "label", "-o", "both.html", "-q")
    assert [one["path"] for one in report("both.html")["inputs"]] == ["train.csv", "new.csv"]
    assert "--compare" in puad("report", "--model", "m.st", "new.csv", "--compare", code=2).stderr


@test
def many_rows_are_listed_to_a_limit_with_all_flagged_ones_by_number():
    make("many.csv", 30000, False, 3)
    puad("report", "--model", "page.safetensors", "many.csv", "--id-column", "account", "-o", "many.html", "-q")
    data = report("many.html")
    assert data["flagged"] > 1000 and os.path.getsize("many.html") < 3e6
    assert len(data["rows"]) + len(data["more"]["row"]) == data["flagged"]
    listed = sorted((row["score"] for row in data["rows"][:1000]), reverse=True)
    assert len(listed) == 1000 and max(data["more"]["score"]) <= listed[-1]
    scores = sorted((float(line["score"]) for line in csv.DictReader(io.StringIO(puad("score", "page.safetensors", "many.csv", "-q").stdout))),
                    reverse=True)
    assert abs(listed[999] - scores[999]) < 1e-6
    for rows, score in data["scores"]["ladder"]:  # about, from the distribution
        assert abs(scores[rows - 1] - score) <= 0.01 * abs(score) + 0.01, (rows, score, scores[rows - 1])


@test
def memory_does_not_grow_with_the_rows():
    with open("many.csv") as few, open("more.csv", "w") as out:
        header, *rows = few.readlines()
        out.write(header)
        for _ in range(10):
            out.writelines(rows)
    peaks = []
    for name in "many.csv", "more.csv":
        process = subprocess.Popen([PUAD, "report", "--model", "page.safetensors", name, "-o", "peak.html", "-q", "--threads", "1"],
                                   stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        peaks.append(usage.ru_maxrss)
    assert report("peak.html")["ranked"] == 300000 and report("peak.html")["inputs"][0]["sampled"] <= 2000
    if not os.environ.get("SANITIZE"):
        assert peaks[1] < 1.3 * peaks[0] + 8000, peaks  # kilobytes; the list of flagged rows is fuller


@test
def too_few_labels_to_hold_out_do_not_fail():
    with open("few.csv", "w") as out:
        for i, line in enumerate(open("train.csv")):
            out.write(line if i < 80 else line.rsplit(",", 1)[0] + ",\n")
    said = puad("report", "few.csv", "new.csv", "--label-column", "label", "-o", "few.html").stderr
    data = report("few.html")
    assert "held out" in said and data["uncalibrated"] and data["no_estimates"] and data["suggestion"] == "top", said
    assert "recall" not in data["thresholds"][0] and data["rows"]


@test
def no_output_over_an_input():
    assert "train.csv" in puad("report", "train.csv", "--label-column", "label", "-o", "train.csv", code=2).stderr
    assert "train.csv" in puad("report", "train.csv", "--label-column", "label", "--save-model", "train.csv", code=2).stderr


NUMBER = "+document.getElementById('at-rows').textContent.replace(/,/g,'')"
ITEMS = "document.querySelectorAll('#list tr.item').length"


def text_of(on, name):
    return on.run(f"document.getElementById('{name}').textContent")


def type_in(on, name, value):
    on.run(f"{{const i = document.getElementById('{name}'); i.value = {json.dumps(value)}; "
           "i.dispatchEvent(new Event('input')); i.dispatchEvent(new Event('change'))}")


def shown(on, column):
    return on.run(f"[...document.querySelectorAll('#list td.in-{column}')].map(c => c.textContent)")


def nothing_went_wrong(on):
    assert on.messages == [], on.messages
    outside = [r for r in on.requests if not r.startswith(("file:", "data:", "about:", "blob:"))]
    assert outside == [], outside


def the_threshold_is_chosen_by_score_capacity_and_cost(on):
    data = report("page.html")
    stops, cut = data["thresholds"], data["thresholds"][data["suggested"]]
    assert on.run(NUMBER) == cut["flagged"] == data["flagged"]
    found = cut["precision"][0] * cut["flagged"]
    assert str(round(found)) in text_of(on, "at-found") and on.run("document.querySelector('.verdict').textContent").count(str(round(found)))
    for stop in stops[:: len(stops) // 4]:
        on.run(f"setThreshold({stop['threshold']})")
        assert on.run(NUMBER) == stop["flagged"], stop
        # the knob stands under the line: the slider is linear in the score
        line = on.run("document.getElementById('cut').getBoundingClientRect().left")
        knob = on.run("{const s = document.getElementById('threshold'), r = s.getBoundingClientRect(); "
                      "r.left + 8 + (r.width - 16) * (s.value - s.min) / (s.max - s.min)}")
        assert abs(line - knob) < 3, (line, knob)
    type_in(on, "threshold", stops[3]["threshold"])
    assert abs(on.run(NUMBER) - stops[3]["flagged"]) <= 1
    on.run("document.getElementById('suggested').click()")
    assert on.run(NUMBER) == data["flagged"]
    on.run("document.getElementById('mode-capacity').click()")
    for rows in 7, 150:
        type_in(on, "capacity", rows)
        scores = sorted((row["score"] for row in data["rows"]), reverse=True)
        fit = rows if scores[rows - 1] != scores[rows] else scores.index(scores[rows])  # of equal scores all or none
        assert on.run(NUMBER) == fit > 0, (rows, fit)
    on.run("document.getElementById('mode-cost').click()")
    type_in(on, "cost-miss", 1000000)
    many = on.run(NUMBER)
    type_in(on, "cost-miss", 0.9)  # the missed anomalies are those that the recall shown leaves
    missed = round(data["contamination"]["value"] * data["ranked"] * (1 - on.run("state.recall[0]")))
    assert f"{missed} missed" in text_of(on, "cost-result") and missed > 0, (missed, text_of(on, "cost-result"))
    type_in(on, "cost-miss", 0)
    assert many > on.run(NUMBER) and text_of(on, "cost-result")
    on.run("document.getElementById('mode-threshold').click(); setThreshold(suggestedThreshold)")


def rows_are_searched_sorted_and_downloaded(on):
    data = report("page.html")
    kinds = on.run("[...document.querySelectorAll('#list tr.item')].map(r => Boolean(r.querySelector('.kind.new')))")
    assert kinds == sorted(kinds, reverse=True) and any(kinds), kinds  # new kinds first
    on.run("document.querySelector('th[data-sort=score][data-main] button').click()")
    falling = [float(text) for text in shown(on, "score")]
    assert falling == sorted(falling, reverse=True) and len(falling) == min(50, data["flagged"])
    on.run("document.querySelector('th[data-sort=score][data-main] button').click()")
    rising = [float(text) for text in shown(on, "score")]
    assert rising == sorted(rising) and rising[0] < falling[0]
    some = data["rows"][17]
    type_in(on, "search", some["id"])
    assert on.run(ITEMS) >= 1 and all(some["id"] in text for text in shown(on, "name"))
    type_in(on, "search", "no such text")
    assert on.run(ITEMS) == 0
    type_in(on, "search", "")
    on.download("document.getElementById('download-rows').click()", "flagged.csv")
    rows = list(csv.DictReader(open("flagged.csv")))
    assert len(rows) == data["flagged"] and rows[0]["row"] == str(data["rows"][0]["row"])
    assert HOSTILE in rows[0] and any(row["place"] == CELL for row in rows)
    on.download("document.getElementById('download-json').click()", "report.json")
    assert json.load(open("report.json")) == data
    on.run("document.querySelector('#list .open').click()")
    detail = on.run("document.querySelector('#list .detail').textContent")
    assert "typical" in detail and on.run("document.querySelectorAll('#list .detail .nearest tbody tr').length") == 4


def hostile_cells_are_text(on):
    assert on.run("document.querySelectorAll('script').length") == 2
    assert on.run("document.body.innerText").count(HOSTILE) > 3
    type_in(on, "search", "onerror")
    assert CELL in on.run("document.getElementById('list').innerText")
    assert on.run("document.querySelectorAll('img').length") == 0
    type_in(on, "search", "")


def answers_are_marked_downloaded_and_read_by_fit(on):
    on.open("self.html")
    for i, mark in enumerate(["anomaly", "anomaly", "normal", "unsure"]):
        on.run(f"document.querySelectorAll('#list tr.item')[{i}].querySelector('[data-mark={mark}]').click()")
    assert on.run("document.querySelectorAll('[aria-pressed=true]').length") == 4
    on.download("document.querySelector('.download-answers').click()", "answers.csv")
    answers = list(csv.DictReader(open("answers.csv")))
    assert sorted(row["label"] for row in answers) == ["", "-1", "1", "1"], answers
    command = on.run("document.querySelector('#answers pre').textContent").split()
    assert command[:2] == ["puad", "fit"] and "answers.csv" in command, command
    puad(*command[1:-1], "answered.st", "-q")
    facts = json.loads(puad("inspect", "answered.st", "--json").stdout)["facts"]
    assert facts["anomalies"] == 27 and facts["normals"] == 1, facts
    on.open("self.html")  # kept by the browser
    assert on.run("Object.keys(marks).length") == 4
    on.open("page.html")
    on.run("[...document.querySelectorAll('#list tr.item [data-mark=anomaly]')].slice(0, 9).forEach(b => b.click())")
    on.download("[...document.querySelectorAll('#answers button')].find(b => b.textContent.includes('anomalies.csv')).click()", "anomalies.csv")
    command = on.run("document.querySelector('#answers pre').textContent").split()
    puad(*command[1:-1], "more.st", "-q")
    on.run("document.getElementById('clear-answers').click()")
    assert on.run("Object.keys(marks).length") == 0


def narrow_dark_and_printed_pages_fit(on):
    on.open("page.html")
    on.look(390, 800, dark=True, mobile=True)
    assert on.run("document.documentElement.scrollWidth") <= 390
    assert on.run("getComputedStyle(document.body).backgroundColor") == "rgb(19, 22, 26)"
    assert on.run("getComputedStyle(document.querySelector('#list > thead')).display") == "none"
    card = on.run("{const r = document.querySelector('#list tr.item .in-why').getBoundingClientRect(); [r.left, r.right]}")
    assert 0 <= card[0] < card[1] <= 390
    wide, shown = on.run("{const t = document.getElementById('columns').parentElement; [t.scrollWidth, t.clientWidth]}")
    assert wide <= shown, (wide, shown)
    on.look(800, 1000, dark=True, media="print")
    assert on.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert on.run("getComputedStyle(document.getElementById('threshold')).display") == "none"
    assert on.run("document.documentElement.scrollWidth") <= 800
    on.look(1280, 900)


def uncalibrated_and_declined_pages_choose_by_capacity(on):
    for page in "few.html", "none.html":
        on.open(page)
        assert on.run("document.getElementById('mode-capacity').getAttribute('aria-selected')") == "true"
        assert 40 <= on.run(NUMBER) == on.run(ITEMS) <= 50, page
        assert not on.run("document.querySelector('.verdict').textContent.includes('should be checked')")
        command = on.run("document.querySelector('#audit pre').textContent").split()
        assert command[:3] == ["puad", "report", "--model"] and "--audit" in command, command
        assert on.run("Boolean(document.querySelector('#verdict a[href=\"#audit\"]'))")


def an_audit_is_drawn_checked_and_shown(on):
    on.open("page.html")
    command = on.run("document.querySelector('#audit pre').textContent").split()
    puad(*command[1:], "-q")
    on.open("audit.html")
    drawn = report("audit.html")["audit_sample"]
    assert len(drawn["rows"]) == 30 == on.run("document.querySelectorAll('#audit-rows tbody tr').length")
    amounts = on.run("[...document.querySelectorAll('#audit-rows tbody tr')].map(r => r.querySelector('[data-name=amount]').textContent)")
    for i, amount in enumerate(amounts):  # anomalies have large amounts
        on.run(f"document.querySelectorAll('#audit-rows tbody tr')[{i}].querySelector('[data-mark={'anomaly' if float(amount) > 500 else 'normal'}]').click()")
    assert text_of(on, "audit-count").startswith("30 of 30")
    on.download("document.getElementById('download-audit').click()", "audit.csv")
    with open("audit.csv") as page:
        mine = list(csv.DictReader(page))
    theirs = list(csv.DictReader(io.StringIO(puad("query", "page.safetensors", "new.csv", "--audit", "30", "--fdr", "0.1", "-q").stdout)))
    for left, right in zip(mine, theirs, strict=True):
        assert {**left, "label": ""} == right, (left, right)
    assert {row["label"] for row in mine} == {"1", "-1"}
    command = on.run("document.querySelector('#audit pre').textContent").split()
    puad(*command[1:], "-q")
    found = report("audited.html")
    puad("score", "page.safetensors", "new.csv", "--answers", "audit.csv", "--fdr", "0.1", "--summary", "audit.json", "-o", "scores.csv", "-q")
    with open("audit.json") as page:
        told = json.load(page)["audit"]
    assert {name: value for name, value in found["audit"].items() if name != "points"} == told and told["flagged"] > 10
    assert found["suggestion"] == "audit" and found["thresholds"][found["suggested"]]["threshold"] == told["threshold"]
    on.open("audited.html")
    verdict = on.run("document.querySelector('.verdict').textContent")
    assert verdict.startswith(f"{told['flagged']} of 600 rows are flagged, and at most 10%"), verdict
    assert on.run("document.querySelectorAll('#audit-points tbody tr').length") == len(found["audit"]["points"])
    wrong = puad("report", "--model", "page.safetensors", "new.csv", "--audit", "5", "--audit-answers", "audit.csv", code=2).stderr
    assert "--audit" in wrong, wrong
    assert "--model" in puad("report", "train.csv", "--label-column", "label", "--audit", "5", "-o", "no.html", code=2).stderr


def compared_files_show_what_changed(on):
    on.open("compare.html")
    first = on.run("document.querySelector('#compare-columns tbody tr td').textContent")
    assert first == "place" and on.run("document.querySelectorAll('#compare .chart').length") == 1
    data = report("compare.html")
    cut = data["thresholds"][data["suggested"]]["threshold"]
    ids = [{row["id"] for row in data["rows"] if row["input"] == i and row["score"] >= cut} for i in (0, 1)]
    both = on.run("(document.getElementById('ids-same') || {textContent: ''}).textContent")
    assert set(filter(None, both.split(", "))) == ids[0] & ids[1] and ids[0] & ids[1]


def in_a_browser():
    with browser.Browser() as on:
        on.look(1280, 900)
        on.open("page.html")
        for step in (the_threshold_is_chosen_by_score_capacity_and_cost, rows_are_searched_sorted_and_downloaded, hostile_cells_are_text,
                     answers_are_marked_downloaded_and_read_by_fit, narrow_dark_and_printed_pages_fit,
                     uncalibrated_and_declined_pages_choose_by_capacity, an_audit_is_drawn_checked_and_shown, compared_files_show_what_changed):
            step(on)
            nothing_went_wrong(on)


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
