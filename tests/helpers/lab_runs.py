"""The laboratory as tests call it, in a folder of their own."""
import json
import os
import subprocess

from checks import check

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))


def lab(*arguments, folder):
    return subprocess.run([PUAD, "lab", *arguments], capture_output=True, text=True, timeout=1200, cwd=folder)


def cells(*arguments, folder):
    """The cells of a run that must succeed, as it printed them."""
    done = lab("run", *arguments, folder=folder)
    check(done.returncode == 0, f"run {arguments}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]
