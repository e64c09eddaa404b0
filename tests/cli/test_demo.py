"""puad demo: two tables and one page that needs nothing but itself, the same for the same seed; nothing but the summary with
--quiet."""
import os
import re
import subprocess
import sys
import tempfile

PUAD = os.environ.get("PUAD", "build/puad")


def demo(*arguments, code=0):
    done = subprocess.run([PUAD, "demo", *arguments], capture_output=True, text=True)
    assert done.returncode == code, done
    return done


def strip_times(text):
    return re.sub(r"\d+(\.\d+)? s(econds)?\b", "", text)


with tempfile.TemporaryDirectory() as folder:
    first = os.path.join(folder, "new", "first.html")
    done = demo("-o", first)
    assert done.stdout.count("\n") == 1 and done.stdout.rstrip().endswith("report: " + first), done
    ranked, flagged = map(int, re.match(r"(\d+) payments ranked, (\d+) flagged", done.stdout).groups())
    assert ranked == 1500 and 30 <= flagged <= 150, done.stdout  # 60 stolen cards and 17 card tests are among them
    text = open(first, encoding="utf-8").read()
    assert "<script src" not in text and "@import" not in text and "attempts_today" in text
    assert "puad report demo-train.csv demo-new.csv" in text
    with open(os.path.join(folder, "new", "demo-train.csv"), encoding="utf-8") as train:
        assert len(train.readlines()) == 3001

    second = os.path.join(folder, "second.html")
    quiet = demo("--quiet", "--output", second)
    assert quiet.stderr == "" and quiet.stdout.count("\n") == 1, quiet
    assert strip_times(open(second, encoding="utf-8").read()) == strip_times(text), "the same seed gives another page"
    third = os.path.join(folder, "third.html")
    demo("--quiet", "--seed", "1", "-o", third)
    assert strip_times(open(third, encoding="utf-8").read()) != strip_times(text), "another seed gives the same page"

    blocked = demo("-o", os.path.join(first, "x", "y.html"), code=1)
    assert "folder" in blocked.stderr, blocked
print("1 passed, 0 failed")
