"""kill -9 at random moments of trainings: the model file is always absent or whole, --resume always works and ends in the
same scores as a training nobody disturbed. KILLS and SECONDS bound the work; tests/real runs fifty."""
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from killing import killed_after

PUAD = os.path.abspath(os.environ.get("PUAD", "build/puad"))
KILLS = int(os.environ.get("KILLS", "12"))
SECONDS = float(os.environ.get("SECONDS", "15"))
METHODS = [("pusvdd", ["--epochs", "6", "--pretrain-epochs", "4"]), ("puae", ["--epochs", "10"]),
           ("if", []), ("deepsad", ["--epochs", "40", "--patience", "5"])]
draw = random.Random(int(os.environ.get("SEED", "1")))


def write_rows(path, count):
    with open(path, "w", encoding="ascii") as out:
        out.write("a,b,c,d,e,f,label\n")
        for row in range(count):
            odd = row % 12 == 0
            values = [draw.gauss(3 if odd else 0, 1) for _ in range(6)]
            out.write(",".join(f"{value:.4f}" for value in values) + f",{int(odd and row % 24 == 0)}\n")


def fit_command(folder, model, method, budget, *more):
    return [PUAD, "fit", f"{folder}/rows.csv", "--label-column", "label", "-o", model, "--method", method, "--threads", "1",
            "--quiet", *budget, *more]


def scores(folder, model):
    done = subprocess.run([PUAD, "score", model, f"{folder}/rows.csv", "--threads", "1"], capture_output=True, text=True)
    assert done.returncode == 0, f"{model} is there but cannot be used: {done.stderr}"
    return done.stdout


def undisturbed(folder):
    """Per method: seconds of a training, and the scores of its model."""
    facts = {}
    for method, budget in METHODS:
        begin = time.monotonic()
        subprocess.run(fit_command(folder, f"{folder}/{method}.whole", method, budget), check=True)
        facts[method] = time.monotonic() - begin, scores(folder, f"{folder}/{method}.whole")
    return facts


def interrupt_pretraining(folder):
    """Ctrl-C while pretraining leaves the model that is there alone, and --resume leads to that of an undisturbed training."""
    budget = ["--epochs", "4", "--pretrain-epochs", "60"]
    whole, model = f"{folder}/whole.safetensors", f"{folder}/cut.safetensors"
    subprocess.run(fit_command(folder, whole, "pusvdd", budget), check=True)
    subprocess.run(fit_command(folder, model, "if", []), check=True)
    with open(model, "rb") as file:
        good = file.read()
    process = subprocess.Popen(fit_command(folder, model, "pusvdd", budget), stderr=subprocess.PIPE, text=True)
    while not os.path.exists(model + ".checkpoint") and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 1 and "pretraining" in said, (process.returncode, said)
    with open(model, "rb") as file:
        assert file.read() == good, "an interrupted pretraining has replaced the model"
    subprocess.run(fit_command(folder, model, "pusvdd", budget[:2], "--resume"), check=True)
    assert scores(folder, model) == scores(folder, whole), "resuming an interrupted pretraining leads elsewhere"


def main():
    begin = time.monotonic()
    killed = finished = resumed_twice = taken_up = 0
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.csv", 300)
        interrupt_pretraining(folder)
        facts = undisturbed(folder)
        for round_number in range(KILLS):
            if time.monotonic() - begin > SECONDS and round_number >= 3:
                break
            method, budget = METHODS[round_number % len(METHODS)]
            length, expected = facts[method]
            model = f"{folder}/m{round_number}.safetensors"
            more = []
            while killed_after(fit_command(folder, model, method, budget, *more), draw.uniform(0, 1.05) * length):
                killed += 1
                if os.path.exists(model):
                    assert scores(folder, model) == expected, f"{method}: a model that was not finished is in place"
                taken_up += os.path.exists(model + ".checkpoint")
                resumed_twice += bool(more)
                more = ["--resume"]
                if draw.random() < 0.6:
                    break
            finished += 1
            subprocess.run(fit_command(folder, model, method, budget, "--resume"), check=True)
            assert scores(folder, model) == expected, f"{method}: resuming leads elsewhere"
            assert not os.path.exists(model + ".checkpoint"), "a finished training leaves its checkpoint"
            for rest in glob.glob(model + "*"):
                os.unlink(rest)
    assert killed > 0
    print(f"{finished} trainings, {killed} kills ({resumed_twice} of resumed ones), {taken_up} checkpoints taken up")
    print("1 passed, 0 failed")


sys.exit(main())
