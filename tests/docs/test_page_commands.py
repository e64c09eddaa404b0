#!/usr/bin/env python3
"""Every command of README.md and docs runs, in the order of the page, in a folder with the files that the page assumes. The output that
a page shows is compared with the output of its command; with PUAD_WRITE_DOCS=1 it is written into the page instead.

Runs of the laboratory on real data, and on several machines, are only planned (--dry-run). Commands that do not run here are printed with
the reason. The blocks of troubleshooting.md, c-library.md, and of the pages in Python have tests of their own (cli/test_mistakes,
docs/test_library_page, bindings/python/tests/test_docs.py)."""
import csv
import glob
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from checks import check, counts, finish
from pages import shows

PUAD, SOURCE, BUILD = (os.path.abspath(os.environ[name]) for name in ("PUAD", "SOURCE", "BUILD"))
OTHERS = {"troubleshooting.md", "c-library.md"}  # tests of their own
ELSEWHERE = {"make": "the Makefile's targets are what runs this test", "sudo": "installs packages", "pip": "python/package installs the wheel",
             "srun": "needs Slurm", "tools/import_backbone": "needs PyTorch and downloaded weights",
             "bench/raw_tables.py": "needs downloaded tables"}
NO_MPI, NO_SERVICE, NO_ONNX = "needs MPI", "needs puad-serve and curl", "needs onnxruntime (tools/bootstrap onnx)"
ONNX = os.path.join(SOURCE, ".venv", "onnx", "bin", "python")
COMMAND = re.compile(r"^(?:\$ )?((?:(?:puad|mpirun|make|pip|srun|head|sudo|python3|curl|sensor) (?!\w+: )|export |tools/|bench/).*)")
WRITE = os.environ.get("PUAD_WRITE_DOCS") == "1"


def steps_of(page):
    """Commands of fenced blocks in the order of the page, each with the output that the page shows after it: lines after "$ command", or
    a block without a language that follows a block of commands. Continued lines are joined, comments cut off."""
    found, previous_end = [], None
    text = open(page).read()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```\n", text, re.S | re.M):
        kind, block = match[1], match[2]
        if kind == "python" and page.endswith("deploy-onnx.md"):
            found.append(("onnx " + block, []))
        if kind == "json" and page.endswith("serve.md"):
            found += [(f"curl --fail -d '{line}' http://127.0.0.1:8080/score", []) for line in block.splitlines()]
        if kind not in ("", "sh"):
            continue
        if block.startswith("#!/bin/sh"):  # the script as a whole, in this folder, without mail
            found.append(("mail() { cat >mail.txt; }\n" + re.sub(r"^cd .*$", "", block, flags=re.M), []))
            continue
        before = len(found)
        for line in block.replace("\\\n", " ").splitlines():
            command = COMMAND.match(line)
            if command and not re.match(r"(\$ )?puad \w+:", line):
                found.append((re.sub(r"\s+#.*$|\s*&$|\s*\|\| mail.*$", "", command[1]).strip(), []))
            elif "$ " in block and len(found) > before and line.strip() and line != "...":
                found[-1][1].append(line)
        follows = previous_end is not None and not text[previous_end:match.start()].strip()
        if len(found) == before and follows and kind == "":
            found[-1][1].extend(line for line in block.splitlines() if line.strip() and line != "...")
        previous_end = match.end() if len(found) > before and kind == "sh" else None
    return found


def write_png(path, pixels):
    """An RGB image of 8 bits; needs no package for images."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # filter 0 before each row
    chunks = (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in chunks:
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))


def write_photographs(folder):
    import numpy
    import tiny_backbone
    random_numbers = numpy.random.default_rng(1)
    tiny_backbone.make(os.path.join(folder, "lite0.safetensors"))
    for name, count in (("photos", 60), ("defects", 5), ("new", 5), ("test/sound", 8), ("test/defect", 8)):
        os.makedirs(os.path.join(folder, name))
        for i in range(count):
            pixels = random_numbers.integers(100, 160, (40 + i, 60, 3), dtype="uint8")
            pixels[10:20] //= 3 if "defect" in name else 1
            write_png(os.path.join(folder, name, f"{i}.png"), pixels)
    images = random_numbers.integers(0, 255, (40, 28, 28), dtype="uint8")
    numpy.savez(os.path.join(folder, "images.npz"), X=images)


def write_files(folder, page):
    """Files that the page uses: those of an example script, or a train.csv, new.csv and test.csv."""
    text = open(page).read()
    script = "payments.py" if "--positive fraud" in text or page.endswith(("label-more.md", "audit.md")) else "sensor.py" if "puad fit series.csv" in text else None
    if script:
        subprocess.run([sys.executable, os.path.join(SOURCE, "examples", script)], check=True, cwd=folder)
    if page.endswith("5-photographs.md"):
        write_photographs(folder)
        return
    draw = random.Random(1)
    if page.endswith("research/time-series.md"):  # a series of NAB, which is not in the tree
        with open(os.path.join(folder, "machine_temperature_system_failure.csv"), "w") as file:
            file.write("timestamp,load\n")
            for i in range(20000):
                odd = 450 <= i < 750 or 950 <= i < 1250
                file.write(f"2024-05-{1 + i // 1440:02d} {i // 60 % 24:02d}:{i % 60:02d}:00,{draw.gauss(4 if odd else i % 60 / 60, 0.1):.3f}\n")
        with open(os.path.join(folder, "machine_faults.csv"), "w") as file:
            file.write("start,end\n2024-05-01 07:30:00,2024-05-01 12:29:00\n2024-05-01 15:50:00,2024-05-01 20:49:00\n")
    for name, rows, label in () if script else (("train", 1500, "label"), ("new", 400, None), ("today", 400, None), ("test", 400, "truth")):
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
            to = csv.writer(file)
            to.writerow(["account", "amount", "hour", "country"] + ([label] if label else []))
            for i in range(rows):
                odd = i % 12 == 0
                values = [f"A{i}", f"{draw.gauss(300 if odd else 40, 12):.2f}", f"{draw.gauss(3 if odd else 14, 2):.1f}", draw.choice(["home", "away"])]
                known = {"label": odd and i % 24 == 0, "truth": odd}.get(label)
                to.writerow(values + ([int(known)] if label else []))
    if page.endswith("windows.md"):
        subprocess.run([PUAD, "fit", "series.csv", "--time-column", "timestamp", "--window", "64", "--ignore", "fault", "-q", "-o", "m.safetensors"],
                       check=True, cwd=folder)
    if page.endswith("run-unattended.md"):
        subprocess.run([PUAD, "fit", "train.csv", "--label-column", "label", "--calibrate", "-q", "-o", "m.safetensors"], check=True, cwd=folder)
    if page.endswith("read-the-report.md"):  # answers that a person downloads from the page, and two months
        subprocess.run([PUAD, "fit", "train.csv", "--label-column", "status", "--positive", "fraud", "--id-column", "account", "-q", "-o", "a.model"],
                       check=True, cwd=folder)
        with open(os.path.join(folder, "answers.csv"), "w") as file:
            subprocess.run([PUAD, "query", "a.model", "train.csv", "-n", "9", "-q"], check=True, cwd=folder, stdout=file)
        fill_in(folder, "answers.csv")
        for month in "october", "november":
            shutil.copy(os.path.join(folder, "new.csv"), os.path.join(folder, month + ".csv"))
    if page.endswith("label-more.md"):  # the model of docs/tutorial/2-score-to-decision.md
        subprocess.run([PUAD, "fit", "train.csv", "--label-column", "status", "--positive", "fraud", "--id-column", "account", "--calibrate", "-q",
                        "-o", "m.safetensors"], check=True, cwd=folder)
    if page.endswith("read-the-report.md"):  # two months, and answers as the page of a report makes them
        lines = open(os.path.join(folder, "new.csv")).readlines()
        for name, rows in (("october", lines[1:2001]), ("november", lines[2001:])):
            with open(os.path.join(folder, name + ".csv"), "w") as file:
                file.writelines([lines[0], *rows])
        unlabeled = [row for row, line in enumerate(open(os.path.join(folder, "train.csv")).readlines()[1:]) if "fraud" not in line]
        with open(os.path.join(folder, "answers.csv"), "w") as file:
            file.write("row,label\n" + "".join(f"{row},{-1 if row % 2 else 1}\n" for row in unlabeled[:4]))
    if page.endswith("laboratory.md"):
        write_own_data(folder)
    if "lab " in open(page).read():
        subprocess.run([PUAD, "lab", "import", os.path.join(SOURCE, "docs/results/ledger.csv"), "-q"], check=True, cwd=folder)


def write_own_data(folder):
    """The files of docs/research/laboratory.md: images and a table with classes, and a library with an objective."""
    import numpy
    classes = numpy.arange(2400) % 4
    numpy.savez(os.path.join(folder, "digits.npz"), X=(classes[:, None, None] * numpy.ones((1, 8, 8))).astype(numpy.uint8), y=classes)
    with open(os.path.join(folder, "parts.csv"), "w") as file:
        file.write("a,b,kind\n" + "".join(f"{i % 7},{i % 11},{('fine', 'dent', 'crack')[i % 3]}\n" for i in range(300)))
    os.makedirs(os.path.join(folder, "data", "adbench"))
    truth = (numpy.arange(1200) % 10 == 0).astype(int)
    for name in "12_fault", "6_cardio", "20_letter", "38_thyroid", "2_annthyroid":
        numpy.savez(os.path.join(folder, "data", "adbench", name + ".npz"), X=numpy.random.default_rng(0).normal(truth[:, None], 1, (1200, 3)), y=truth)
    subprocess.run([PUAD, "lab", "run", "--plan", "adbench", "--data-dir", "data", "--datasets", "fault", "--methods", "if", "--set", "share=0.1", "-q"],
                   check=True, cwd=folder, stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-shared", "-fPIC", "-I", os.path.join(SOURCE, "include"), os.path.join(SOURCE, "examples", "objective_plugin.c"),
                    "-o", os.path.join(folder, "ours.so")], check=True)


class Service:
    """`puad serve` of a page, on a free port."""

    def __init__(self, command, folder, environment):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([*command.split(), "--listen", f"127.0.0.1:{self.port}"], cwd=folder, env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"{command}: does not listen")

    def end(self):
        self.process.terminate()
        check(self.process.wait(60) == 0, f"puad serve ended with {self.process.returncode}")


def as_run(command, service):
    """The command as the test runs it, or None and the reason why it does not run here."""
    first = command.split()[0]
    if first in ELSEWHERE:
        return None, ELSEWHERE[first]
    if first == "export":
        return None, "the test sets PATH"
    if first == "python3":
        command = command.replace("python3 examples/", f"{sys.executable} {SOURCE}/examples/")
    if first == "sensor":
        command = "sensor() { cat series.csv; }; " + command
    if first == "curl":
        if not service:
            return None, NO_SERVICE
        command = command.replace("curl ", "curl --silent --fail ").replace("127.0.0.1:8080", f"127.0.0.1:{service.port}")
    if first == "onnx":
        return (f"{ONNX} - <<'END'\n{command[5:]}END\n", None) if os.path.exists(ONNX) else (None, NO_ONNX)
    if first == "mpirun":
        if not shutil.which("mpirun") or not os.path.exists(os.path.join(BUILD, "puad-mpi")):
            return None, NO_MPI
        command = command.replace("mpirun ", "mpirun --oversubscribe --allow-run-as-root ").replace("-n 8", "-n 2").replace("-n 3", "-n 2")
    if " lab run " in command and "--dry-run" not in command:
        command += " --dry-run"
    if " lab export " in command:  # of a ledger that another machine has filled
        command = re.sub(r"(.*--ledger (\S+).*)", r"cp -n lab.db \2 && \1", command)
    if " lab report " in command:
        command += " --no-training"
    return command, None


def fill_in(folder, files="ask*.csv"):
    """Answers as a person would write them into the files of 'puad query': true ones for the payments."""
    for names, of in (("ask*.csv", "truth_train.csv"), ("audit*.csv", "truth.csv"), ("round*.csv", "truth.csv")):
        fill_in_files(sorted(glob.glob(os.path.join(folder, names))), os.path.join(folder, of))


def fill_in_files(paths, truth_file):
    truth = None
    if os.path.exists(truth_file):
        with open(truth_file, newline="") as file:
            truth = [int(row["kind"]) for row in csv.DictReader(file)]
    for path in paths:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        for i, row in enumerate(rows):
            anomaly = truth[int(row["row"])] > 0 if truth else i % 3 == 0
            row["label"] = row["label"] or (1 if anomaly else -1)
        with open(path, "w", newline="") as file:
            to = csv.DictWriter(file, rows[0].keys())
            to.writeheader()
            to.writerows(rows)


def compare(page, line, output, printed):
    """Lines that the page shows with those that its command printed. Returns {line of the page: line as printed}."""
    changed = {}
    for shown in output:
        found = next((other for other in printed if shows(shown, [other])), None)
        check(found is not None, f"{os.path.relpath(page, SOURCE)} shows: {shown}\nprinted by {line}:\n" + "\n".join(printed[:40]))
        if found and shown.endswith(" ..."):
            words = len(shown.removesuffix(" ...").split())
            found = re.match(rf"\s*(?:\S+\s+){{{words - 1}}}\S+", found)[0] + " ..."
        changed[shown] = found or shown
    return changed


def run_page(page):
    service, changed = None, {}
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, page)
        about = dict(os.environ, PATH=f"{os.path.dirname(PUAD)}:{os.environ['PATH']}", HOME=folder)
        for command, output in steps_of(page):
            if command.startswith("puad serve ") and os.path.exists(PUAD + "-serve") and shutil.which("curl"):
                service = Service(command, folder, about)
                continue
            line, why = (None, NO_SERVICE) if command.startswith("puad serve ") else as_run(command, service)
            if why:
                print(f"not run: {os.path.relpath(page, SOURCE)}: {command}: {why}")
                counts["skipped"] += why in (NO_MPI, NO_SERVICE, NO_ONNX)
                continue
            if re.search(r"(fit|query) .*\bask|--answers (audit|round)", line):
                fill_in(folder)
            of_mpi = {"ASAN_OPTIONS": "detect_leaks=0"} if line.startswith("mpirun") else {}  # MPI's own
            done = subprocess.run(["bash", "-euc", line], cwd=folder, env=about | of_mpi, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            check(done.returncode == 0, f"{os.path.relpath(page, SOURCE)}: {line}: status {done.returncode}\n{done.stdout[-600:]}")
            changed |= compare(page, line, output, re.sub(r", \d+\.\d s$", "", done.stdout, flags=re.M).splitlines())
        if service:
            service.end()
    if WRITE:
        lines = open(page).read().splitlines()
        open(page, "w").write("\n".join(changed.get(line, line) for line in lines) + "\n")


def check_options(pages):
    """Options that a page names in passing are options of some command."""
    names = subprocess.run([PUAD, "--help"], capture_output=True, text=True).stdout
    helps = subprocess.run([PUAD, "help", "input"], capture_output=True, text=True).stdout
    helps += "".join(subprocess.run([PUAD, name, "--help"], capture_output=True, text=True).stdout for name in re.findall(r"^  (\w+) ", names, re.M))
    known = set(re.findall(r"--([a-z][a-z-]*)", helps)) | {"help", "version", "man"}
    known |= {"oversubscribe", "allow-run-as-root", "bind-to", "map-by", "mpi"}  # of mpirun and srun
    for script in glob.glob(os.path.join(SOURCE, "bench", "*.py")) + glob.glob(os.path.join(SOURCE, "tests", "real", "*.py")):
        known |= set(re.findall(r"""["']--([a-z][a-z-]*)["']""", open(script).read()))
    for page in pages:
        for code in re.findall(r"`((?:puad|fit|score|eval|query|operate|prior|report|data|lab)? ?--[^`]+)`", open(page).read()):
            for name in re.findall(r"--([a-z][a-z-]*)", code):
                check(name in known, f"{os.path.relpath(page, SOURCE)}: `{code}`: no command has --{name}")


pages = [os.path.join(SOURCE, "README.md")] + sorted(glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True))
assert sum(len(steps_of(page)) for page in pages) > 40
pages = [page for page in pages if not sys.argv[1:] or os.path.relpath(page, SOURCE) in sys.argv[1:]]  # all, or those named
for page in pages:
    if os.path.basename(page) not in OTHERS:
        run_page(page)
check_options(pages)
finish()
