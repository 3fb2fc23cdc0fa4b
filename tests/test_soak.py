"""`make soak` leaves no processes behind, even if it is stopped."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak import PROJECT

WITHIN_S = 120
SOAK = """
import sys
from tests import soak

PIPE = sys.argv.pop()

class Waits(soak.Case):
    def command(self):
        return [sys.executable, "-c", WAITS, self.test]

WAITS = '''
import os, subprocess, sys, time
child = subprocess.Popen(["sleep", "1000"])
with open(sys.argv[1], "w") as told:
    told.write(f"{os.getpid()} {child.pid} ")
time.sleep(1000)
'''
soak.collect = lambda: [PIPE]
soak.Case = Waits
sys.exit(soak.main())
"""
"""The real program, with tests that wait and have a child process."""


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_stopped_it_ends_its_tests_and_all_that_those_started(tmp_path: Path, told: signal.Signals) -> None:
    pipe = tmp_path / "pids"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR)  # Open for writing too, so that opening never waits for a writer.
    with subprocess.Popen([sys.executable, "-c", SOAK, str(pipe)], cwd=PROJECT) as soak:
        pids: list[int] = []
        try:
            while len(pids) < 4:
                assert select.select([reading], [], [], WITHIN_S)[0], "the tests did not start"
                pids += map(int, os.read(reading, 1_000).split())
            soak.send_signal(told)
            assert soak.wait(WITHIN_S) == 128 + told
        finally:
            soak.kill()
    os.close(reading)
    assert [pid for pid in pids if runs(pid)] == []


def runs(pid: int) -> bool:
    """Return whether the process is running; a zombie has ended and only waits to be reaped."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
