#!/usr/bin/env python3
"""Latency of puad serve at a fixed rate of single-row requests, while the model is replaced: `hey` is the load generator.

    bench/service_rate.py                         # 2000 requests/s, 24 clients, 20 s, 20 model reloads
    bench/service_rate.py --priority              # with real-time priority (as root), for a machine with other work

The model is the default ensemble, fitted to 20,000 generated rows x 20 with 200 labeled anomalies. The clients send at the same moments, so a burst of 24
requests arrives every 12 ms. `hey` drops a request that is late by a whole period, so the number of requests is printed too.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PUAD = os.environ.get("PUAD", "build/puad")
HERE = os.path.dirname(os.path.abspath(__file__))


def fit(path, seed):
    source = subprocess.Popen([sys.executable, os.path.join(HERE, "large_tables.py"), "--generate", "20000"], stdout=subprocess.PIPE)
    subprocess.run([PUAD, "fit", "-", "--label-column", "label", "--seed", str(seed), "--quiet", "-o", path], stdin=source.stdout, check=True,
                   stderr=subprocess.DEVNULL)
    source.wait()


def reload_models(process, path, models, times, pause, done):
    for i in range(times):
        time.sleep(pause)
        shutil.copy(models[(i + 1) % 2], path + ".new")
        os.replace(path + ".new", path)
        process.send_signal(signal.SIGHUP)
    done.set()


def measure(folder, given):
    models = [os.path.join(folder, f"{seed}.safetensors") for seed in (1, 2)]
    for seed, path in enumerate(models, 1):
        fit(path, seed)
    path = os.path.join(folder, "m.safetensors")
    shutil.copy(models[0], path)
    priority = ["chrt", "--fifo", "10"] if given.priority else []
    process = subprocess.Popen([*priority, PUAD, "serve", path, "--listen", "127.0.0.1:0", "--quiet"], stderr=subprocess.PIPE, text=True)
    port = re.search(r":(\d+)$", process.stderr.readline().strip())[1]
    threading.Thread(target=process.stderr.read, daemon=True).start()
    body = json.dumps([{f"x{i}": round(0.37 * i - 2, 3) for i in range(20)}])
    done = threading.Event()
    threading.Thread(target=reload_models, args=(process, path, models, given.reloads, given.seconds / (given.reloads + 1), done)).start()
    command = [*priority, "hey", "-z", f"{given.seconds}s", "-c", str(given.clients), "-q", f"{given.rate / given.clients:g}", "-m", "POST",
               "-T", "application/json", "-d", body, f"http://127.0.0.1:{port}/score"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    done.wait()
    time.sleep(0.5)
    counts = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    process.send_signal(signal.SIGTERM)
    process.wait()
    return printed, int(re.search(r"^puad_model_version (\d+)$", counts, re.M)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=2000, help="requests per second")
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--reloads", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--priority", action="store_true")
    given = parser.parse_args()
    print(f"{os.cpu_count()} processors, {given.rate} requests/s, {given.clients} clients, {given.seconds} s, {given.reloads} reloads")
    print("answered  failed   p50 ms   p99 ms  largest ms  models served")
    for _ in range(given.rounds):
        with tempfile.TemporaryDirectory() as folder:
            printed, models = measure(folder, given)
        good = int(re.search(r"\[200\]\s+(\d+)", printed)[1])
        failed = sum(int(count) for status, count in re.findall(r"\[(\d+)\]\s+(\d+) responses", printed) if status != "200")
        failed += sum(map(int, re.findall(r"^\s+\[(\d+)\]\s+(?!\d+ responses)", printed, re.M)))
        p50, p99 = (1000 * float(re.search(rf"{part}%\S* in ([0-9.]+) secs", printed)[1]) for part in (50, 99))
        slowest = 1000 * float(re.search(r"Slowest:\s+([0-9.]+)", printed)[1])
        print(f"{good:8}  {failed:6}  {p50:7.1f}  {p99:7.1f}  {slowest:10.1f}  {models:13}", flush=True)


main()
