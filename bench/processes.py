"""Runs commands in separate processes and measures them: for benches that alternate sides."""
import multiprocessing
import os
import shlex
import signal
import statistics
import subprocess
import time


def in_child(function, *arguments):
    """The function's result from a process that ends with it. The peak memory of a child is at least what its parent held when it started
    the child, so a bench stays small and leaves large arrays to children."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, arguments)


class Runner:
    """Runs commands alternately and records their seconds and peak memory (MiB) by name; a name that once exceeded the limit is not run again."""

    def __init__(self, threads, limit):
        self.threads, self.limit = threads, limit
        self.seconds, self.peaks, self.stopped = {}, {}, set()

    def run(self, name, command, output=subprocess.PIPE):
        """The output of the command, or None if it was stopped, now or before."""
        if name in self.stopped:
            return None
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:self.threads]))
        signal.setitimer(signal.ITIMER_REAL, self.limit)
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        printed, said = process.stdout.read() if process.stdout else b"", process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.perf_counter() - begin
        if process.returncode == -signal.SIGKILL and seconds >= self.limit:
            self.stopped.add(name)
            return None
        if process.returncode:
            raise SystemExit(f"{shlex.join(command[:4])} ...: {said.decode(errors='replace').strip()}")
        self.keep(name, seconds, usage.ru_maxrss / 1024)
        return printed

    def keep(self, name, seconds, peak):
        self.seconds.setdefault(name, []).append(seconds)
        self.peaks[name] = max(peak, self.peaks.get(name, 0))

    def median(self, name):
        return statistics.median(self.seconds[name]) if self.seconds.get(name) and name not in self.stopped else None
