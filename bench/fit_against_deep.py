"""A whole fit compared with PyOD's and DeepOD's: the same table, epochs and batch; time, peak memory and AUROC on new rows.

    bench/fit_against_deep.py [--puad build/puad] [--python .venv/peers/bin/python] [--rows 10000] [--epochs 20] [--rounds 3] [--threads 1]

Every run is a separate process, alternating. For puad the whole process is timed, including reading the CSV file; for the others only
fit, without imports and reading. One thread is measured by processor time, several by wall time. If the detector measures a distance,
puad pretrains as many epochs as it trains, as its paper does; the others do not pretrain, so deepsvdd is also measured without. Peers
keep their default network sizes."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_PRETRAINED = "deepsvdd, not pretrained"
PAIRS = [("deepsvdd", "PyOD DeepSVDD"), (NOT_PRETRAINED, "PyOD DeepSVDD"), ("ae", "PyOD AutoEncoder"), ("deepsad", "DeepOD DeepSAD")]
GOAL = 5
PEER = """
import json, resource, sys, time, warnings
warnings.filterwarnings("ignore")
import numpy as np, torch
sys.path.insert(0, sys.argv[5])
import peer_blas
name, file, epochs, threads = sys.argv[1], np.load(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
torch.set_num_threads(threads)
rows, labels, new = file["X"], file["y"], file["new"]
if name == "PyOD DeepSVDD":
    from pyod.models.deep_svdd import DeepSVDD
    model = DeepSVDD(n_features=rows.shape[1], epochs=epochs, batch_size=128, verbose=0, random_state=0)
elif name == "PyOD AutoEncoder":
    from pyod.models.auto_encoder import AutoEncoder
    model = AutoEncoder(epoch_num=epochs, batch_size=128, verbose=0, random_state=0, device="cpu")
else:
    from deepod.models import DeepSAD
    model = DeepSAD(epochs=epochs, batch_size=128, device="cpu", verbose=0, random_state=0)
clock = time.process_time if threads == 1 else time.perf_counter
begin = clock()
model.fit(rows, labels) if name == "DeepOD DeepSAD" else model.fit(rows)
seconds = clock() - begin
found = model.decision_function(new)
print("ANSWER " + json.dumps({"seconds": seconds, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "torch": torch.__version__,
                              "blas": peer_blas.checked(), "scores": [float(score) for score in found]}))
"""
MAKE = """
import sys, numpy as np
draw, rows, folder = np.random.default_rng(1), int(sys.argv[1]), sys.argv[2]
def table(count):
    odd = draw.random(count) < 0.05
    return draw.normal(size=(count, 8)) @ MIX + 0.3 * draw.normal(size=(count, 20)) + 0.9 * odd[:, None] * draw.normal(size=(count, 20)), odd
MIX = draw.normal(size=(8, 20))
X, odd = table(rows)
y = odd & (draw.random(rows) < 0.2)
new, truth = table(5000)
names = ",".join(f"c{i}" for i in range(20))
np.savez(folder + "/train.npz", X=X.astype(np.float32), y=y.astype(int), new=new.astype(np.float32))
np.savetxt(folder + "/train.csv", np.column_stack([X, y]), "%.6f", ",", header=names + ",label", comments="")
np.savetxt(folder + "/new.csv", np.column_stack([new, truth]), "%.6f", ",", header=names + ",label", comments="")
np.savetxt(folder + "/truth.txt", truth, "%d")
"""


def auroc(scores, truth):
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    ranks = sum(place + 1 for place, i in enumerate(order) if truth[i])
    odd = sum(truth)
    return (ranks - odd * (odd + 1) / 2) / (odd * (len(truth) - odd))


def ours(how, folder, method):
    model = os.path.join(folder, "m.safetensors")
    method, *rest = method.split(",")
    rest = ["--pretrain-epochs", "0"] if rest else []
    begin = time.perf_counter()
    process = subprocess.Popen([how.puad, "fit", os.path.join(folder, "train.csv"), "--label-column", "label", "--method", method, *rest, "--epochs",
                                str(how.epochs), "--batch", "128", "--threads", str(how.threads), "--alpha", "0.05", "--quiet", "--force", "-o", model])
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        sys.exit(f"fit_against_deep: puad fit --method {method} failed")
    if how.threads == 1:
        seconds = usage.ru_utime + usage.ru_stime
    said = subprocess.run([how.puad, "eval", model, os.path.join(folder, "new.csv"), "--label-column", "label", "--json"], check=True,
                          capture_output=True, text=True).stdout
    return {"seconds": seconds, "peak": usage.ru_maxrss / 1024, "auroc": json.loads(said)["auroc"]}


def theirs(how, folder, name, truth):
    done = subprocess.run([how.python, "-c", PEER, name, os.path.join(folder, "train.npz"), str(how.epochs), str(how.threads), HERE],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"fit_against_deep: {name}: {done.stderr.strip()[-500:]}")
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("ANSWER "))[7:])
    found["auroc"] = auroc(found.pop("scores"), truth)
    return found


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--puad", default="build/puad")
    ask.add_argument("--python", default=os.path.join(HERE, "..", ".venv", "peers", "bin", "python"))
    ask.add_argument("--rows", type=int, default=10000)
    ask.add_argument("--epochs", type=int, default=20)
    ask.add_argument("--rounds", type=int, default=3)
    ask.add_argument("--threads", type=int, default=1)
    how = ask.parse_args()
    if not os.path.exists(how.python):
        sys.exit(f"fit_against_deep: there is no {how.python}; run 'tools/bootstrap peers', or name a Python with PyOD and DeepOD with --python")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([how.python, "-c", MAKE, str(how.rows), folder], check=True)
        with open(os.path.join(folder, "truth.txt"), encoding="ascii") as file:
            truth = [int(line) for line in file]
        runs = {}
        for _ in range(how.rounds):
            peers = {}
            for method, name in PAIRS:
                mine = ours(how, folder, method)
                if name not in peers:
                    peers[name] = theirs(how, folder, name, truth)
                runs.setdefault(method, []).append((mine, peers[name]))
        about = runs["ae"][0][1]
        print(f"{how.rows} rows of 20 columns, {how.epochs} epochs, batch 128, {how.threads} threads, {how.rounds} alternating rounds, PyTorch {about['torch']}, "
              f"BLAS {about['blas']}, load {os.getloadavg()[0]:.1f}")
        print(f"{'':30} {'seconds':>8} {'MiB':>6} {'AUROC':>6} {'ratio':>7} {'of rounds':>13} {'memory':>7}")
        for method, name in PAIRS:
            pairs = runs[method]
            ratios = sorted(b["seconds"] / a["seconds"] for a, b in pairs)
            middle = [{key: statistics.median(pair[side][key] for pair in pairs) for key in ("seconds", "peak", "auroc")} for side in (0, 1)]
            print(f"{'puad ' + method:30} {middle[0]['seconds']:8.2f} {middle[0]['peak']:6.0f} {middle[0]['auroc']:6.3f}")
            ratio = statistics.median(ratios)
            print(f"{name:30} {middle[1]['seconds']:8.2f} {middle[1]['peak']:6.0f} {middle[1]['auroc']:6.3f} {ratio:7.1f} {ratios[0]:6.1f}..{ratios[-1]:.1f} "
                  f"{middle[1]['peak'] / middle[0]['peak']:7.0f}{'' if ratio >= GOAL else f'   below the goal of {GOAL}'}", flush=True)


main()
