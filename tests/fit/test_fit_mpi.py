"""puad fit under mpirun: the weights of one process up to rounding, the same bits for the same number of ranks, what cannot be
divided is refused once, and a killed rank leaves a checkpoint that any number of ranks continues. Needs puad-mpi and mpirun."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import numpy

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   ASAN_OPTIONS="detect_leaks=0")  # MPI's own


def launcher(ranks):
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    return ["mpirun", *(["--oversubscribe"] if "Open MPI" in version else []), "-n", str(ranks)] if ranks else []


def fit_command(ranks, rows, model, *options):
    return [*launcher(ranks), PUAD, "fit", rows, "-o", model, "--alpha", "0.1", *options]


def fit(ranks, rows, model, *options):
    done = subprocess.run(fit_command(ranks, rows, model, "--quiet", *options), capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "resume" not in done.stderr, done.stderr  # the warning that there is no checkpoint
    return weights(model)


def weights(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        entries = json.loads(file.read(size))
        data = file.read()
    entries.pop("__metadata__")
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], "<f4") for name, entry in entries.items()
            if entry["dtype"] == "F32" and any(layer in name for layer in ("dense", "conv", "norm"))}


def apart(one, other):
    assert one.keys() == other.keys() and one
    return max(float(numpy.abs(one[name] - other[name]).max()) for name in one)


def write_table(path, count):
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as out:
        out.write("a,b,c,d,e,f,label\n")
        for row in range(count):
            odd = row % 10 == 0
            values = [draw.gauss(2 if odd else 0, 1) for _ in range(6)]
            out.write(",".join(f"{value:.4f}" for value in values) + f",{int(row % 20 == 0)}\n")


def write_images(path, count):
    """Blots of different size and place; some of them rings."""
    draw = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:32, 0:32]
    pixels = numpy.zeros((count, 32, 32), numpy.uint8)
    for i in range(count):
        squares = ((x - draw.uniform(8, 24)) ** 2 + (y - draw.uniform(8, 24)) ** 2) / draw.uniform(9, 49)
        shape = numpy.exp(-(numpy.sqrt(squares) - 1) ** 2 * 6) if i % 6 == 0 else numpy.exp(-squares / 2)
        pixels[i] = 255 * shape
    numpy.savez(path, X=pixels, y=(numpy.arange(count) % 12 == 0).astype(numpy.int8))


def check_tables(folder):
    rows = f"{folder}/rows.csv"
    for method in ("puae", "pusvdd"):
        options = ["--label-column", "label", "--method", method, "--steps", "20"]
        alone = fit(0, rows, f"{folder}/alone", *options, "--threads", "1")
        two = fit(2, rows, f"{folder}/two", *options, "--threads", "1")
        assert apart(alone, two) == 0, f"{method}: 2 ranks are {apart(alone, two)} from one process"
        three = fit(3, rows, f"{folder}/three", *options, "--threads", "1")
        assert 0 < apart(alone, three) <= 1e-5, f"{method}: 3 ranks are {apart(alone, three)} from one process"
    again = fit(2, rows, f"{folder}/again", *options, "--threads", "2")
    assert apart(two, again) == 0, f"{method}: two runs of 2 ranks differ"


def check_images(folder):
    """conv32 has weights whose gradient is near 0, of whose last bits Adam makes whole steps: only sums with the same bits end in the
    same weights."""
    options = ["--method", "puae", "--batch", "12", "--threads", "1"]
    alone = fit(0, f"{folder}/i.npz", f"{folder}/alone", *options, "--steps", "20")
    two = fit(2, f"{folder}/i.npz", f"{folder}/two", *options, "--steps", "20")
    assert apart(alone, two) == 0, f"2 ranks are {apart(alone, two)} from one process"


def check_alpha(folder):
    """The ranks grow the forests of the estimate together, each a part of the folds."""
    found = []
    for ranks in (0, 2, 3):
        command = fit_command(ranks, f"{folder}/rows.csv", f"{folder}/a", "--label-column", "label", "--method", "puae",
                              "--steps", "5", "--threads", "1", "--json", "--quiet")
        command[command.index("--alpha") + 1] = "auto"
        done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=600)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout)["alpha"])
    assert 0 < found[0] < 1 and found == [found[0]] * 3, found


def refused(ranks, rows, folder, *options, **more):
    done = subprocess.run(fit_command(ranks, rows, f"{folder}/refused", *options), capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=300, **more)
    assert done.returncode not in (0, 139) and not os.path.exists(f"{folder}/refused"), done
    return done.returncode, done.stderr


def check_refusals(folder):
    code, said = refused(2, f"{folder}/rows.csv", folder, "--label-column", "label")
    assert code == 2 and said.count("committee") == 1, said
    code, said = refused(2, f"{folder}/none.csv", folder)
    assert code == 1 and said.count("none.csv") == 1 and "rank 1" not in said, said
    code, said = refused(2, "-", folder, "--method", "puae", stdin=subprocess.DEVNULL)
    assert code == 2 and "2 processes" in said, said


def check_separate(folder):
    """Without a common model: each process has its own output."""
    script = f"{PUAD} fit {folder}/rows.csv --label-column label --method if --quiet -o {folder}/own$OMPI_COMM_WORLD_RANK"
    subprocess.run([*launcher(2), "sh", "-c", script], check=True, env=dict(ENVIRONMENT, PUAD_MPI="0"), timeout=300)
    assert os.path.exists(f"{folder}/own0") and os.path.exists(f"{folder}/own1")


def rank_of(parent, rank):
    """The process of a rank below mpirun."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                text = stat.read()
            with open(f"/proc/{name}/environ", "rb") as environ:
                own = f"OMPI_COMM_WORLD_RANK={rank}".encode() in environ.read().split(b"\0")
        except OSError:
            continue
        if own and "(puad-mpi)" in text and int(text.rpartition(")")[2].split()[1]) == parent:
            return int(name)
    raise AssertionError(f"rank {rank} is not there")


def check_killed(folder):
    rows, options = f"{folder}/rows.csv", ["--label-column", "label", "--method", "puae", "--epochs", "200", "--threads", "1"]
    whole = fit(2, rows, f"{folder}/whole", *options)
    for number, ranks in ((0, 2), (1, 0)):
        model = f"{folder}/killed{number}"
        process = subprocess.Popen(fit_command(2, rows, model, *options), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env=ENVIRONMENT)
        while not os.path.exists(model + ".checkpoint"):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.002)
        os.kill(rank_of(process.pid, 1), signal.SIGKILL)
        said = process.communicate(timeout=120)[1]
        assert process.returncode != 0 and "launcher" in said and "--resume" in said, said
        assert os.path.exists(model + ".checkpoint") and not os.path.exists(model), "a killed training has written a model"
        resumed = fit(ranks, rows, model, *options, "--resume")
        assert not os.path.exists(model + ".checkpoint")
        assert not ranks or apart(whole, resumed) == 0, "resuming leads elsewhere"


if not os.path.exists(PUAD + "-mpi") or not shutil.which("mpirun"):
    print("skipped: needs puad-mpi beside the program (built where MPI is found) and mpirun: tools/bootstrap mpi")
    sys.exit(77)
begun = time.monotonic()
with tempfile.TemporaryDirectory() as where:
    write_table(f"{where}/rows.csv", 600)
    write_images(f"{where}/i.npz", 60)
    for check in (check_tables, check_images, check_alpha, check_refusals, check_separate, check_killed):
        check(where)
        print(f"{check.__name__}: {time.monotonic() - begun:.1f} s")
print("1 passed, 0 failed")
