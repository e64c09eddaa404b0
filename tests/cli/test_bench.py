"""puad bench: the JSON of both parts has the fields that programs read, every kernel and every pass of conv32."""
import json
import os
import re
import subprocess

PUAD = os.environ.get("PUAD", "build/puad")
SOURCE = os.environ.get("SOURCE", ".")


def lines(*arguments):
    done = subprocess.run([PUAD, "bench", *arguments, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


for head in ("reconstruction", "distance"):
    step, = lines("step", "--network", "conv32", "--head", head, "--batch", "8", "--threads", "2", "--steps", "1")
    for field in ("train_ms", "score_ms", "train_samples_per_s", "score_samples_per_s", "peak_gflops", "train_gflops", "peak_mib"):
        assert step[field] > 0, field
    assert (step["head"], step["batch"], step["threads"]) == (head, 8, 2) and step["isa"]

rows = lines("kernels", "--batch", "4", "--threads", "2", "--steps", "1")
listed = re.findall(r"^KERNEL\((\w+)", open(os.path.join(SOURCE, "src", "kernels", "kernels.def")).read(), re.M)
assert [r["kernel"] for r in rows if "kernel" in r] == listed
assert all(r["gbytes_per_s"] > 0 for r in rows if "kernel" in r)
passes = [r for r in rows if "pass" in r]
assert len(passes) == 7 * 3 - 1 + 1 and passes[-1]["layer"] == "all"  # no gradient by the images; the sum at the end
total = sum(r["ms"] for r in passes[:-1])
assert abs(passes[-1]["ms"] - total) < 1e-6 * total
wide = {(r["layer"], r["pass"]): r for r in passes}["8x8x64 -> 8x8x128", "forward"]
assert wide["useful_gflops"] > 2 * wide["done_gflops"]  # the Winograd form multiplies less

wrong = subprocess.run([PUAD, "bench", "nonsense"], capture_output=True, text=True)
assert wrong.returncode == 2 and "kernels" in wrong.stderr
print("1 passed, 0 failed")
