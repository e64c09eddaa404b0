#!/usr/bin/env python3
"""Time series: windows, gaps, groups, time stamps of all kinds, labeled intervals, and scores row by row."""
import csv, io, json, math, os, random, subprocess, sys, tempfile
from datetime import datetime, timedelta

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def puad(*arguments, code=0, given=None):
    done = subprocess.run([PUAD, *arguments], capture_output=True, text=True, input=given)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr}"
    return done


def scores(text):
    return [float(row["score"]) for row in csv.DictReader(io.StringIO(text))]


START = datetime(2024, 3, 1)
FAULTS = [(300, 330), (700, 730), (1100, 1130)]


def series(rows=1500, stamp=lambda i: (START + timedelta(minutes=i)).isoformat(), seed=1, run=None):
    """A wave on two channels; faults freeze the first."""
    draw = random.Random(seed)
    made = []
    for i in range(rows):
        fault = any(a <= i < b for a, b in FAULTS)
        a = (0.9 if fault else math.sin(i / 5)) + draw.gauss(0, 0.05)
        made.append([stamp(i), f"{a:.4f}", f"{math.cos(i / 9) + draw.gauss(0, .05):.4f}", int(fault)] + ([run] if run else []))
    return made


def write(name, rows, header=("when", "a", "b", "fault")):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


write("s.csv", series())
FIT = "--time-column", "when", "--window", "32", "--threads", "1", "--quiet"
puad("fit", "s.csv", *FIT, "--label-column", "fault", "-o", "m.st")


@test
def every_row_has_a_score_and_faults_have_high_ones():
    found = scores(puad("score", "m.st", "s.csv").stdout)
    assert len(found) == 1500
    told = json.loads(puad("eval", "m.st", "s.csv", "--label-column", "fault", "--json").stdout)
    assert told["auroc"] > 0.95, told["auroc"]


@test
def the_default_finds_a_fault_that_it_was_trained_on_without_labels():
    for window in (["--window", "32"], ["--window", "0"]):  # without a number, the period of the series
        puad("fit", "s.csv", "--time-column", "when", *window, "--ignore", "fault", "--threads", "1", "-o", "u.st")
        told = json.loads(puad("inspect", "u.st", "--json").stdout)
        assert told["recipe"]["method"] == "recurrence", told["recipe"]
        assert json.loads(puad("eval", "u.st", "s.csv", "--label-column", "fault", "--json").stdout)["auroc"] > 0.9
    note = puad("fit", "s.csv", "--time-column", "when", "--ignore", "fault", "--threads", "1", "-o", "u.st").stderr  # --time-column says that it is a series
    assert "windows of" in note
    assert "at least 2 rows" in puad("fit", "s.csv", "--window", "1", "-o", "w.st", code=2).stderr
    assert "time series" in puad("export", "u.st", "-o", "u.onnx", code=2).stderr


@test
def standard_input_gives_the_same_scores():
    with open("s.csv") as file:
        assert puad("score", "m.st", "-", given=file.read()).stdout == puad("score", "m.st", "s.csv").stdout


@test
def ids_and_cells_stay_with_their_rows():
    plain = scores(puad("score", "m.st", "s.csv").stdout)
    rows = list(csv.DictReader(io.StringIO(puad("score", "m.st", "s.csv", "--keep-columns", "--id-column", "when").stdout)))
    assert [float(row["score"]) for row in rows] == plain
    assert [row["when"] for row in rows] == [row[0] for row in series()]
    assert [row["a"] for row in rows] == [row[1] for row in series()]


@test
def a_model_remembers_its_windows():
    told = json.loads(puad("inspect", "m.st", "--json").stdout)
    assert told["recipe"]["window"] == 32 and told["recipe"]["stride"] == 4
    assert told["table"]["axis"]["time"] == "when" and told["table"]["axis"]["step"] == 60
    assert "windows      of 32 rows" in puad("inspect", "m.st").stdout


@test
def intervals_label_the_rows_within_them():
    with open("faults.csv", "w") as file:
        file.write("start,end\n")
        for a, b in FAULTS:
            file.write(f"{START + timedelta(minutes=a)},{START + timedelta(minutes=b - 1)}\n")
    puad("fit", "s.csv", *FIT, "--ignore", "fault", "--intervals", "faults.csv", "-o", "i.st")
    assert puad("score", "i.st", "s.csv").stdout == puad("score", "m.st", "s.csv").stdout
    told = [json.loads(puad("eval", "i.st", "s.csv", "--json", *how).stdout)["auroc"]
            for how in (["--intervals", "faults.csv"], ["--label-column", "fault"])]
    assert told[0] == told[1]
    with open("wrong.csv", "w") as file:
        file.write("start,end\n2024-03-02 00:00:00,2024-03-01 00:00:00\n")
    assert "line 2" in puad("fit", "s.csv", *FIT, "--intervals", "wrong.csv", "-o", "w.st", code=1).stderr
    assert has(puad("fit", "s.csv", "--window", "8", "--intervals", "faults.csv", "-o", "w.st", code=2).stderr, "--intervals", "--time-column")


@test
def intervals_may_be_of_one_group_alone():
    write("g.csv", series(run="x") + series(run="y"), ("when", "a", "b", "fault", "run"))
    with open("one.csv", "w") as file:
        file.write(f"start,end,run\n{START},{START + timedelta(minutes=99)},y\n")
    fit = puad("fit", "g.csv", "--time-column", "when", "--series-column", "run", "--window", "32", "--ignore", "fault", "--intervals", "one.csv", "-o", "w.st", "--method", "puforest", "--json")
    assert json.loads(fit.stdout.splitlines()[-1])["anomalies"] == 22  # 18 within it, and 4 with at least half of their rows
    assert "in 2 segments" in fit.stderr


@test
def time_stamps_of_all_kinds_give_the_same_scores():
    plain = scores(puad("score", "m.st", "s.csv").stdout)
    kinds = {
        "seconds": lambda i: 1700000000 + 60 * i,
        "steps": lambda i: i * 0.5,
        "german": lambda i: (START + timedelta(minutes=i)).strftime("%d.%m.%Y %H:%M:%S"),
        "zone": lambda i: (START + timedelta(minutes=i)).isoformat() + "+01:00",
    }
    for name, stamp in kinds.items():
        write("k.csv", series(stamp=stamp))
        puad("fit", "k.csv", *FIT, "--label-column", "fault", "-o", "k.st")
        assert scores(puad("score", "k.st", "k.csv").stdout) == plain, name


@test
def a_clock_change_is_not_a_gap_if_the_zone_is_known():
    def stamp(i):  # summer time ends in the middle: 03:00+02:00 is followed by 02:00+01:00
        when = datetime(2024, 10, 27, 0, 0) - timedelta(minutes=740) + timedelta(minutes=i)
        summer = when < datetime(2024, 10, 27, 1, 0)
        return (when + timedelta(hours=2 if summer else 1)).isoformat() + ("+02:00" if summer else "+01:00")
    write("z.csv", series(stamp=stamp))
    told = puad("fit", "z.csv", "--time-column", "when", "--window", "32", "--method", "if", "-o", "z.st").stderr
    assert "in 1 segments" in told, told
    write("z.csv", series(stamp=lambda i: stamp(i)[:-6]))
    told = puad("fit", "z.csv", "--time-column", "when", "--window", "32", "--method", "if", "-o", "z.st").stderr
    assert "in 2 segments" in told and "row 800" in told, told


@test
def a_gap_ends_a_segment_and_irregular_steps_do_not():
    draw = random.Random(3)
    steps = [draw.choice([1, 1, 1, 2, 4]) for _ in range(1500)]
    at = [sum(steps[:i]) + (500 if i >= 600 else 0) for i in range(1500)]
    write("i.csv", series(stamp=lambda i: at[i]))
    fit = "fit", "i.csv", "--time-column", "when", "--window", "32", "--method", "if", "-o", "w.st"
    assert "in 2 segments" in puad(*fit).stderr
    assert "in 1 segments" in puad(*fit, "--gap", "1000").stderr
    assert json.loads(puad("inspect", "w.st", "--json").stdout)["table"]["axis"]["gap"] == 1000


@test
def a_gap_changes_only_scores_near_it():
    rows = series()
    puad("fit", "s.csv", *FIT, "--method", "if", "-o", "p.st")
    whole = scores(puad("score", "p.st", "s.csv").stdout)
    for i in range(800, 1500):
        rows[i][0] = (START + timedelta(days=30, minutes=i)).isoformat()
    write("gap.csv", rows)
    parts = scores(puad("score", "p.st", "gap.csv").stdout)
    assert parts[:768] == whole[:768] and parts[832:] == whole[832:] and parts[768:832] != whole[768:832]


@test
def rows_out_of_order_are_an_error_when_there_are_many():
    rows = series()
    draw = random.Random(1)
    draw.shuffle(rows)
    write("u.csv", rows)
    told = puad("fit", "u.csv", *FIT, "-o", "w.st", code=1).stderr
    assert "time" in told and "sort" in told, told
    write("u.csv", [row for row in series() for _ in range(2)])
    told = puad("fit", "u.csv", *FIT, "-o", "w.st", code=1).stderr
    assert has(told, "1500 rows", "row 1", "2024-03-01") and "--series-column" in told, told


@test
def a_repeated_time_stamp_is_noted_and_counts_as_a_step():
    rows = series()
    rows[77][0] = rows[76][0]
    write("d.csv", rows)
    told = puad("score", "m.st", "d.csv")
    assert has(told.stderr, "1 rows", "row 77")
    assert scores(told.stdout) == scores(puad("score", "m.st", "s.csv").stdout)


@test
def a_time_stamp_that_cannot_be_read_is_named():
    rows = series()
    rows[40][0] = "soon"
    write("b.csv", rows)
    assert has(puad("fit", "b.csv", *FIT, "-o", "w.st", code=1).stderr, "b.csv", "line 42", "row 40", "'soon'", "'when'")
    rows[40][0] = ""
    write("b.csv", rows)
    assert has(puad("score", "m.st", "b.csv", code=1).stderr, "line 42", "row 40", "'when'")


@test
def a_series_shorter_than_a_window_is_rejected_in_training_but_scored():
    write("short.csv", series(20))
    told = puad("fit", "short.csv", *FIT, "-o", "w.st", code=2).stderr
    assert has(told, "32 rows", "20 rows"), told
    found = scores(puad("score", "m.st", "short.csv").stdout)
    assert len(found) == 20 and len(set(found)) == 1 and math.isfinite(found[0])
    write("one.csv", series(1))
    assert len(scores(puad("score", "m.st", "one.csv").stdout)) == 1


@test
def an_explanation_names_the_channel_and_the_aspect():
    rows = list(csv.DictReader(io.StringIO(puad("score", "m.st", "s.csv", "--top", "5", "--explain", "2").stdout)))
    for row in rows:
        assert row["reasons"].startswith("a level=0.") and "(usual -0." in row["reasons"], row
    for method in "puae", "pusvdd":
        puad("fit", "s.csv", *FIT, "--label-column", "fault", "--method", method, "--network", "conv1d", "-o", "e.st")
        rows = list(csv.DictReader(io.StringIO(puad("score", "e.st", "s.csv", "--top", "5", "--explain", "2").stdout)))
        assert all(row["reasons"].startswith("a ") for row in rows), rows


@test
def explanations_of_a_stream_are_those_of_the_file():
    for stride in "4", "30":
        puad("fit", "s.csv", *FIT, "--label-column", "fault", "--stride", stride, "--method", "puae", "--epochs", "2", "-o", "e.st")
        with open("s.csv") as file:
            assert puad("score", "e.st", "-", "--explain", "2", given=file.read()).stdout == puad("score", "e.st", "s.csv", "--explain", "2").stdout
        of_last = puad("score", "e.st", "s.csv", "--explain", "1").stdout.splitlines()[-1]
        assert " of 32 " in of_last or "=" in of_last, of_last


@test
def a_query_asks_about_intervals_that_share_no_row_and_fit_takes_the_answers():
    write("q.csv", series())
    write("few.csv", [[FAULTS[0][0], 0]], ("x", "y"))
    with open("few.csv", "w") as file:
        file.write(f"start,end\n{START + timedelta(minutes=300)},{START + timedelta(minutes=329)}\n")
    puad("fit", "q.csv", *FIT, "--ignore", "fault", "--intervals", "few.csv", "-o", "q.st")
    asked = list(csv.DictReader(io.StringIO(puad("query", "q.st", "q.csv", "-n", "10").stdout)))
    assert len(asked) == 10 and all(row["label"] == "" for row in asked)
    spans = sorted((row["start"], row["end"]) for row in asked)
    assert all(a[1] < b[0] for a, b in zip(spans, spans[1:])), spans
    minutes = lambda text: (datetime.fromisoformat(text) - START).total_seconds() / 60
    assert all(minutes(end) - minutes(begin) == 31 for begin, end in spans), spans
    hit = lambda row: any(minutes(row["start"]) < b and minutes(row["end"]) >= a for a, b in FAULTS)
    assert not any(minutes(row["start"]) < 330 and minutes(row["end"]) >= 300 for row in asked)  # it is labeled
    assert any(hit(row) for row in asked), asked
    with open("answers.csv", "w") as file:
        file.write(f"start,end,label\n{START + timedelta(minutes=300)},{START + timedelta(minutes=329)},1\n")
        for row in asked[:-1]:
            file.write(f"{row['start']},{row['end']},{1 if hit(row) else -1}\n")
        file.write(f"{asked[-1]['start']},{asked[-1]['end']},\n")  # not known
    told = json.loads(puad("fit", "q.csv", *FIT, "--ignore", "fault", "--intervals", "answers.csv", "--json", "-o", "q2.st").stdout.splitlines()[-1])
    facts = json.loads(puad("inspect", "q2.st", "--json").stdout)["facts"]
    assert facts["normals"] >= 3 and facts["anomalies"] > 11, (told, facts)
    with open("answers.csv", "a") as file:
        file.write("2024-03-01,2024-03-02,perhaps\n")
    assert "label 'perhaps', expected 1" in puad("fit", "q.csv", *FIT, "--ignore", "fault", "--intervals", "answers.csv", "-o", "w.st", code=1).stderr
    puad("fit", "s.csv", "--window", "32", "--ignore", "when", "--threads", "1", "-q", "--method", "if", "-o", "n.st")
    assert "time" in puad("query", "n.st", "s.csv", code=2).stderr


@test
def a_fault_in_a_wave_stands_out_whatever_its_phase():
    with open("wave.csv", "w") as file:
        file.write("t,a,b\n")
        for i in range(3000):
            file.write(f"{i},{math.sin(i / 8) + (1.5 if 1500 <= i < 1520 else 0)},{math.cos(i / 8)}\n")
    puad("fit", "wave.csv", "--time-column", "t", "--threads", "1", "-o", "wave.st")
    rows = list(csv.DictReader(puad("score", "wave.st", "wave.csv", "--top", "10").stdout.splitlines()))
    assert all(1490 <= int(row["row"]) < 1530 for row in rows), rows


@test
def options_unsupported_for_series_are_rejected():
    fit = "fit", "s.csv", "--threads", "1", "-o", "w.st"
    assert has(puad(*fit, "--window", "8", "--stride", "9", code=2).stderr, "--stride", "8 rows", "9")
    assert has(puad(*fit, "--stride", "9", code=2).stderr, "--stride", "--window")
    for command in (["export", "m.st", "-o", "m.onnx"], ["query", "m.st", "s.csv", "--answers", "x.csv"], ["fit", "s.csv", *FIT, "--update", "m.st", "-o", "w.st"]):
        assert "time series" in puad(*command, code=2).stderr, command
    assert "'clock'" in puad("score", "m.st", "s.csv", "--time-column", "clock", code=2).stderr


@test
def decisions_rest_on_blocks_that_share_no_window_with_training():
    rows = series(24000)
    for i, row in enumerate(rows):  # a fault every 300 rows; half of them labeled
        fault = i % 300 < 40
        row[1] = f"{0.9 + random.Random(i).gauss(0, .05):.4f}" if fault else row[1]
        row[3] = int(fault and i % 600 < 40)
    write("c.csv", rows)
    for method, folded in ("committee", True), ("puae", False):
        puad("fit", "c.csv", *FIT[:2], "--window", "16", "--threads", "1", "--quiet", "--label-column", "fault", "--method", method, "--calibrate=0.3", "-o", "c.st")
        told = json.loads(puad("inspect", "c.st", "--json").stdout)
        calibration = told["calibration"]
        assert calibration["unlabeled"] >= 50 and calibration["folded"] == folded
        assert told["facts"]["rows"] < 24000 / 2 * 0.8  # windows that touch what is held out do not train
        decided = list(csv.DictReader(io.StringIO(puad("score", "c.st", "c.csv", "--fdr", "0.2").stdout)))
        flagged = [i for i, row in enumerate(decided) if row["flag"] == "1"]
        right = sum(i % 300 < 48 or i % 300 > 292 for i in flagged)
        assert len(flagged) > 300 and right > 0.7 * len(flagged), (method, len(flagged), right)
        best = json.loads(puad("operate", "c.st", "--json").stdout)
        assert best["auroc"]["value"] > 0.9, best["auroc"]
        assert "time series" in puad("score", "c.st", "c.csv", "--fdr", "0.2", "--kind", code=2).stderr
    few = puad("fit", "s.csv", *FIT, "--label-column", "fault", "--calibrate", "-o", "w.st", code=2).stderr
    assert "50" in few, few


@test
def networks_with_convolutions_along_the_window_learn_and_do_not_depend_on_threads():
    for method in "puae", "pusvdd", "pu":
        for threads in "1", "2":
            puad("fit", "s.csv", *FIT[:4], "--quiet", "--threads", threads, "--label-column", "fault", "--method", method, "--network", "conv1d", "-o", f"{threads}.st")
        found = puad("score", "1.st", "s.csv").stdout
        assert found == puad("score", "2.st", "s.csv").stdout, method
        told = json.loads(puad("eval", "1.st", "s.csv", "--label-column", "fault", "--json").stdout)
        assert told["auroc"] > 0.9, (method, told["auroc"])
    assert "conv1d" in puad("fit", "s.csv", "--ignore", "when", "--label-column", "fault", "--method", "puae", "--network", "conv1d", "-o", "w.st", code=2).stderr


@test
def rows_without_times_are_one_segment():
    puad("fit", "s.csv", "--window", "32", "--ignore", "when", "--label-column", "fault", "--threads", "1", "--quiet", "-o", "n.st")
    assert scores(puad("score", "n.st", "s.csv").stdout) == scores(puad("score", "m.st", "s.csv").stdout)


def row_number(row):
    return int((datetime.fromisoformat(row[0]) - START).total_seconds()) // 60


def has_forest(model):
    return any(line.startswith("forest ") for line in puad("inspect", model).stdout.splitlines())


@test
def labels_that_predict_each_other_add_a_forest():
    fit = "fit", "f.csv", "--time-column", "when", "--window", "32", "--quiet", "--label-column", "fault"
    rows = series(3000, seed=8)
    write("f.csv", rows)
    for threads in "1", "2":
        puad(*fit, "--threads", threads, "-o", f"f{threads}.st")
    assert open("f1.st", "rb").read() == open("f2.st", "rb").read()
    assert has_forest("f1.st")
    puad(*fit, "--seed", "1", "--set", "novelty=0.5", "-o", "f3.st")
    assert scores(puad("score", "f3.st", "f.csv").stdout) != scores(puad("score", "f1.st", "f.csv").stdout)
    write("g.csv", series(3000, seed=9))
    puad("fit", "f.csv", *FIT, "--ignore", "fault", "-o", "u.st")
    precision = {model: json.loads(puad("eval", model, "g.csv", "--label-column", "fault", "--json").stdout)["average_precision"] for model in ("f1.st", "u.st")}
    assert precision["f1.st"] > precision["u.st"], precision


@test
def two_labeled_faults_are_too_few_for_a_forest():
    rows = series(3000, seed=8)
    for row in rows:
        row[3] = int(any(a <= row_number(row) < b for a, b in FAULTS[:2]))
    write("f.csv", rows)
    puad("fit", "f.csv", *FIT, "--label-column", "fault", "-o", "f.st")
    assert not has_forest("f.st")


@test
def labels_that_are_not_used_change_no_score():
    rows = series(3000, seed=8)
    for row in rows:  # labels of usual rows
        row[3] = int(any(a + 100 <= row_number(row) < b + 100 for a, b in FAULTS[:2]))
    write("f.csv", rows)
    puad("fit", "f.csv", *FIT, "--label-column", "fault", "-o", "n.st")
    puad("fit", "f.csv", *FIT, "--ignore", "fault", "-o", "u.st")
    assert scores(puad("score", "n.st", "f.csv").stdout) == scores(puad("score", "u.st", "f.csv").stdout)


@test
def a_calibrated_model_with_a_forest_expects_to_find_the_labeled_faults():
    rows = series(6000, seed=8)
    for row in rows:  # the sensor freezes every 300 rows; half of the faults are labeled
        fault = row_number(row) % 300 < 32
        row[1] = f"{0.9 + random.Random(row[0]).gauss(0, .05):.4f}" if fault else row[1]
        row[3] = int(fault and row_number(row) % 600 < 32)
    write("f.csv", rows)
    puad("fit", "f.csv", *FIT[:2], "--window", "16", "--threads", "1", "--quiet", "--label-column", "fault", "--calibrate=0.3", "-o", "f.st")
    assert has_forest("f.st")
    table = json.loads(puad("operate", "f.st", "--json").stdout)
    best = max(point["recall"]["raw"] - point["flagged"] for point in table["points"])
    assert best > 0.7, table["points"]


def events_by_definition(found, truth, runs, join, limit):
    """Events found at the lowest threshold that keeps the limit on false alarms, straight from the definition."""
    rows = range(len(found))
    events, near = [], set()
    for i in rows:
        if truth[i] and i and truth[i - 1] and runs[i] == runs[i - 1]:
            events[-1].append(i)
        elif truth[i]:
            events.append([i])
    for event in events:
        near |= {i for i in range(max(event[0] - join + 1, 0), min(event[-1] + join, len(found))) if runs[i] == runs[event[0]]}

    def false_alarms(threshold):
        flagged = [i for i in rows if found[i] >= threshold and i not in near]
        return sum(k == 0 or i - flagged[k - 1] > join or runs[i] != runs[flagged[k - 1]] for k, i in enumerate(flagged))

    best = None
    for threshold in sorted(set(found), reverse=True):
        if false_alarms(threshold) > limit:
            break
        best = threshold
    if best is None:
        return None, 0, 0, []
    delays = [next(k for k, i in enumerate(event) if found[i] >= best) for event in events if max(found[i] for i in event) >= best]
    return best, false_alarms(best), len(events), sorted(delays)


@test
def events_are_counted_for_limits_on_false_alarms():
    rows = series(900, seed=5, run="x") + series(900, seed=6, stamp=lambda i: (START + timedelta(days=9, minutes=i)).isoformat(), run="y")
    draw = random.Random(3)
    for i in draw.sample(range(len(rows)), 12):  # steps that are not labeled: false alarms
        rows[i][1] = f"{float(rows[i][1]) + .4:.4f}"
    write("e.csv", rows, ("when", "a", "b", "fault", "run"))
    puad("fit", "e.csv", *FIT, "--series-column", "run", "--ignore", "fault", "-o", "e.st")
    found = scores(puad("score", "e.st", "e.csv").stdout)
    result = json.loads(puad("eval", "e.st", "e.csv", "--label-column", "fault", "--json").stdout)["events"]
    assert [at["false_alarms_per_10000_rows"] for at in result] == [0, 1, 10], result
    for at in result:
        best, alarms, events, delays = events_by_definition(found, [row[3] for row in rows], [row[4] for row in rows], 32, int(at["false_alarms_per_10000_rows"] * 1800 / 1e4))
        assert (at["threshold"] is None) == (best is None) and (best is None or abs(at["threshold"] - best) < 1e-6), (at, best)
        assert (at["false_alarms"], at["found"]) == (alarms, len(delays)), (at, alarms, delays)
        assert best is None or at["events"] == events == 4, at
        if delays:
            assert at["median_delay_rows"] == (delays[(len(delays) - 1) // 2] + delays[len(delays) // 2]) / 2, (at, delays)
    assert result[2]["found"] >= 2, result


@test
def single_rows_and_segments_longer_than_a_window_are_found_without_labels():
    draw = random.Random(9)
    rows, base = [], [draw.gauss(0, 1) for _ in range(4)]
    for i in range(4000):
        base = [0.95 * value + draw.gauss(0, 0.3) for value in base]
        single, long = i % 400 == 399, 2000 <= i < 2600  # ten rows; 15% of the series, six windows
        a, b = base[0], base[0] + base[1]  # c repeats their sum
        c = a + b + draw.gauss(0, 0.1) + (1.5 if single else 0)
        d = math.sin(i / 6) * (0.3 if long else 1) + draw.gauss(0, 0.05)
        rows.append([i, a, b, c, d, int(single), int(long)])
    write("p.csv", rows, ("when", "a", "b", "c", "d", "single", "long"))
    puad("fit", "p.csv", "--time-column", "when", "--window", "100", "--ignore", "single", "--ignore", "long", "--threads", "1", "--quiet", "-o", "p.st")
    found = scores(puad("score", "p.st", "p.csv").stdout)
    normal = sorted((found[i] for i in range(4000) if not rows[i][5] and not rows[i][6]), reverse=True)
    assert sum(found[i] > normal[34] for i in range(399, 4000, 400)) >= 9  # one normal row in a hundred is above
    assert sum(found[i] > normal[340] for i in range(2050, 2550)) >= 450  # one in ten


@test
def a_table_has_no_events():
    write("t.csv", [[i, i % 7, 0, int(i % 50 == 0)] for i in range(300)])
    puad("fit", "t.csv", "--label-column", "fault", "--ignore", "when", "--quiet", "-o", "t.st")
    assert "events" not in json.loads(puad("eval", "t.st", "t.csv", "--label-column", "fault", "--json", "--quiet").stdout)


finish()
