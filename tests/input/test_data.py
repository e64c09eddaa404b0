#!/usr/bin/env python3
"""puad data on files that Python's csv module, NumPy and Pillow wrote: what it reports is what they hold."""
import csv, gzip, io, json, math, os, random, re, shlex, struct, subprocess, sys, tempfile
import numpy as np
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, has, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def puad(*arguments, stdin=None, code=0):
    done = subprocess.run([PUAD, "data", *arguments], input=stdin, capture_output=True)
    assert done.returncode == code, f"exit {done.returncode}: {done.stderr.decode()}"
    return done


def data(*arguments, stdin=None):
    return json.loads(puad(*arguments, "--json", stdin=stdin).stdout)


def column(found, name):
    return next(c for c in found["columns"] if c["name"] == name)


def write_csv(name, rows, encoding="utf-8", **how):
    with open(path(name), "w", newline="", encoding=encoding) as file:
        csv.writer(file, **how).writerows(rows)
    return path(name)


NASTY = ['plain', 'with, comma', 'with; semicolon', 'with "quotes"', 'two\nlines', 'crlf\r\ninside', "tab\there", '"', ' lead',
         'ünïcödé', '日本', "it's", '""', 'a"b', '|']


def random_rows(count, seed):
    draw = random.Random(seed)
    return [[draw.choice(NASTY), repr(draw.gauss(0, 1000)), draw.choice(["", "NA", repr(draw.random())]), str(draw.randrange(5))]
            for _ in range(count)]


@test
def nasty_cells_survive_every_dialect():
    for delimiter in ",;\t|":
        for terminator in "\n", "\r\n":
            for quoting in csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC:
                for bom in "utf-8", "utf-8-sig":
                    rows = random_rows(300, f"{delimiter}{terminator}{quoting}")
                    file = write_csv("nasty.csv", [["text", "number", "sometimes", "digit"]] + rows, bom, delimiter=delimiter,
                                     lineterminator=terminator, quoting=quoting)
                    found = data(file)
                    assert found["delimiter"] == delimiter and found["header"] is True
                    assert found["rows"] == 300, found["rows"]
                    if quoting == csv.QUOTE_MINIMAL:  # blanks count only within quotes
                        rows = [[r[0].strip(" ") if r[0] == " lead" else r[0], *r[1:]] for r in rows]
                    text = column(found, "text")
                    assert text["type"] == "category" and text["distinct_texts"] == len(set(r[0] for r in rows))
                    for value, count in text["texts_most"].items():
                        assert sum(r[0] == value for r in rows) == count, (value, count)
                    numbers = [float(r[1]) for r in rows]
                    number = column(found, "number")
                    assert number["type"] == "number" and number["min"] == min(numbers) and number["max"] == max(numbers)
                    assert math.isclose(number["mean"], np.mean(numbers), rel_tol=1e-9, abs_tol=1e-9)
                    assert math.isclose(number["sd"], np.std(numbers), rel_tol=1e-9)
                    assert column(found, "sometimes")["missing"] == sum(r[2] in ("", "NA") for r in rows)


@test
def records_across_slices_are_read_once():
    rows = random_rows(60000, 5)  # several slices of 256 KB, with line feeds inside quotes
    file = write_csv("long.csv", [["text", "number", "sometimes", "digit"]] + rows)
    for threads in "1", "2", "5":
        found = data(file, "--threads", threads)
        assert found["rows"] == 60000
        counts = column(found, "text")["texts_most"]
        assert all(sum(r[0].strip(" ") == value for r in rows) == count for value, count in counts.items())
        numbers = np.array([float(r[1]) for r in rows])
        assert column(found, "number")["min"] == numbers.min() and column(found, "number")["max"] == numbers.max()
        assert math.isclose(column(found, "number")["mean"], numbers.mean(), rel_tol=1e-7)


@test
def standard_input_and_gzip_read_like_the_file():
    rows = random_rows(1000, 6)
    file = write_csv("plain.csv", [["text", "number", "sometimes", "digit"]] + rows)
    content = open(file, "rb").read()
    with gzip.open(path("packed.csv.gz"), "wb") as packed:
        packed.write(content)
    expected = data(file)
    packed = data(path("packed.csv.gz"))
    assert {**packed, "name": expected["name"]} == expected
    piped = data("-", stdin=content)  # what fit would do takes a second look, which a pipe does not give
    for c in expected["columns"]:
        assert c.pop("fit")
    assert {**piped, "name": expected["name"], "notes": expected["notes"]} == expected


@test
def semicolons_with_decimal_commas_are_understood():
    file = write_csv("german.csv", [["a", "b"], ["1,5", "2"], ["2,5", "3"], ["-3,25", "4"]], delimiter=";")
    found = data(file)
    assert found["decimal"] == "," and found["delimiter"] == ";"
    assert column(found, "a")["min"] == -3.25 and column(found, "a")["max"] == 2.5


@test
def the_decimal_mark_can_be_forced():
    file = write_csv("thousands.csv", [["a", "b"], ["1,500", "2"], ["2,500", "3"], ["3,250", "4"]], delimiter=";")
    assert column(data(file), "a")["max"] == 3.25
    forced = data(file, "--decimal", "point")
    assert forced["decimal"] == "." and column(forced, "a")["max"] == 3250, forced
    file = write_csv("comma.csv", [["a", "b"], ["1,5", "2"], ["2,55", "3"], ["3,2", "4"]], delimiter=";")
    assert column(data(file, "--decimal", "point"), "a")["type"] == "category"
    file = write_csv("quoted.csv", [["a", "b"], ["1,5", "2"], ["2,5", "3"]])
    forced = data(file, "--decimal", "comma")
    assert column(forced, "a")["max"] == 2.5 and column(forced, "b")["max"] == 3, forced


@test
def a_file_without_header_is_recognized():
    found = data(write_csv("bare.csv", [["5.1", "3.5", "setosa"], ["4.9", "3.0", "setosa"], ["7", "3.2", "versicolor"]]))
    assert found["header"] is False and found["rows"] == 3
    assert [c["name"] for c in found["columns"]] == ["column_1", "column_2", "column_3"]
    found = data(path("bare.csv"), "--header", "yes")
    assert found["rows"] == 2 and found["columns"][2]["name"] == "setosa"


@test
def odd_headers_get_names_that_differ():
    found = data(write_csv("names.csv", [["", "a", "a", "a.1", "größe"], ["0", "1", "2", "3", "4"], ["1", "2", "3", "4", "5"]]))
    names = [c["name"] for c in found["columns"]]
    assert len(set(names)) == 5 and names[0] == "column_1" and names[1] == "a" and names[4] == "größe"
    file = path("latin.csv")
    open(file, "wb").write("größe,b\n1,ä\n2,ö\n3,ä\n".encode("latin-1"))
    found = data(file)
    assert found["columns"][0]["name"] == "größe" and found["columns"][1]["texts_most"] == {"ä": 2, "ö": 1}


@test
def labels_missing_cells_and_repeated_rows_are_counted():
    rows = [["x", "y", "k"], ["1", "a", "1"], ["1", "a", "0"], ["2", "", ""], ["nan", "b", "-1"], ["2", "", "0"]]
    found = data(write_csv("labels.csv", rows), "--label-column", "k")
    assert found["labels"] == {"anomaly": 1, "unlabeled": 3, "normal": 1}
    assert found["missing"] == 3 and found["duplicates"] == 2
    found = data(path("labels.csv"), "--label-column", "k", "--positive", "0", "--unlabeled", "1")
    assert found["labels"] == {"anomaly": 2, "unlabeled": 2, "normal": 1}


@test
def arrays_of_numpy_are_described():
    draw = np.random.default_rng(1)
    x = draw.normal(size=(50, 4))
    x[3, 1] = np.nan
    x[7] = x[6]
    y = draw.integers(-1, 2, size=50)
    np.savez(path("t.npz"), X=np.asfortranarray(x), y=y)
    np.save(path("t.npy"), x.astype(np.float32))
    np.save(path("y.npy"), y)
    for found in data(path("t.npz")), data(path("t.npy"), "--labels-array", path("y.npy")):
        assert found["rows"] == 50 and found["shape"] == [50, 4] and found["kind"] == "table"
        assert found["missing"] == 1 and found["duplicates"] == 1
        assert found["labels"] == {"anomaly": int((y == 1).sum()), "unlabeled": int((y == 0).sum()),
                                   "normal": int((y == -1).sum())}
        assert math.isclose(found["columns"][0]["min"], x[:, 0].min(), rel_tol=1e-6)
        assert math.isclose(found["columns"][2]["sd"], x[:, 2].std(), rel_tol=1e-6)


@test
def labels_in_arrays_may_be_texts():
    x = np.random.default_rng(3).normal(size=(60, 3))
    y = np.array(["fraud", "", "fine"] * 20)
    np.savez(path("words.npz"), X=x, y=y)
    np.savez(path("bytes.npz"), X=x, y=np.char.encode(y))
    named = ["--positive", "fraud", "--negative", "fine"]
    for name in "words.npz", "bytes.npz":
        assert data(path(name), *named)["labels"] == {"anomaly": 20, "unlabeled": 20, "normal": 20}
    fit = subprocess.run([PUAD, "fit", path("words.npz"), *named, "--method", "if", "-q", "--json", "-o", path("words.safetensors")], capture_output=True, check=True)
    assert json.loads(fit.stdout)["anomalies"] == 20
    unknown = subprocess.run([PUAD, "fit", path("words.npz"), "-q", "-o", path("words.safetensors")], capture_output=True)
    assert unknown.returncode == 1 and has(unknown.stderr, b"row 0", b"fraud")
    np.savez(path("words.npz"), X=y, y=y)
    assert has(puad(path("words.npz"), code=1).stderr, b"words.npz", b"X")


@test
def images_in_arrays_and_folders_are_described():
    pixels = np.random.default_rng(2).integers(0, 256, size=(6, 10, 12, 3), dtype=np.uint8)
    np.save(path("i.npy"), pixels)
    found = data(path("i.npy"))
    assert found["kind"] == "images" and found["shape"] == [6, 10, 12, 3] and found["dtype"] == "uint8"
    assert found["min"] == pixels.min() and found["max"] == pixels.max()
    with open(path("i.idx"), "wb") as file:
        file.write(struct.pack(">HBBIII", 0, 8, 3, 6, 10, 12) + pixels[..., 0].tobytes())
    assert data(path("i.idx"))["shape"] == [6, 10, 12, 1]
    for i, image in enumerate(pixels):
        os.makedirs(path(f"pictures/{'good' if i % 3 else 'bad'}"), exist_ok=True)
        Image.fromarray(image).save(path(f"pictures/{'good' if i % 3 else 'bad'}/{i}.png"))
    found = data(path("pictures"), "--positive", "bad", "--unlabeled", "good")
    assert found["shape"] == [6, 10, 12, 3] and found["classes"] == {"good": 4, "bad": 2}
    assert found["labels"] == {"anomaly": 2, "unlabeled": 4, "normal": 0}


@test
def mistakes_are_answered_with_place_and_exit_code():
    assert b"'z'" in puad(write_csv("e.csv", [["a", "b"], ["1", "2"]]), "--label-column", "z", code=2).stderr
    assert b"'Z'" in puad(path("t.npz"), "--features", "Z", code=2).stderr
    assert has(puad(write_csv("f.csv", [["a", "b"], ["1", "2"], "123"]), code=1).stderr, b"line 3", b"3 cells", b"2")
    assert b"missing.csv" in puad(path("missing.csv"), code=1).stderr
    with gzip.open(path("cut.csv.gz"), "wb") as packed:
        packed.write(os.urandom(1000).hex().encode() + b"\n1\n" * 1000)
    content = open(path("cut.csv.gz"), "rb").read()
    open(path("cut.csv.gz"), "wb").write(content[:-30])
    assert b"cut.csv.gz" in puad(path("cut.csv.gz"), code=1).stderr


@test
def named_sets_are_described_by_part_and_class():
    found = data("glyphs")
    assert found["synthetic"] is True and found["kind"] == "images" and found["shape"][1:] == [32, 32, 1]
    assert len(found["class_names"]) == 10 and sum(found["parts"]["train"]["classes"].values()) == found["parts"]["train"]["rows"]
    assert found["duplicates"] == 0
    assert b"glyfs" in puad("glyfs", code=1).stderr


@test
def previews_are_pictures():
    for name, arguments in ("glyphs", ["glyphs"]), ("toy", ["toy"]), ("table", [path("labels.csv"), "--label-column", "k"]), \
            ("folder", [path("pictures")]), ("array", [path("i.npy")]):
        puad(*arguments, "--preview", path(name + ".png"))
        with Image.open(path(name + ".png")) as picture:
            pixels = np.asarray(picture.convert("L"))
            assert min(pixels.shape) > 100 and pixels.std() > 5, (name, pixels.shape)
    assert b"--preview" in puad("-", "--preview", path("x.png"), stdin=b"a,b\n1,2\n2,3\n", code=2).stderr


@test
def pictures_of_other_kinds_are_counted():
    pixels = np.random.default_rng(3).integers(0, 256, size=(24, 12, 12), dtype=np.uint8)
    os.makedirs(path("kinds/more"))
    for i, image in enumerate(pixels):
        Image.fromarray(image).save(path(f"kinds/{i}.{'png' if i < 20 else 'gif'}"))
    Image.fromarray(pixels[0]).save(path("kinds/more/x.GIF"))
    open(path("kinds/notes.txt"), "w").write("no picture")
    assert data(path("kinds"))["passed_over"] == 5
    assert re.search(rb"\b5 images", puad(path("kinds")).stdout)
    done = subprocess.run([PUAD, "fit", path("kinds"), "--method", "if", "-o", path("kinds.st")], capture_output=True)
    assert done.returncode == 0 and b"5 images" in done.stderr, done.stderr
    done = subprocess.run([PUAD, "score", path("kinds.st"), path("kinds")], capture_output=True)
    assert done.stdout.count(b"\n") == 21 and b"5 images" in done.stderr, done.stderr
    assert has(puad(path("kinds/more"), code=1).stderr, b"kinds/more", b"1")


@test
def pipes_are_read_once():
    file = write_csv("pipe.csv", [["a", "b"], ["1", "2"], ["3", "4"], ["5", "7"]])
    for command in "data <(cat '%s') --json" % file, "data --json /dev/stdin < <(cat '%s')" % file:
        done = subprocess.run(["bash", "-c", f"'{PUAD}' {command}"], capture_output=True, timeout=60)
        assert done.returncode == 0 and json.loads(done.stdout)["rows"] == 3, done.stderr


@test
def errors_in_several_files_name_the_file_and_its_line():
    good = write_csv("j1.csv", [["a", "k"], ["1", "0"], ["3", "1"]])
    bad = write_csv("j2.csv", [["a", "k"], ["1", "0"], ["3", "oops"]])
    with open(path("j3.csv"), "w") as file:
        file.write('a,k\n1,0\n3,"4\n')
    for inputs, *place in (([good, bad], "j2.csv", "line 3", "row 3", "'oops'"), ([bad, good], "j2.csv", "line 3", "row 1", "'oops'"),
                           ([good, good, bad], "j2.csv", "line 3", "row 5"), ([good, path("j3.csv")], "j3.csv", "line 3")):
        done = subprocess.run([PUAD, "fit", *inputs, "--label-column", "k", "-o", path("m")], capture_output=True, text=True)
        assert done.returncode == 1 and has(done.stderr, *place), done.stderr


@test
def text_output_is_readable():
    codes = write_csv("codes.csv", [["code", "zip"]] + [[c, z] for c, z in zip(["7", "8", "A1", "7"] * 5, ["10115", "20095"] * 10)])
    lines = puad(codes, "--categorical", "zip").stdout.decode().splitlines()
    shown = [line for line in lines if line.startswith("  code ") or line.startswith("  zip ")]  # as read, then as fit would use them
    assert len(shown) == 4 and shown[0].endswith("7 (10), 8 (5), A1 (5)") and shown[1].endswith("10115 (10), 20095 (10)"), lines
    assert "category of 3" in shown[2] and "category of 2" in shown[3] and lines[-2:] == shown[2:], lines
    puad(codes, "--categorical", "zip", "--preview", path("codes.svg"))
    drawn = open(path("codes.svg")).read()
    assert all(word in drawn for word in ("A1", "10115", "20095", "zip")), "bars are missing"
    times = write_csv("times.csv", [["t", "v"]] + [[str(1700000000 + i), str(i)] for i in range(1000)])
    assert "1700000000 to 1700000999, mean 1700000500" in puad(times).stdout.decode(), puad(times).stdout
    three = write_csv("three.csv", [["v", "k"]] + [[str(i), str(i % 3)] for i in range(9)])
    out = puad(three, "--label-column", "k").stdout.decode()
    assert has(out, "3 rows", "'2'") and "--positive" in out, out
    assert data(three, "--label-column", "k")["labels_unknown"] == {"rows": 3, "first": "2"}
    out = puad(path("labels.csv"), "--label-column", "k").stdout.decode()
    assert "5 rows, 3 columns" in out and "labels: 1 anomalies, 3 unlabeled, 1 normal" in out


def suggest(name, header, rows, *arguments):
    """What `data` suggests, with the names and columns of its warnings."""
    found = data(write_csv(name, [header] + rows), *arguments)
    return found["suggested"], [(w["name"], w.get("column")) for w in found["warnings"]], found


@test
def the_suggested_command_trains_on_labels_of_yes_and_no():
    for yes, no in ("TRUE", "FALSE"), ("yes", "no"):
        draw = np.random.default_rng(2)
        rows = [[f"{draw.normal(4 * (i % 9 == 0)):.3f}", f"{draw.normal():.3f}", yes if i % 9 == 0 else no] for i in range(300)]
        found = data(write_csv("bool.csv", [["size", "weight", "fraud"]] + rows))["suggested"]
        assert found["label_column"] == "fraud" and found["positive"] == yes, found
        words = shlex.split(found["fit"])
        assert words[:2] == ["puad", "fit"], words
        done = subprocess.run([PUAD, *words[1:-1], path("bool.st")], capture_output=True, text=True)
        assert done.returncode == 0 and "34 labeled anomalies" in done.stderr, done.stderr


def payments(count=400, seed=3):
    """Two features and whether the row is an anomaly, 24 of 400."""
    draw = random.Random(seed)
    return [([f"{draw.gauss(0, 1):.3f}", draw.choice("abc")], i % 50 < 3) for i in range(count)]


def runs(command, model="suggested.safetensors"):
    """A suggested command, run by a shell with a quick method."""
    command = command.replace("puad fit", f"'{PUAD}' fit", 1).replace("model.safetensors", f"'{path(model)}'") + " --method if --json -q"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return json.loads(done.stdout)


@test
def a_clean_file_has_no_warning_and_no_suggestion():
    suggested, warned, found = suggest("clean.csv", ["u", "v"], [x for x, _ in payments()])
    assert suggested == {} and warned == [] and "refused" not in found
    assert puad(path("clean.csv")).stderr == b""
    rows = [x + [int(bad)] for x, bad in payments()]
    suggested, warned, _ = suggest("clean_labels.csv", ["u", "v", "k"], rows, "--label-column", "k")
    assert suggested == {} and warned == []


@test
def a_label_column_is_suggested_by_name_and_by_values():
    rows = [x + [int(bad)] for x, bad in payments()]
    suggested, warned, _ = suggest("by name.csv", ["u", "v", "is_fraud"], rows)
    assert warned == [("likely_label", "is_fraud")], warned
    assert suggested["label_column"] == "is_fraud" and "positive" not in suggested and "id_column" not in suggested
    assert runs(suggested["fit"])["anomalies"] == 24
    for good, bad_value, header in ("it's ok", "bad; $HOME", "the outcome"), ("1", "2", "Class"), ("1", "0", "label"), ("1", "-1", "label"):
        rows = [x + [bad_value if bad else good] for x, bad in payments()]
        suggested, warned, _ = suggest("by value.csv", ["u", "v", header], rows)
        assert suggested["label_column"] == header and suggested["positive"] == bad_value, suggested
        assert runs(suggested["fit"])["anomalies"] == 24
    rows = [x + ["fraud" if bad else "normal"] for x, bad in payments()]
    suggested, warned, _ = suggest("values.csv", ["u", "v", "w"], rows)
    assert warned == [("likely_label", "w")] and suggested["positive"] == "fraud", suggested
    assert runs(suggested["fit"])["anomalies"] == 24


@test
def own_label_values_keep_their_meaning():
    rows = [x + [1 if bad else -1 if i % 4 == 0 else 0] for i, (x, bad) in enumerate(payments())]
    suggested, _, _ = suggest("usual.csv", ["u", "v", "label"], rows)
    assert suggested["label_column"] == "label" and "positive" not in suggested, suggested
    counts = runs(suggested["fit"])
    assert counts["anomalies"] == 24 and counts["normals"] > 0, counts


@test
def label_values_are_suggested_for_a_column_that_is_named():
    rows = [x + ["fraud" if bad else "fine"] for x, bad in payments()]
    suggested, _, found = suggest("odd.csv", ["u", "v", "k"], rows, "--label-column", "k", "--ignore", "v")
    assert found["labels_unknown"]["rows"] == 400
    assert suggested["label_column"] == "k" and suggested["positive"] == "fraud" and "--ignore=v" in suggested["fit"], suggested
    assert runs(suggested["fit"])["anomalies"] == 24


@test
def an_id_column_is_suggested():
    draw = random.Random(8)
    numbers = list(range(7, 407))
    draw.shuffle(numbers)
    ids = {"texts": [f"K{draw.randrange(10**9)}{i}" for i in range(400)], "counting": range(1, 401), "shuffled": numbers,
           "large": draw.sample(range(10**6), 400)}
    for name, values in ids.items():
        rows = [[value] + x for value, (x, _) in zip(values, payments())]
        suggested, warned, _ = suggest("ids.csv", ["nr", "u", "v"], rows)
        assert suggested["id_column"] == "nr" and "label_column" not in suggested, (name, suggested)
        assert warned == ([("identifier_column", "nr")] if name in ("large", "shuffled") else []), (name, warned)
        runs(suggested["fit"])
        suggested, warned, _ = suggest("ids.csv", ["nr", "u", "v"], rows, "--id-column", "nr")
        assert suggested == {} and warned == [], (name, suggested, warned)


@test
def a_time_column_is_suggested_for_a_series():
    rows = [[f"2024-03-{1 + i // 24:02d} {i % 24:02d}:00:00"] + x for i, (x, _) in enumerate(payments())]
    suggested, _, _ = suggest("times.csv", ["when", "u", "v"], rows)
    assert suggested["time_column"] == "when" and "fit" not in suggested, suggested
    assert "--time-column=when" in suggested["fit_series"]
    suggested, _, _ = suggest("times.csv", ["when", "u", "v"], rows, "--time-column", "when")
    assert "time_column" not in suggested


@test
def leaks_and_labels_are_checked_as_by_fit():
    rows = [x + ["seen" if bad else "", int(bad)] for x, bad in payments()]
    suggested, warned, found = suggest("leak.csv", ["u", "v", "review", "k"], rows, "--label-column", "k")
    fit = subprocess.run([PUAD, "fit", path("leak.csv"), "--label-column", "k", "--method", "if", "--json", "-q", "-o", path("leak.st")],
                         capture_output=True, check=True)
    expected = [w for w in json.loads(fit.stdout)["warnings"] if w.get("column")]
    assert [w for w in found["warnings"]] == expected and ("review" in (column for _, column in warned)), (warned, expected)
    assert b"review" in puad(path("leak.csv"), "--label-column", "k").stderr
    rows = [x + [1] for x, _ in payments()]
    assert "refused" in suggest("all.csv", ["u", "v", "k"], rows, "--label-column", "k")[2]


finish()
