"""The peer of `puad bench step`: the same networks, step and scoring pass in PyTorch, eager or compiled.

Reads commands from standard input, so that compilation happens once and runs can alternate with others:

    NETWORK HEAD WORK VARIANT BATCH STEPS      conv32|mlp  reconstruction|distance  train|score  eager|compile[-nhwc]

and answers each with one JSON line: median milliseconds of the steps, by the clock that --clock selects. The first line describes this program. The
decoder is written as up-sampling and a plain convolution, which PyTorch runs several times faster than the equal transposed one."""
import argparse
import json
import resource
import statistics
import sys
import time

import torch
from torch import nn

import peer_blas

COLUMNS, WIDTH, CODE = 32, 128, 7  # of mlp, as in `puad bench step`
ask = argparse.ArgumentParser()
ask.add_argument("--threads", type=int, default=1)
ask.add_argument("--clock", choices=["wall", "cpu"], default="wall")
how = ask.parse_args()
torch.set_num_threads(how.threads)
torch.set_flush_denormal(True)
torch.manual_seed(0)
clock = time.perf_counter if how.clock == "wall" else time.process_time


def conv32(affine, decoded):
    layers, channels = [], 3
    for out in (32, 64, 128):
        layers += [nn.Conv2d(channels, out, 5, padding=2, bias=False), nn.BatchNorm2d(out, affine=affine), nn.LeakyReLU(), nn.MaxPool2d(2)]
        channels = out
    layers += [nn.Flatten(), nn.Linear(2048, 128, bias=False), nn.BatchNorm1d(128, affine=affine), nn.LeakyReLU()]
    if not decoded:
        return nn.Sequential(*layers)
    layers.append(nn.Unflatten(1, (8, 4, 4)))
    channels = 8
    for out in (128, 64, 32):
        layers += [nn.Conv2d(channels, out, 5, padding=2, bias=False), nn.BatchNorm2d(out, affine=affine), nn.LeakyReLU(), nn.Upsample(scale_factor=2)]
        channels = out
    return nn.Sequential(*layers, nn.Conv2d(32, 3, 5, padding=2, bias=False), nn.Sigmoid())


def mlp(bias, decoded):
    def half(sizes):
        layers = []
        for before, behind in zip(sizes, sizes[1:]):
            layers += [nn.Linear(before, behind, bias=bias), nn.ReLU()]
        return layers[:-1]
    layers = half([COLUMNS, WIDTH, WIDTH, WIDTH, CODE])
    return nn.Sequential(*layers, *(half([CODE, WIDTH, WIDTH, WIDTH, COLUMNS]) if decoded else []))


class Work:
    def __init__(self, network, head, work, variant, batch):
        decoded = head == "reconstruction"
        self.net = (conv32 if network == "conv32" else mlp)(decoded, decoded)
        self.rows = torch.rand(batch, 3, 32, 32) if network == "conv32" else torch.rand(batch, COLUMNS)
        if variant.endswith("nhwc"):
            self.net = self.net.to(memory_format=torch.channels_last)
            self.rows = self.rows.contiguous(memory_format=torch.channels_last)
        self.center = torch.full((128 if network == "conv32" else CODE,), 0.1)
        self.decoded, self.train = decoded, work == "train"
        self.net.train(self.train)
        self.step = torch.optim.Adam(self.net.parameters(), lr=1e-4, weight_decay=1e-3, foreach=True) if self.train else None
        self.scored = torch.compile(self.score) if variant.startswith("compile") else self.score

    def score(self, rows):
        out = self.net(rows)
        return (out - rows).flatten(1).norm(dim=1) if self.decoded else (out - self.center).pow(2).sum(1)

    def run(self):
        if not self.train:
            with torch.inference_mode():
                return self.scored(self.rows)
        self.step.zero_grad(set_to_none=True)
        self.scored(self.rows).mean().backward()
        return self.step.step()


made = {}
print(json.dumps({"torch": torch.__version__, "blas": peer_blas.checked(), "threads": torch.get_num_threads()}), flush=True)
for line in sys.stdin:
    *key, batch, steps = line.split()
    key = (*key, int(batch))
    if key not in made:
        made[key] = Work(*key)
        for _ in range(3):
            made[key].run()
    times = []
    for _ in range(int(steps)):
        begin = clock()
        made[key].run()
        times.append(clock() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"median_ms": statistics.median(times) * 1e3, "peak_mib": peak}), flush=True)
