"""Recovery after a power failure: how long until bots receive their turns again."""

import os
import signal
import sqlite3
import time
from pathlib import Path

from bench.figures import Findings
from bench.measurement import Measurement, Scope
from bench.measurements.sizes import crowded
from bench.stage import NO_QUOTAS
from tests.e2e.server import run_server

SECONDS = "seconds after the start"


def measure(scope: Scope) -> Findings:
    """Measure the recovery. It ends the shared stage, so it must come after all other measurements that use it."""
    found = Findings()
    stage, matches = crowded(scope)
    stage.among(matches, matches, 60)
    _cut(stage.pid)
    found.add("a plain read of the log", "seconds", _read(stage.folder / "data"))
    begun = time.time()
    with run_server(stage.folder, *NO_QUOTAS, "--listen", stage.address):
        found.add("the referee listens", SECONDS, time.time() - begun)
        again = stage.crowd.do("reopen")
        found.add("the first turn is sent again", SECONDS, again["first_at"] - begun)
        found.add("the last turn is sent again", SECONDS, again["last_at"] - begun)
    found.notes.append(f"{matches} live matches of Alquerque, some moves old; {again['owed']} turns owed.")
    return found


def _cut(pid: int) -> None:
    """Kill a server as by a power failure. The process that started it can still query its status."""
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def _read(folder: Path) -> float:
    """Read every line of the log from a file that the kernel may have cached, as it may for the referee."""
    database = next(path for path in folder.rglob("*") if path.is_file() and _is_database(path))
    begun = time.monotonic()
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.execute("SELECT match, number, at_ms, line, request FROM entries ORDER BY match, number").fetchall()
    connection.close()
    return time.monotonic() - begun


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) == b"SQLite"


MEASUREMENT = Measurement(
    "recovery", "After kill -9 with many live matches, when are the first and the last turn sent again?", measure
)
