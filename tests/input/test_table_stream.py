#!/usr/bin/env python3
"""Rows of a table on standard input: each is answered before the next one is written, with the scores of one batch."""
import json, os, random, select, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
draw = random.Random(7)
LINES = [f"{draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f},{draw.choice('xyz')}\n" for _ in range(3000)]
with open("t.csv", "w") as file:
    file.write("a,b,c\n" + "".join(LINES))
subprocess.run([PUAD, "fit", "t.csv", "--method", "if", "--threads", "1", "--quiet", "-o", "m.st"], check=True)


def batch(*options):
    return subprocess.run([PUAD, "score", "m.st", "t.csv", "--quiet", *options], check=True, capture_output=True).stdout.splitlines(True)


def read_lines(process, text, lines, seconds=20):
    end = time.monotonic() + seconds
    while text.count(b"\n") < lines and time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.1)[0]:
            text += os.read(process.stdout.fileno(), 65536)
    return text


def answered_row_by_row(*options):
    expected = batch(*options)
    header = len(expected) - len(LINES)
    process = subprocess.Popen([PUAD, "score", "m.st", "-", "--quiet", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    process.stdin.write(b"a,b,c\n")
    found = b""
    try:
        for i in range(5):
            process.stdin.write(LINES[i].encode())
            found = read_lines(process, found, i + 1 + header)
            assert found.splitlines(True) == expected[:i + 1 + header], f"after {i + 1} rows: {found}"
        process.stdin.close()
        assert process.wait() == 0
    finally:
        process.kill()


@test
def a_row_is_answered_before_the_next_is_written():
    answered_row_by_row()


@test
def json_explanations_and_kept_cells_are_answered_too():
    answered_row_by_row("--format", "jsonl", "--explain", "1", "--keep-columns")


@test
def rows_that_threads_format_are_the_same():
    answered_row_by_row("--keep-columns", "--threads", "2")
    answered_row_by_row("--format", "jsonl", "--keep-columns", "--threads", "2")
    rows = json.loads(b"".join(batch("--json", "--keep-columns", "--threads", "2")))["rows"]
    assert rows == [json.loads(line) for line in batch("--format", "jsonl", "--keep-columns")] and len(rows) == len(LINES)


@test
def rows_in_arbitrary_pieces_have_the_scores_of_one_batch():
    with open("out.csv", "wb") as out:
        process = subprocess.Popen([PUAD, "score", "m.st", "-", "--quiet"], stdin=subprocess.PIPE, stdout=out, bufsize=0)
        text = ("a,b,c\n" + "".join(LINES)).encode()
        at = 0
        while at < len(text):  # portions end in the middle of lines
            size = draw.choice([1, 7, 100, 5000, 70000])
            process.stdin.write(text[at:at + size])
            at += size
        process.stdin.close()
        assert process.wait() == 0
    with open("out.csv", "rb") as file:
        assert file.read().splitlines(True) == batch()


finish()
