#!/usr/bin/env python3
"""Files as people have them (tests/corpus): what becomes of each column, or how the file is refused; that fit does what data says;
and that a model scores its own training rows as the training file was read.

--write writes tests/corpus/expected.txt anew; read it before it is committed."""
import csv, io, json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ.get("PUAD", "build/puad")
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus")
FILES = os.path.join(CORPUS, "files")
EXPECTED = os.path.join(CORPUS, "expected.txt")
folder = tempfile.TemporaryDirectory()
names = sorted(os.listdir(FILES))


def run(*arguments):
    return subprocess.run([PUAD, *arguments], capture_output=True, text=True, cwd=FILES)


def told(name):
    done = run("data", name, "--json")
    if done.returncode:
        return f"{name}: refused: {done.stderr.strip().removeprefix('puad data: ').removeprefix('error: ')}\n"
    found = json.loads(done.stdout)
    lines = [f"{name}: {found['rows']} rows\n"]
    for c in found["columns"]:
        form = f" ({c['form']})" if "form" in c else ""
        lines.append(f"    {c['name']}: {c['type']}{form} -> {c.get('fit', '?')}\n")
    lines += [f"    note: {note}\n" for note in found["notes"] if not note.startswith("column ") or "ambiguous" in note or
              "three digits" in note or "thousands separator:" in note or "several units" in note]
    return "".join(lines)


if "--write" in sys.argv:
    with open(EXPECTED, "w") as file:
        file.write("".join(told(name) for name in names))
    sys.exit()


@test
def columns_are_read_as_expected():
    text = open(EXPECTED).read()
    assert len(names) >= 30, len(names)
    for name in names:
        assert told(name) in text, told(name)
    assert text == "".join(told(name) for name in names)


@test
def files_that_are_not_rejected_can_be_trained_on_and_scored():
    model = os.path.join(folder.name, "m.safetensors")
    for name in names:
        fit = run("fit", name, "--method", "if", "-o", model)
        if run("data", name).returncode:
            assert fit.returncode == 1, (name, fit.stderr)
            continue
        assert fit.returncode == 0, (name, fit.stderr)
        score = run("score", model, name)
        rows = json.loads(run("data", name, "--json").stdout)["rows"]
        assert score.returncode == 0 and len(list(csv.DictReader(io.StringIO(score.stdout)))) == rows, (name, score.stderr)
        assert "missing" not in score.stderr, (name, score.stderr)  # every cell is read as in training


@test
def packed_and_joined_files_score_as_the_plain_one():
    model = os.path.join(folder.name, "m.safetensors")
    assert run("fit", "numbers_american.csv", "--method", "if", "-o", model).returncode == 0
    expected = run("score", model, "numbers_american.csv").stdout
    for kind in "gz", "xz", "zst":
        assert run("score", model, f"packed.csv.{kind}").stdout == expected, kind
    assert run("fit", "months", "--method", "if", "-o", model).returncode == 0
    expected = run("score", model, "months").stdout
    assert expected.count("\n") == 41
    assert run("score", model, "months/2024-01.csv", "months/2024-02.csv").stdout == expected
    assert run("fit", "months/2024-01.csv", "months/2024-02.csv", "-o", "months/2024-01.csv").returncode == 2


finish()
