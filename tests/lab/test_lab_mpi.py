"""puad lab run under mpirun: three ranks find what one process finds, a killed rank costs only what was running, and a
program built without MPI says so. The first two need puad-mpi and mpirun."""
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
TOY = ["--datasets", "toy", "--methods", "if,ae,puae,deepsvdd,loe,pusvdd", "--seeds", "3", "--epochs", "3", "--quiet"]
GLYPHS = ["--datasets", "glyphs", "--normal-class", "1,2", "--methods", "ae,deepsvdd,pusvdd", "--seeds", "1", "--epochs", "1",
          "--set", "normals=80", "--set", "hidden=10", "--set", "labeled=10", "--threads", "1", "--quiet"]
OF_THE_MOMENT = {"seconds", "pretrain_seconds", "finished", "machine", "history"}
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   ASAN_OPTIONS="detect_leaks=0")  # MPI's own


def launcher(ranks):
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    return ["mpirun", *(["--oversubscribe"] if "Open MPI" in version else []), "-n", str(ranks)]


def lab_run(grid, book, before=()):
    return subprocess.run([*before, PUAD, "lab", "run", *grid, "--ledger", book], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=900)


def contents(book):
    subprocess.run([PUAD, "lab", "export", book + ".csv", "--ledger", book, "-q"], check=True)
    with open(book + ".csv", newline="", encoding="utf-8") as rows:
        return [{name: value for name, value in row.items() if name not in OF_THE_MOMENT} for row in csv.DictReader(rows)]


def check_without_mpi(folder):
    alone = shutil.copy(PUAD, f"{folder}/puad")
    linked = subprocess.run(["ldd", alone], capture_output=True, text=True).stdout
    for library in ("libmpi", "libsqlite3", "libmatio", "libcurl"):
        assert library not in linked, f"the plain program links {library}"
    for command in (["lab", "run"], ["fetch", "mnist"], ["list", "datasets"], ["data", "glyphs"]):
        done = subprocess.run([alone, *command], capture_output=True, text=True)
        assert done.returncode == 1 and "puad-lab" in done.stderr, done
    done = subprocess.run([alone, "fit", f"{folder}/none.csv", "-o", f"{folder}/m"], capture_output=True, text=True,
                          env=dict(os.environ, OMPI_COMM_WORLD_SIZE="3"))
    assert done.returncode == 1 and "puad-mpi" in done.stderr, done


def check_same_figures(folder):
    whole = lab_run(TOY, f"{folder}/whole.db")
    assert whole.returncode == 0 and whole.stdout.count("\n") == 18, whole
    for ranks in (1, 3):
        spread = lab_run(TOY, f"{folder}/spread{ranks}.db", launcher(ranks))
        assert spread.returncode == 0, spread
        assert spread.stdout.count('"cached":false') == 18, spread.stdout
        assert contents(f"{folder}/spread{ranks}.db") == contents(f"{folder}/whole.db"), f"{ranks} ranks differ"
    again = lab_run(TOY, f"{folder}/spread3.db", launcher(2))
    assert again.returncode == 0 and again.stdout.count('"cached":true') == 18, again


def check_lonely_tasks(folder):
    """What srun says to tasks that MPI does not join; the advice is what docs/howto/several-machines.md says works."""
    done = subprocess.run([PUAD + "-lab", "run", *TOY, "--ledger", f"{folder}/lonely.db"], capture_output=True,
                          text=True, env=dict(ENVIRONMENT, SLURM_STEP_NUM_TASKS="2"))
    assert done.returncode == 2 and "srun" in done.stderr and "2 tasks" in done.stderr, done
    assert "--mpi=pmix" in done.stderr and "pmi2" not in done.stderr, done.stderr


def children_of(parent):
    """Processes below another that are puad-lab by now, the keeper of the ledger first."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as stat:
                text = stat.read()
            with open(f"/proc/{name}/environ", "rb") as environ:
                ranks = [entry for entry in environ.read().split(b"\0") if entry.startswith(b"OMPI_COMM_WORLD_RANK=")]
        except OSError:
            continue
        if "(puad-lab)" in text and int(text.rpartition(")")[2].split()[1]) == parent and ranks:
            found.append((int(ranks[0].partition(b"=")[2]), int(name)))
    return [number for _, number in sorted(found)]


def check_killed_rank(folder, rank):
    book = f"{folder}/killed{rank}.db"
    process = subprocess.Popen([*launcher(3), PUAD, "lab", "run", *GLYPHS, "--ledger", book], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT)
    first = process.stdout.readline()  # one cell is done, others run
    assert '"cached":false' in first, first
    ranks = children_of(process.pid)
    assert len(ranks) == 3, ranks
    os.kill(ranks[rank], signal.SIGKILL)
    process.stdout.read()
    assert process.wait(timeout=300) != 0, "a killed rank must not look like success"
    finished = len(contents(book))
    assert 1 <= finished < 6, finished
    rest = lab_run(GLYPHS, book, launcher(3))
    assert rest.returncode == 0 and rest.stdout.count("\n") == 6, rest
    assert rest.stdout.count('"cached":true') == finished, (finished, rest.stdout)
    assert contents(book) == contents(f"{folder}/glyphs.db"), "the resumed ledger differs"


with tempfile.TemporaryDirectory() as folder:
    check_without_mpi(folder)
    if not os.path.exists(PUAD + "-mpi") or not shutil.which("mpirun"):
        print("skipped: needs puad-mpi beside the program (built where MPI is found) and mpirun: tools/bootstrap mpi")
        sys.exit(77)
    begin = time.monotonic()
    check_lonely_tasks(folder)
    check_same_figures(folder)
    assert lab_run(GLYPHS, f"{folder}/glyphs.db").returncode == 0
    check_killed_rank(folder, 2)
    check_killed_rank(folder, 0)
print(f"1 passed, 0 failed, {time.monotonic() - begin:.0f} s")
