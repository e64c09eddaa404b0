"""puad compared with PyTorch: the same training step and scoring pass, alternating.

    make bench      or      bench/against_torch.py [--puad build/puad] [--python .venv/peers/bin/python] [--rounds 7] [--threads 1 2]

Variants of PyTorch: eager and torch.compile, for images in both memory layouts. Each round runs every variant and puad, one after the
other, and takes their ratio, PyTorch / puad; the table has medians over the rounds, and the ratio to PyTorch's fastest variant. One
thread is measured by processor time, which excludes other programs; several by wall time. 'tools/bootstrap peers' installs the peers;
their BLAS is printed, and the reference BLAS is rejected."""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = [(network, head, work) for network in ("conv32", "mlp") for head in ("reconstruction", "distance") for work in ("train", "score")]
STEPS = {"conv32": 3, "mlp": 200}
GOAL = 2


class Peer:
    """bench/torch_step.py, kept running."""

    def __init__(self, python, threads, clock):
        self.process = subprocess.Popen([python, os.path.join(HERE, "torch_step.py"), "--threads", str(threads), "--clock", clock],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line:
            again = subprocess.run([python, os.path.join(HERE, "torch_step.py")], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            sys.exit(f"against_torch: {again.stderr.strip() or 'the PyTorch program printed nothing'}")
        self.about = json.loads(line)

    def run(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"against_torch: PyTorch ended at: {' '.join(map(str, words))}")
        return json.loads(line)["median_ms"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ours(puad, network, head, threads, clock, batch):
    done = subprocess.run([puad, "bench", "step", "--network", network, "--head", head, "--batch", str(batch), "--threads", str(threads), "--steps",
                           str(STEPS[network]), "--clock", clock, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def variants(network):
    return ["eager", "compile"] if network == "mlp" else ["eager", "eager-nhwc", "compile", "compile-nhwc"]


def measure(how, threads):
    """Milliseconds of every round by (network, head, work, variant)."""
    clock = "cpu" if threads == 1 else "wall"
    peer = Peer(how.python, threads, clock)
    print(f"PyTorch {peer.about['torch']}, BLAS {peer.about['blas']}, {threads} threads, {clock} clock, load {os.getloadavg()[0]:.1f}", flush=True)
    times = {}
    for number in range(how.rounds):
        for network, head, work in WORK:
            if network not in how.networks:
                continue
            times.setdefault((network, head, work, "ours"), []).append(ours(how.puad, network, head, threads, clock, how.batch)[f"{work}_ms"])
            for variant in variants(network):
                if variant.startswith("compile") and how.eager:
                    continue
                took = peer.run(network, head, work, variant, how.batch, STEPS[network])
                times.setdefault((network, head, work, variant), []).append(took)
        print(f"round {number + 1} of {how.rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    peer.end()
    return times


def report(times):
    print(f"{'network':8} {'head':15} {'work':6} {'variant':13} {'median ms':>10} {'ratio':>7} {'of rounds':>13}")
    for network, head, work in WORK:
        own = times.get((network, head, work, "ours"))
        if not own:
            continue
        print(f"{network:8} {head:15} {work:6} {'ours':13} {statistics.median(own):10.2f}")
        best = None
        for variant in variants(network):
            theirs = times.get((network, head, work, variant))
            if not theirs:
                continue
            ratios = sorted(a / b for a, b in zip(theirs, own))
            ratio = statistics.median(ratios)
            best = min(best or ratio, ratio)
            print(f"{'':31} {variant:13} {statistics.median(theirs):10.2f} {ratio:7.2f} {ratios[0]:6.2f}..{ratios[-1]:.2f}")
        print(f"{'':31} {'to the fastest':24} {best:7.2f}{'' if best >= GOAL else f'   below the goal of {GOAL}'}", flush=True)


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--puad", default="build/puad")
    ask.add_argument("--python", default=os.path.join(HERE, "..", ".venv", "peers", "bin", "python"))
    ask.add_argument("--rounds", type=int, default=7)
    ask.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    ask.add_argument("--batch", type=int, default=128)
    ask.add_argument("--networks", nargs="+", default=["conv32", "mlp"], choices=["conv32", "mlp"])
    ask.add_argument("--eager", action="store_true", help="without torch.compile, which takes a minute per compilation")
    how = ask.parse_args()
    if not os.path.exists(how.python):
        sys.exit(f"against_torch: there is no {how.python}; run 'tools/bootstrap peers', or name a Python that has PyTorch with --python")
    for threads in how.threads:
        report(measure(how, threads))


if __name__ == "__main__":
    main()
