"""puad demo: the loss falls; progress is a bar on a terminal, plain lines in a pipe, nothing with --quiet."""
import os
import pty
import re
import subprocess

PUAD = os.environ.get("PUAD", "build/puad")
COMMAND = [PUAD, "demo", "--epochs", "3", "--rows", "96", "--threads", "2"]


def in_terminal(command):
    """Standard output, and standard error as a terminal gets it."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    out = process.stdout.read().decode()
    assert process.wait() == 0
    return out, shown.decode()


piped = subprocess.run(COMMAND, capture_output=True, text=True)
assert piped.returncode == 0, piped.stderr
losses = [float(m) for m in re.findall(r"^ +\d+ +(\d+\.\d+) ", piped.stdout, re.M)]
assert len(losses) == 3 and losses[2] < losses[1] < losses[0], piped.stdout
assert "synthetic" in piped.stdout and "AUROC" in piped.stdout
assert "training 3/3" in piped.stderr and "\r" not in piped.stderr and "\033" not in piped.stderr, piped.stderr

out, shown = in_terminal(COMMAND)
assert out == piped.stdout, "the same seed gives another result"
assert "\r" in shown and "[########################] 3/3" in shown and shown.endswith("\n"), repr(shown)

quiet = subprocess.run(COMMAND + ["--quiet"], capture_output=True, text=True)
assert quiet.returncode == 0 and quiet.stderr == "" and quiet.stdout == piped.stdout
print("1 passed, 0 failed")
