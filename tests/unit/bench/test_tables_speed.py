"""bench/tables_speed.py: runs are stopped at the limit, memory is that of the process, and a small table goes through."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("SOURCE", ".")
sys.path[:0] = [os.path.join(SOURCE, "bench"), os.path.join(SOURCE, "tests", "helpers")]
PUAD, SANITIZE = os.environ.get("PUAD", "build/puad"), os.environ.get("SANITIZE", "OFF") not in ("", "OFF")
try:
    import numpy
except ImportError as missing_package:
    print(f"skipped: {missing_package}")
    sys.exit(77)
import processes
import tables_speed
from checks import finish, test


@test
def a_run_over_the_limit_is_stopped_and_not_tried_again():
    runner = processes.Runner(1, 0.3)
    assert runner.run("long", ["sleep", "20"]) is None and runner.run("long", ["true"]) is None
    assert runner.median("long") is None
    assert runner.run("short", ["echo", "here"]) == b"here\n" and 0 < runner.median("short") < 20


@test
def peak_memory_is_that_of_the_command():
    runner = processes.Runner(1, 60)
    runner.run("small", [sys.executable, "-c", "pass"])
    runner.run("large", [sys.executable, "-c", "block = b'x' * (200 << 20)"])
    assert runner.peaks["large"] - runner.peaks["small"] > 150, runner.peaks


@test
def a_failing_command_ends_the_bench_with_its_message():
    try:
        processes.Runner(1, 60).run("wrong", [sys.executable, "-c", "raise SystemExit('no such thing')"])
    except SystemExit as problem:
        assert "no such thing" in str(problem)
    else:
        raise AssertionError("went on")


@test
def auroc_counts_ties_half():
    with tempfile.TemporaryDirectory() as folder:
        truth, scores = os.path.join(folder, "truth.npy"), os.path.join(folder, "scores.csv")
        numpy.save(truth, numpy.array([0, 1, 0, 1]))
        with open(scores, "w") as file:
            file.write("row,score\n0,0.5\n1,0.5\n2,0.1\n3,0.4\n")
        assert tables_speed.auroc(truth, scores) == (0.5 + 1 + 0 + 1) / 4


@test
def generated_labels_are_few_and_true():
    values, given, truth = tables_speed.generate(5000, 12, 1)
    assert values.shape == (5000, 20) and given.sum() == 12 and (truth[given == 1] == 1).all() and 50 < truth.sum() < 150


def small_table(sides):
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "bench", "tables_speed.py"), "--puad", PUAD, "--rows", "2000", "--rounds", "1",
                           "--threads", "1", "--sides", sides, "--fit", "--method if"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@test
def a_small_table_goes_through():
    if SANITIZE:  # the library cannot be loaded into Python
        return
    shown = small_table("puad")
    assert "2000 x 20, 30 labels" in shown and "MiB" in shown and "times the faster" in shown, shown


@test
def a_method_the_program_lacks_is_named():
    listed = subprocess.run([PUAD, "list", "methods"], capture_output=True, text=True).stdout.split()
    if not SANITIZE and "puforest" not in listed:
        assert "puforest: this program has no such method" in small_table("puad,puforest")


finish()
