"""Interruptions, and threads that use a detector while another one trains it."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import puad
from conftest import numbers

INTERRUPTED = """
import gc, os, signal, sys, threading, time
import numpy as np, puad
signal.signal(signal.SIGINT, signal.default_int_handler)
rows = int(sys.argv[2])
X = np.random.default_rng(0).normal(size=(rows, 30))
detector = puad.Detector(sys.argv[3], seed=1, steps=5, force=True).fit(X[:3000])
for delay in (0.3, 0.31)[: int(sys.argv[4])]:
    threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    try:
        detector.query(X, k=5000) if sys.argv[1] == "query" else detector.score_samples(X)
        print("finished")
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - begin)
    time.sleep(0.1)
except KeyboardInterrupt:
    pass
del detector, X
gc.collect()
kept = [np.full(1 << 16, 7.0) for _ in range(100)]  # memory that a stray write would damage
begin = time.monotonic()
while any(thread.name == "puad" for thread in threading.enumerate()):
    assert time.monotonic() - begin < 20
    time.sleep(0.01)
assert all((block == 7.0).all() for block in kept)
print("ended")
"""


@pytest.mark.parametrize("call, rows, method, signals", [("query", 300000, "if", 1), ("query", 300000, "if", 2), ("score", 1500000, "committee", 1)])
def test_control_c_ends_a_long_call_soon_and_harms_nothing(call, rows, method, signals):
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", INTERRUPTED, call, str(rows), method, str(signals)], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[0] == "interrupted" and float(words[1]) < 5 and words[-1] == "ended"


def test_explanations_and_facts_while_another_thread_trains():
    X, y, _ = numbers(300)
    detector = puad.Detector("puforest", threads=1).fit(X, y)
    stopped, failed = threading.Event(), []

    def use():
        try:
            while not stopped.is_set():
                detector.explain(X[:20])
                detector.facts_, detector.calibration()
                detector.predict(X[:5])
        except Exception as error:
            failed.append(error)

    users = [threading.Thread(target=use) for _ in range(3)]
    for user in users:
        user.start()
    begin = time.monotonic()
    while time.monotonic() - begin < 4:
        detector.fit(X, y)
    stopped.set()
    for user in users:
        user.join()
    assert not failed, failed
