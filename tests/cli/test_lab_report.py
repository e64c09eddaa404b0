"""puad lab figure toy and examples, drawn without a ledger."""
import os
import subprocess
import sys
import tempfile

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED", what)


def lab(*arguments, **more):
    return subprocess.run([PUAD, "lab", *arguments], capture_output=True, text=True, timeout=120, **more)


def check_figures(folder):
    toy = os.path.join(folder, "toy.svg")
    done = lab("figure", "toy", "--epochs", "1", "--threads", "1", "-q", "-o", toy)
    check(done.returncode == 0 and done.stderr == "", f"the toy figure: {done.stderr}")
    text = open(toy, encoding="utf-8").read()
    for word in ("pu: ", "dae: ", "abc: ", "pudae: ", "labeled anomaly", "unseen anomaly"):
        check(word in text, f"the toy figure shows {word}")
    other = os.path.join(folder, "other.svg")
    lab("figure", "toy", "--epochs", "1", "--seed-list", "5", "--threads", "1", "-q", "-o", other)
    check(open(other, encoding="utf-8").read() != text, "another seed gives another figure")
    for ending, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        picture = os.path.join(folder, "examples." + ending)
        done = lab("figure", "examples", "--datasets", "glyphs", "--normal", "3", "-o", picture)
        check(done.returncode == 0 and open(picture, "rb").read().startswith(begins), f"examples as {ending}: {done.stderr}")
    check("glyphs 3" in open(os.path.join(folder, "examples.svg"), encoding="utf-8").read(), "the title names set and class")
    done = lab("figure", "examples", "--datasets", "toy", "-o", picture)
    check(done.returncode == 2 and "no images" in done.stderr, "points are no images")
    done = lab("figure", "examples", "--datasets", "mnist", "--data-dir", folder, "-o", picture)
    check(done.returncode == 1 and "mnist" in done.stderr, "a set that is not there is named")


with tempfile.TemporaryDirectory() as work:
    check_figures(work)
print(f"{'0 passed, ' + str(len(failures)) if failures else '1 passed, 0'} failed")
sys.exit(bool(failures))
