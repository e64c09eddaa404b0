#!/usr/bin/env python3
"""A time series on standard input: rows are answered within one window, in constant memory, with the scores of one batch."""
import math, os, random, select, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test

PUAD = os.environ["PUAD"]
ROWS = int(os.environ.get("ROWS", "1500000"))
WINDOW = 32
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
draw = random.Random(7)


def line(i):
    return f"{i + (1000 if i % 5000 > 2500 else 0)},{math.sin(i / 7) + draw.gauss(0, .1):.4f},{math.cos(i / 11):.4f}\n"


LINES = [line(i) for i in range(20000)]
with open("s.csv", "w") as file:
    file.write("when,a,b\n" + "".join(LINES))
subprocess.run([PUAD, "fit", "s.csv", "--time-column", "when", "--window", str(WINDOW), "--method", "if", "--threads", "1", "--quiet", "-o", "m.st"], check=True)
BATCH = subprocess.run([PUAD, "score", "m.st", "s.csv", "--quiet"], check=True, capture_output=True).stdout


def start(**more):
    return subprocess.Popen([PUAD, "score", "m.st", "-", "--quiet", "--threads", "1"], stdin=subprocess.PIPE, bufsize=0, **more)


def read_on(process, text, lines, seconds):
    """What comes until there are so many lines."""
    end = time.monotonic() + seconds
    while text.count(b"\n") < lines and time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.1)[0]:
            text += os.read(process.stdout.fileno(), 65536)
    return text


@test
def a_slow_writer_gets_scores_within_one_window():
    process = start(stdout=subprocess.PIPE)
    process.stdin.write(b"when,a,b\n")
    found = b""
    for i in range(200):
        process.stdin.write(LINES[i].encode())
        if i % 25 == 24:  # now the row a window before must be there, with the header
            found = read_on(process, found, i + 2 - WINDOW + 1, 20)
            assert found.count(b"\n") >= i + 2 - WINDOW + 1, f"{found.count(10)} lines after {i + 1} rows"
    process.stdin.close()
    found = read_on(process, found, 201, 20)
    assert process.wait() == 0
    assert found.splitlines()[:150] == BATCH.splitlines()[:150]


@test
def rows_in_arbitrary_pieces_have_the_scores_of_one_batch():
    with open("out.csv", "wb") as out:
        process = start(stdout=out)
        text = ("when,a,b\n" + "".join(LINES)).encode()
        at = 0
        while at < len(text):  # portions end in the middle of lines
            size = draw.choice([1, 7, 100, 5000, 70000])
            process.stdin.write(text[at:at + size])
            at += size
        process.stdin.close()
        assert process.wait() == 0
    with open("out.csv", "rb") as file:
        assert file.read() == BATCH


@test
def memory_does_not_grow_with_the_rows():
    if os.environ.get("SANITIZE", "OFF") != "OFF":
        skip("sanitizers keep freed memory")
    def peak():
        with open(f"/proc/{process.pid}/status") as file:
            return next(int(row.split()[1]) for row in file if row.startswith("VmHWM"))
    with open("/dev/null", "wb") as nothing:
        process = start(stdout=nothing)
        process.stdin.write(b"when,a,b\n")
        seen = []
        for first in range(0, ROWS, 1000):
            process.stdin.write("".join(f"{i},{i % 13},{i % 7}\n" for i in range(first, first + 1000)).encode())
            if first in (ROWS // 3, ROWS - 1000):
                seen.append(peak())
        process.stdin.close()
        assert process.wait() == 0
    assert seen[1] < seen[0] + 2048, f"{seen} KiB after a third and all of {ROWS} rows"


finish()
