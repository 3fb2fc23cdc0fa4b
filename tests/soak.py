"""`make soak`: run what takes long by nature, drawn at random, until the time is up.

Draws from the tests marked `soak` and from all tests by hypothesis. Each round runs one case of every test function in
random order, two at a time, each in a pytest process of its own with a random seed of its own. Everything follows from
the seed that is printed first. A test that is running when the time is up is finished; at SIGINT or SIGTERM it is
interrupted. Whatever it started ends with it.
"""

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Lock

PROJECT = Path(__file__).parents[1]
DRAWN_FROM = "soak or hypothesis"
MAX_TEST_S = 600
"""A test that takes longer has failed."""
GRACE_S = 10
"""Time in which an interrupted test must end what it started."""


class Stopped(BaseException):
    """Raised when a signal asks the program to stop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Processes:
    """The running processes, each in a session of its own, so that everything it started can be ended."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: list[subprocess.Popen[bytes]] = []
        self._stopped = False

    def run(self, command: list[str], within_s: float) -> tuple[int, str]:
        """Return its exit status and what it printed. Raises TimeoutExpired."""
        with self._lock:
            if self._stopped:
                return 1, "not started"
            process = subprocess.Popen(
                command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
            )
            self._running.append(process)
        with process:
            try:
                output, _ = process.communicate(timeout=within_s)
            finally:
                _kill_group(process)
                with self._lock:
                    self._running.remove(process)
        return process.returncode, output.decode(errors="replace")

    def are_stopped(self) -> bool:
        return self._stopped

    def stop(self) -> None:
        """Interrupt all processes, so that they can end their own sessions; then kill the rest. Start no more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            process.send_signal(signal.SIGINT)
        ends = time.monotonic() + GRACE_S
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0, ends - time.monotonic()))
            _kill_group(process)


def _kill_group(leader: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # All of its processes have ended.
        os.killpg(leader.pid, signal.SIGKILL)


@dataclass(frozen=True)
class Case:
    """A test, and the seed of its random numbers."""

    test: str
    seed: int

    def command(self) -> list[str]:
        seeds = [f"--soak-seed={self.seed}", f"--hypothesis-seed={self.seed}"]
        return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *seeds, self.test]

    def run(self, processes: Processes) -> str:
        """Return what pytest printed if the test failed, "" if it passed."""
        try:
            status, output = processes.run(self.command(), MAX_TEST_S)
        except subprocess.TimeoutExpired:
            return f"not done after {MAX_TEST_S} s"
        return output if status else ""


def collect() -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--disable-warnings", "-m", DRAWN_FROM]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if listed.returncode:
        sys.exit(listed.stdout + listed.stderr)
    tests = [line for line in listed.stdout.splitlines() if "::" in line]
    if not tests:
        sys.exit(f"no test is marked {DRAWN_FROM}")
    return tests


def draw(tests: list[str], seed: int) -> Iterator[Case]:
    """Yield cases without end: in each round one of every test function, in random order."""
    rng = Random(seed)
    functions = defaultdict[str, list[str]](list)
    for test in tests:
        functions[re.sub(r"\[.*", "", test)].append(test)
    while True:
        for function in rng.sample(sorted(functions), len(functions)):
            yield Case(rng.choice(functions[function]), rng.getrandbits(32))


class Soak:
    """Workers that run cases until the time is up, and the results."""

    def __init__(self, cases: Iterator[Case], ends: float) -> None:
        self._cases = cases
        self._ends = ends
        self._lock = Lock()
        self._processes = Processes()
        self.passed = 0
        self.failed: list[tuple[Case, str]] = []

    def run(self, workers: int) -> None:
        """Run cases until the time is up. Raises Stopped."""
        with ThreadPoolExecutor(workers) as pool:
            try:
                for done in [pool.submit(self._work) for _ in range(workers)]:
                    done.result()
            except Stopped:
                self._processes.stop()
                raise

    def _work(self) -> None:
        while time.monotonic() < self._ends and not self._processes.are_stopped():
            with self._lock:
                case = next(self._cases)
            began = time.monotonic()
            failure = case.run(self._processes)
            if self._processes.are_stopped():
                break  # It was interrupted, which says nothing about the test.
            with self._lock:
                self._report(case, failure, time.monotonic() - began)

    def _report(self, case: Case, failure: str, seconds: float) -> None:
        print(f"{seconds:6.1f} s  {'FAILED' if failure else 'passed'}  {case.test}  seed {case.seed}", flush=True)
        if failure:
            self.failed.append((case, failure))
        else:
            self.passed += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None, help="of an earlier run, to draw the same again")
    parser.add_argument("--workers", type=int, default=2, help="tests that run at the same time")
    chosen = parser.parse_args()
    seed = Random().getrandbits(32) if chosen.seed is None else chosen.seed
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    try:
        return _soak(chosen.minutes, seed, chosen.workers)
    except Stopped as why:
        return 128 + why.number


def _stop(number: int, _frame: object) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):  # Stopping takes a moment, and no signal may interrupt it.
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)


def _soak(minutes: float, seed: int, workers: int) -> int:
    """Run cases for that time, and print a summary. Return the exit status. Raises Stopped."""
    print(f"soak for {minutes:g} minutes, seed {seed}", flush=True)
    began = time.monotonic()
    soak = Soak(draw(collect(), seed), ends=began + minutes * 60)
    try:
        soak.run(workers)
    finally:
        for case, failure in soak.failed:
            print(f"\n{failure}\n{case.test} failed; repeat it with\n  {shlex.join(case.command())}")
        taken = time.monotonic() - began
        print(f"soak with seed {seed}: {soak.passed} passed, {len(soak.failed)} failed in {taken:.0f}s")
    return 1 if soak.failed else 0


if __name__ == "__main__":
    sys.exit(main())
