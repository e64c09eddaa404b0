"""System calls that fail, one at a time, while a model is trained, rows are scored, a page or a graph is written: an error with a message, or a
result that is whole; what was there before stays, nothing half-written is left, and a training that lost its model keeps its checkpoint. And
the same on a disk that is full."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, finish, skip, test
from faults import FIT, LONG, PUAD, SANITIZED, describe, died, run, scratch, write_rows

STRACE = shutil.which("strace")
TRACES = STRACE and not SANITIZED and subprocess.run([STRACE, "-f", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
SAMPLES = 60 if LONG else 3  # of each command's calls of a kind, after it has opened its input
ERRORS = ["EIO", "ENOSPC", "EINTR", "EMFILE"]  # in the long form each call fails with one of them, in turn
CALLS = ["write", "fsync", "rename", "openat", "read", "newfstatat", "lseek", "unlink", "close"] if LONG else ["write", "fsync", "rename", "openat", "read"]
VARIES = re.compile(rb'("(?:\w*seconds|finished)":)[^,}]*|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(?: ?UTC|Z)?|Trained in [0-9.]+ seconds')
draw = random.Random(int(os.environ.get("SEED", "1")))

# A command, the file that it makes (None: standard output), the input that it opens first.
COMMANDS = [
    (["fit", "rows.csv", "-o", "new.safetensors", *FIT, "--quiet"], "new.safetensors", "rows.csv"),
    (["score", "m.safetensors", "rows.csv", "--threads", "1"], None, "m.safetensors"),
    (["score", "m.safetensors", "rows.csv", "--threads", "1", "--fdr", "0.2", "-o", "new.csv"], "new.csv", "m.safetensors"),
    (["report", "rows.csv", "--model", "m.safetensors", "-o", "new.html", "--threads", "1", "--quiet"], "new.html", "m.safetensors"),
    (["report", "rows.csv", "-o", "new.html", "--save-model", "kept.safetensors", *FIT, "--quiet"], "new.html", "rows.csv"),
    (["export", "m.safetensors", "-o", "new.onnx"], "new.onnx", "m.safetensors"),
]


def steady(raw):
    return VARIES.sub(rb"\1", raw)


def content(folder, made):
    """What a later program gets out of the file, or the file."""
    path = os.path.join(folder, made)
    if not os.path.exists(path):
        return None
    if made.endswith(".safetensors"):
        used = run("score", made, "rows.csv", "--threads", "1", folder=folder)
        return used.stdout if used.returncode == 0 else b"unusable: " + used.stderr
    with open(path, "rb") as file:
        return steady(file.read())


def calls_after(log, name, call):
    """The first and last number of the calls of a kind that come after the input was opened."""
    first = last = number = 0
    opened = False
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            body = re.sub(r"^\d+\s+", "", line)
            if body.startswith(call + "("):
                number += 1
                if opened:
                    first = first or number
                    last = number
            opened = opened or (name in body and body.startswith("openat("))
    return first, last


def clean(folder, kept):
    for name in set(os.listdir(folder)) - kept:
        os.unlink(os.path.join(folder, name))


def strike(folder, arguments, call, error, number):
    return subprocess.run([STRACE, "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={number}", PUAD, *arguments],
                          cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)


def judge(folder, kept, case, whole, call, error, number):
    arguments, made, _ = case
    old = b"what was there before"
    if made:
        with open(os.path.join(folder, made), "wb") as file:
            file.write(old)
    done = strike(folder, arguments, call, error, number)
    what = f"{' '.join(arguments)}, {call} {number} fails with {error}: {describe(done.returncode)} {done.stderr.decode(errors='replace')[-200:]}"
    if died(done.returncode):
        return what
    parts = [name for name in os.listdir(folder) if name.endswith(".part")]
    if parts and call != "unlink":
        return f"{what}: {parts} left behind"
    result = None
    if made:
        with open(os.path.join(folder, made), "rb") as file:
            result = old if file.read() == old else content(folder, made)
    if done.returncode == 0:
        if (result if made else done.stdout) != whole:
            return f"{what}: the result is not whole"
    else:
        if not done.stderr.strip():
            return f"{what}: not a word"
        if made and result not in (old, whole):
            return f"{what}: {made} is neither the old nor the new file"
    return None


def strike_all(case):
    arguments, made, opened = case
    with scratch() as folder:
        for name in "rows.csv", "m.safetensors":
            shutil.copy(os.path.join(base, name), folder)
        kept = set(os.listdir(folder))
        log = f"{folder}.log"
        findings, struck = [], 0
        for call in CALLS:
            done = subprocess.run([STRACE, "-f", "-o", log, "-e", f"trace=openat,{call}", PUAD, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=300)
            assert done.returncode == 0, f"{arguments}: {done.stderr.decode()}"
            whole = content(folder, made) if made else done.stdout
            first, last = calls_after(log, opened, call)
            os.unlink(log)
            clean(folder, kept)
            if not first:
                continue
            numbers = range(first, last + 1)
            for number in sorted(draw.sample(numbers, min(SAMPLES, len(numbers)))):
                error = ERRORS[struck % len(ERRORS)] if LONG else "ENOSPC" if call in ("write", "fsync", "rename", "openat") else "EIO"
                finding = judge(folder, kept, case, whole, call, error, number)
                struck += 1
                if finding:
                    findings.append(finding)
                clean(folder, kept)
        for finding in findings[:5]:
            check(False, finding)
        check(struck > 0 and not findings, f"{' '.join(arguments)}: {len(findings)} findings in {struck} strikes")


def write_arrays(path):
    """An NPZ file of one array of 40 rows and 3 columns."""
    header = str({"descr": "<f4", "fortran_order": False, "shape": (40, 3)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("x.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header +
                     struct.pack("<120f", *(draw.gauss(0, 1) for _ in range(120))))


def only_last_rename_fails(folder, command):
    """Lets the training go on until it renames its model into place, which fails; returns that run."""
    log = f"{folder}.log"
    done = subprocess.run([STRACE, "-f", "-o", log, "-e", "trace=rename", PUAD, *command], cwd=folder, capture_output=True, timeout=300)
    assert done.returncode == 0, done
    with open(log, encoding="utf-8") as file:
        renames = [line for line in file if "rename(" in line]
    os.unlink(log)
    place = 1 + max(number for number, line in enumerate(renames) if '"kept.safetensors")' in line)
    os.unlink(f"{folder}/kept.safetensors")
    return strike(folder, command, "rename", "EIO", place), place


with scratch() as base:
    write_rows(f"{base}/rows.csv")
    assert run("fit", "rows.csv", "-o", "m.safetensors", "--calibrate=0.3", *FIT, "--method", "pusvdd", "--quiet", folder=base).returncode == 0
    if TRACES:
        for case in COMMANDS:
            strike_all(case)

        @test
        def no_descriptor_is_inherited_by_children():
            log = f"{base}.log"
            write_arrays(f"{base}/arrays.npz")
            leaks = []
            for arguments, given in ((["fit", "rows.csv", "-o", "closed.safetensors", *FIT, "--quiet"], None),
                                     (["fit", "-", "-o", "closed.safetensors", *FIT, "--quiet", "--update", "m.safetensors"], "rows.csv"),
                                     (["data", "arrays.npz"], None),
                                     (["score", "m.safetensors", "rows.csv", "-o", "/dev/stdout"], None),
                                     (["score", "m.safetensors", "rows.csv", "-o", "/dev/null"], None)):
                with open(os.path.join(base, given) if given else os.devnull, "rb") as source:
                    done = subprocess.run([STRACE, "-f", "-o", log, "-e", "trace=open,openat,dup,dup2,dup3,fcntl", PUAD, *arguments],
                                          cwd=base, stdin=source, capture_output=True, timeout=300)
                assert done.returncode == 0, done
                with open(log, encoding="utf-8", errors="replace") as file:
                    leaks += [line.strip() for line in file if re.search(r"\b(open|openat|dup|dup2)\(", line) and "CLOEXEC" not in line
                              or "F_DUPFD," in line]
                os.unlink(log)
            assert not leaks, leaks[:5]

        @test
        def a_training_that_cannot_keep_its_model_keeps_its_checkpoint():
            command = ["fit", "rows.csv", "-o", "kept.safetensors", *FIT, "--epochs", "300", "--batch", "16", "--quiet"]
            done, place = only_last_rename_fails(base, command)
            assert done.returncode == 1 and b"kept.safetensors" in done.stderr, done
            assert not os.path.exists(f"{base}/kept.safetensors")
            if place > 1:  # a checkpoint was written before, which takes a training of some time
                assert os.path.exists(f"{base}/kept.safetensors.checkpoint"), os.listdir(base)
                again = run(*command, "--resume", folder=base)
                assert again.returncode == 0 and os.path.exists(f"{base}/kept.safetensors"), again
    else:
        @test
        def failing_system_calls_leave_nothing_half_written():
            skip("strace is not installed or may not trace here, or a sanitizer is at work")

    @test
    def a_full_disk_leaves_nothing_half_written():
        full = os.path.join(base, "full")
        os.mkdir(full)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full], capture_output=True).returncode:
            skip("no file system may be mounted here")
        try:
            with open(f"{full}/m.safetensors", "wb") as file:
                file.write(b"what was there before")
            with open(f"{full}/fill", "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 4096)
                except OSError:
                    pass
            for room in range(0, 60000, 4096 if LONG else 20480):
                os.truncate(f"{full}/fill", os.path.getsize(f"{full}/fill") - (4096 if room else 0))
                for arguments in (["fit", "rows.csv", "-o", "full/m.safetensors", *FIT, "--quiet"],
                                  ["score", "m.safetensors", "rows.csv", "-o", "full/scores.csv"],
                                  ["report", "rows.csv", "--model", "m.safetensors", "-o", "full/page.html", "--quiet"],
                                  ["export", "m.safetensors", "-o", "full/m.onnx"],
                                  ["operate", "m.safetensors", "--plot", "full/table.svg"]):
                    done = run(*arguments, folder=base)
                    what = f"{' '.join(arguments)} with {room} bytes: {describe(done.returncode)} {done.stderr.decode()[-200:]}"
                    assert not died(done.returncode), what
                    made = arguments[-1] if "/" in arguments[-1] else arguments[arguments.index("-o") + 1]
                    there = os.path.exists(os.path.join(base, made))
                    if done.returncode:
                        assert b"full/" in done.stderr and b"No space left" in done.stderr, what
                        with open(f"{full}/m.safetensors", "rb") as file:
                            assert file.read() == b"what was there before", what
                    else:
                        assert there, what
                    assert not [name for name in os.listdir(full) if name.endswith(".part")], f"{what}: {os.listdir(full)}"
                    if done.returncode == 0:
                        os.unlink(os.path.join(base, made))
                        with open(f"{full}/m.safetensors", "wb") as file:
                            file.write(b"what was there before")
                    elif made.endswith(("csv", "html", "onnx", "svg")):
                        assert not there, what
        finally:
            subprocess.run(["umount", full], check=True)
finish()
