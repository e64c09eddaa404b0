#!/usr/bin/env python3
"""How the program ends: by a signal, with an output that cannot be written, on a terminal that cannot redraw."""
import os, random, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, test
from terminal import in_terminal

PUAD = os.environ["PUAD"]
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
draw = random.Random(3)
with open("t.csv", "w") as file:
    file.write("a,b\n" + "".join(f"{draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f}\n" for _ in range(2000)))
subprocess.run([PUAD, "fit", "t.csv", "--method", "if", "--quiet", "-o", "m.st"], check=True)


def scoring_from_a_pipe():
    """A run that has created its output and waits for rows."""
    process = subprocess.Popen([PUAD, "score", "m.st", "-", "-o", "scores.csv"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(b"a,b\n1,2\n")
    process.stdin.flush()
    end = time.monotonic() + 20
    while not parts() and time.monotonic() < end:
        time.sleep(0.01)
    assert parts(), "no output has begun"
    return process


def parts():
    return [name for name in os.listdir(".") if name.endswith(".part")]


@test
def a_signal_leaves_no_unfinished_output():
    for which in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process = scoring_from_a_pipe()
        process.send_signal(which)
        assert process.wait(20) == -which, process.returncode
        process.stdin.close()
        assert not parts() and not os.path.exists("scores.csv"), os.listdir(".")


@test
def an_interrupt_that_the_shell_ignores_stays_ignored():
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    process = subprocess.Popen([PUAD, "fit", "t.csv", "--method", "ae", "--epochs", "100000", "--quiet", "-o", "n.st"], preexec_fn=ignore)
    try:
        end = time.monotonic() + 60
        while not os.path.exists("n.st.checkpoint") and time.monotonic() < end:
            time.sleep(0.02)
        assert os.path.exists("n.st.checkpoint"), "no epoch has ended"
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None, f"ended with {process.returncode}"
    finally:
        process.kill()
        process.wait()


@test
def an_output_that_cannot_be_made_is_named_before_the_input_is_read():
    for place in ("/proc/none.st", "none/m.st"):
        run = subprocess.run([PUAD, "fit", "there-is-no-input.csv", "--method", "if", "-o", place], capture_output=True, text=True)
        assert run.returncode == 1 and place in run.stderr and "no-input" not in run.stderr, run.stderr


@test
def help_that_cannot_be_printed_is_a_failure():
    for words in (["--help"], ["help"], ["--version"], ["fit", "--help"], ["fit", "--man"]):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([PUAD, *words], stdout=full, stderr=subprocess.PIPE)
        assert run.returncode == 1 and b"space" in run.stderr, f"{words}: {run.returncode}, {run.stderr}"


@test
def a_dumb_terminal_gets_no_escapes():
    def shown(kind):
        return in_terminal([PUAD, "fit", "t.csv", "--method", "ae", "--epochs", "20", "-o", "d.st"], kind=kind)[1].replace("\r\n", "\n")
    assert "\r" in shown("xterm")
    dumb = shown("dumb")
    assert "\033" not in dumb and "\r" not in dumb, dumb


finish()
