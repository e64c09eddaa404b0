"""puad beside PyTorch: the same training step and scoring pass, taken in turns.

    make bench          or          /usr/bin/python3 bench/against_torch.py --puad build/puad [--rounds 5] [--quick]

Each round runs every PyTorch variant (both memory layouts, both ways to write the decoder) and ours once, one after the
other, so that a slow moment of the machine meets all of them; the table shows medians over the rounds and the ratio of the
medians, PyTorch / ours, against the fastest PyTorch variant for that work and against its transposed-convolution
decoder. The PyTorch program is not part of this tree: --peer or PUAD_TORCH_PEER names it
(default ../shared/bench/torch_peer.py)."""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2"}
MODELS = {"reconstruction": "ae", "distance": "svdd"}
TARGETS = {("train", "distance"): 1.8, ("train", "reconstruction"): 3.0, ("score", "distance"): 2.0, ("score", "reconstruction"): 2.0}
SCALE_TURNS = 3  # of our own batch sizes and thread counts in a round: they are quick, and more turns even out a noisy machine


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--puad", default="build/puad", help="our program")
    p.add_argument("--peer", default=os.environ.get("PUAD_TORCH_PEER", os.path.join(HERE, "..", "..", "shared", "bench", "torch_peer.py")))
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--steps", type=int, default=5, help="timed steps of a run; its median counts")
    p.add_argument("--slow-rounds", type=int, help="rounds that include the transposed decoder, seconds a step (default: all)")
    p.add_argument("--quick", action="store_true", help="only the main comparison, without the transposed decoder")
    p.add_argument("--json", metavar="FILE", help="also write every figure there")
    return p.parse_args()


def run(command, extra=None):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(extra or {})})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours(a, head, batch=None, threads=None, isa=None):
    command = [a.puad, "bench", "step", "--network", "conv32", "--head", head, "--batch", str(batch or a.batch), "--threads",
               str(threads or a.threads), "--steps", str(a.steps), "--json"]
    return run(command, {"PUAD_ISA": isa} if isa else None)


def torch(a, head, work, layout, decoder, limits=None):
    steps = 1 if decoder == "transposed" and head == "reconstruction" else a.steps
    command = [sys.executable, a.peer, "--model", MODELS[head], "--layout", layout, "--decoder", decoder, "--batch", str(a.batch),
               "--threads", str(a.threads), "--steps", str(steps), "--json"]
    return run(command + (["--infer"] if work == "score" else []), limits)


def variants(head, transposed):
    decoders = ["conv", "transposed"] if head == "reconstruction" and transposed else ["conv"]
    return [(layout, decoder) for layout in ("nchw", "nhwc") for decoder in decoders]


class Times:
    """All figures of the rounds by what was measured."""

    def __init__(self):
        self.values = {}

    def add(self, key, value):
        self.values.setdefault(key, []).append(value)

    def median(self, key):
        return statistics.median(self.values[key])

    def spread(self, key):
        values = self.values[key]
        return f"{min(values):.1f}..{max(values):.1f}"


def compare_round(a, times, head, transposed, limits=None, isa=None, name=""):
    """One turn of everything about a head; keys are (name, work, head, variant)."""
    own = ours(a, head, isa=isa)
    for work in ("train", "score"):
        times.add((name, work, head, "ours"), own[f"{work}_ms"])
        for layout, decoder in variants(head, transposed):
            theirs = torch(a, head, work, layout, decoder, limits)
            times.add((name, work, head, f"{layout} {decoder}"), theirs["median_ms"])
            times.add((name, "memory", head, f"{work} {layout} {decoder}"), theirs["rss_mib"])
    times.add((name, "memory", head, "ours"), own["peak_mib"])


def print_table(title, times, name, transposed):
    print(f"\n{title}\n{'work':6} {'head':15} {'variant':18} {'median ms':>10} {'min..max':>20} {'ratio':>7}")
    for work in ("train", "score"):
        for head in MODELS:
            mine = times.median((name, work, head, "ours"))
            print(f"{work:6} {head:15} {'ours':18} {mine:10.1f} {times.spread((name, work, head, 'ours')):>20}")
            fastest = None
            for layout, decoder in variants(head, transposed):
                key = (name, work, head, f"{layout} {decoder}")
                ratio = times.median(key) / mine
                fastest = ratio if fastest is None else min(fastest, ratio)
                print(f"{'':22} {key[3]:18} {times.median(key):10.1f} {times.spread(key):>20} {ratio:7.2f}")
            wanted = f" (wanted {TARGETS[work, head]})" if name == "" else " (wanted 1)"
            print(f"{'':22} against the fastest: {fastest:.2f}{wanted}")


def print_memory(times):
    print(f"\npeak memory, MiB\n{'head':15} {'ours':>8} {'PyTorch':>8} {'ratio':>7}   (PyTorch's smallest training variant)")
    for head in MODELS:
        mine = times.median(("", "memory", head, "ours"))
        theirs = min(times.median(k) for k in times.values if k[:3] == ("", "memory", head) and k[3].startswith("train"))
        print(f"{head:15} {mine:8.0f} {theirs:8.0f} {mine / theirs:7.2f}   (wanted 0.5 or less)")


def print_scaling(a, times):
    print(f"\ntime per row, milliseconds of {a.threads} threads, and one thread against {a.threads}")
    print(f"{'work':6} {'head':15} {'batch 32':>9} {'128':>9} {'1024':>9} {'largest/smallest':>17} {'1 / ' + str(a.threads) + ' threads':>14}")
    for work in ("train", "score"):
        for head in MODELS:
            rows = [times.median(("scale", work, head, batch)) / batch for batch in (32, 128, 1024)]
            speedup = times.median(("scale", work, head, "one")) / times.median(("scale", work, head, 128))
            print(f"{work:6} {head:15} {rows[0]:9.3f} {rows[1]:9.3f} {rows[2]:9.3f} {max(rows) / min(rows):17.2f} {speedup:14.2f}")


def scale_round(a, times, head):
    for name, own in [(batch, ours(a, head, batch=batch)) for batch in (32, 128, 1024)] + [("one", ours(a, head, threads=1))]:
        for work in ("train", "score"):
            times.add(("scale", work, head, name), own[f"{work}_ms"])


def main():
    a = parse()
    if importlib.util.find_spec("torch") is None:
        sys.exit("against_torch: PyTorch is not installed for this Python (Debian: python3-torch)")
    if not os.path.exists(a.peer):
        sys.exit(f"against_torch: the PyTorch program {a.peer} is not there; name it with --peer or PUAD_TORCH_PEER")
    times = Times()
    for number in range(a.rounds):
        print(f"round {number + 1} of {a.rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        for head in MODELS:
            slow = not a.quick and number < (a.rounds if a.slow_rounds is None else max(a.slow_rounds, 1))
            compare_round(a, times, head, slow)
            if a.quick:
                continue
            compare_round(a, times, head, False, AVX2, "avx2", "avx2")
            for _ in range(SCALE_TURNS):
                scale_round(a, times, head)
    print_table(f"batch {a.batch}, {a.threads} threads, {a.rounds} rounds in turns, load {os.getloadavg()[0]:.1f}", times, "", not a.quick)
    print_memory(times)
    if not a.quick:
        print_table("both limited to AVX2", times, "avx2", False)
        print_scaling(a, times)
    if a.json:
        with open(a.json, "w") as out:
            json.dump({" / ".join(map(str, key)): values for key, values in times.values.items()}, out, indent=1)


if __name__ == "__main__":
    main()
