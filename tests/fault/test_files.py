"""Disks that are full, folders that cannot be read, pipes in the place of files: an error in time, nothing half-written, what was there before
stays."""
import errno
import os
import resource
import signal
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import finish, skip, test
from faults import BUILD, FIT, LONG, SANITIZED, describe, died, run, scratch, snapshot, write_rows

PICTURES = 12


def write_picture(path, gray):
    """A gray PNG of 8 x 8 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) +
                  chunk(b"IDAT", zlib.compress((b"\0" + bytes([gray]) * 8) * 8)) + chunk(b"IEND", b""))


with scratch() as folder:
    write_rows(f"{folder}/rows.csv")
    assert run("fit", "rows.csv", "-o", "m.safetensors", "--calibrate=0.3", *FIT, "--quiet", folder=folder).returncode == 0
    os.mkdir(f"{folder}/pictures")
    for number in range(PICTURES):
        write_picture(f"{folder}/pictures/{number}.png", 20 * number)

    @test
    def a_folder_that_cannot_be_read_to_its_end_is_an_error():
        if SANITIZED:
            skip("the sanitizers do not go with a preloaded library")
        for number in (8, 12):  # the first few calls only look whether there are pictures
            done = run("data", "pictures", folder=folder, environment={"LD_PRELOAD": f"{BUILD}/tests/libfail_calls.so",
                                                                        "FAULT_READDIR": str(number)})
            assert done.returncode == 1 and b"pictures" in done.stderr, done

    @test
    def an_output_that_fails_only_when_it_is_closed_names_the_reason():
        if SANITIZED:
            return
        with open(f"{folder}/old.csv", "wb") as file:
            file.write(b"what was there before")
        done = run("score", "m.safetensors", "rows.csv", "-o", "old.csv", folder=folder,
                   environment={"LD_PRELOAD": f"{BUILD}/tests/libfail_calls.so", "FAULT_FCLOSE": "1"})
        assert done.returncode == 1 and os.strerror(errno.EDQUOT).encode() in done.stderr, done
        with open(f"{folder}/old.csv", "rb") as file:
            assert file.read() == b"what was there before"
        assert not [name for name in os.listdir(folder) if name.endswith(".part")]

    @test
    def a_pipe_named_like_a_picture_is_refused_and_not_waited_for():
        os.mkfifo(f"{folder}/pictures/x.png")
        try:
            done = run("data", "pictures", folder=folder, timeout=20)
        finally:
            os.unlink(f"{folder}/pictures/x.png")
        assert done.returncode == 1 and b"x.png" in done.stderr, done

    @test
    def an_output_that_is_a_folder_is_refused_before_the_work():
        os.mkdir(f"{folder}/place")
        done = run("fit", "missing.csv", "-o", "place", folder=folder)
        assert done.returncode == 1 and b"place" in done.stderr, done

    @test
    def a_file_size_limit_leaves_the_old_file_and_nothing_else():
        before = snapshot(folder)
        commands = [(["fit", "rows.csv", "-o", "m.safetensors", *FIT, "--quiet"], (0, 100, 4000)),
                    (["operate", "m.safetensors", "--plot", "new.svg"], (0, 100)),
                    (["score", "m.safetensors", "rows.csv", "--fdr", "0.2"], (0, 100)),
                    (["score", "m.safetensors", "rows.csv", "-o", "new.csv"], (0, 100)),
                    (["report", "rows.csv", "--model", "m.safetensors", "-o", "new.html", "--quiet"], (0, 4000)),
                    (["export", "m.safetensors", "-o", "new.onnx"], (0, 4000)),
                    (["lab", "import", "--ledger", "new.db", "cells.csv"], (0, 5000))]
        with open(f"{folder}/cells.csv", "w", encoding="utf-8") as out, \
                open(os.path.join(os.environ.get("SOURCE", "."), "docs/results/ledger.csv"), encoding="utf-8") as source:
            out.writelines(line for line, _ in zip(source, range(5)))
        for arguments, sizes in commands:
            for size in (range(0, 6000, 250) if LONG else sizes):
                def limit(size=size):
                    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                done = run(*arguments, folder=folder, preexec_fn=limit)
                what = f"{' '.join(arguments)} with {size} bytes: {describe(done.returncode)} {done.stderr.decode()[-200:]}"
                assert not died(done.returncode), what
                after = snapshot(folder)
                if done.returncode == 0:  # the limit was large enough for this command
                    assert run("inspect", "m.safetensors", folder=folder).returncode == 0, what
                    before["m.safetensors"] = after["m.safetensors"]
                assert after["m.safetensors"] == before["m.safetensors"], f"{what}: the old model is gone"
                assert not [name for name in after if name.endswith(".part")], f"{what}: {sorted(after)}"
                assert done.returncode == 0 or done.stderr, what
                if arguments[-2] == "-o" and done.returncode:
                    assert arguments[-1] not in after or arguments[-1] in before, f"{what}: {arguments[-1]} is there"
                for name in set(after) - set(before) - {"cells.csv"}:
                    os.unlink(os.path.join(folder, name))

    @test
    def a_full_disk_is_an_error():
        if not os.path.exists("/dev/full"):
            skip("no /dev/full")
        for arguments in (["score", "m.safetensors", "rows.csv"], ["data", "rows.csv", "--json"], ["inspect", "m.safetensors"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([os.path.abspath(os.environ.get("PUAD", "build/puad")), *arguments], cwd=folder, stdout=full,
                                      stderr=subprocess.PIPE)
            assert done.returncode == 1 and b"standard output" in done.stderr, f"{arguments}: {done}"
finish()
