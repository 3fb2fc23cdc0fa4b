"""Checks of the machine: the monotonic clock that times moves, the wall clock, open files and the event loop."""

import ctypes
import importlib.util
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from referee.server.maintenance.doctor.finding import Finding, ok, warn
from referee.server.open_files import max_connections, open_files_limits
from referee.server.settings import Settings
from referee.storage.sqlite.database import BUSY_MS, open_for_reading

COARSE_S = 0.001
SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
SLOW_SOURCES = {"jiffies", "hpet", "acpi_pm", "refined-jiffies", "pit"}
NOT_SYNCHRONISED = 5
"""Result of adjtimex if the clock is not synchronised (TIME_ERROR)."""
TIMEX_BYTES = 512
"""Larger than the structure that adjtimex fills in."""
AHEAD_MS = 60_000
SECOND_MS = 1_000

NEWEST = "SELECT at_ms FROM entries ORDER BY entry DESC LIMIT 1"


def clocks(database: Path | None) -> Iterator[Finding]:
    """Check the clocks of the machine, and the wall clock against the newest entry of a database of this machine."""
    yield _resolution()
    yield from _source()
    yield _synchronised()
    if database and database.is_file():
        yield from _set_back(database)


def _resolution() -> Finding:
    info = time.get_clock_info("monotonic")
    sentence = f"resolution {info.resolution * 1e9:.0f} ns"
    if not info.monotonic or info.resolution > COARSE_S:
        return warn("clock", sentence, "short thinking times cannot be measured on this machine")
    return ok("clock", sentence)


def _source() -> Iterator[Finding]:
    if not SOURCE.exists():
        return
    source = SOURCE.read_text(encoding="ascii").strip()
    if source in SLOW_SOURCES:
        yield warn("clock", f"the clock source {source} is slow", "prefer tsc or kvm-clock")
    else:
        yield ok("clock", f"clock source {source}")


def _synchronised() -> Finding:
    try:
        answer = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))
    except (AttributeError, OSError):  # Linux only.
        answer = -1
    if answer == NOT_SYNCHRONISED:
        return warn(
            "wall clock",
            "not synchronised",
            "run chrony or systemd-timesyncd: it is used for the expiry of tokens and the dates of records",
        )
    return ok("wall clock", "synchronisation unknown on this system" if answer < 0 else "synchronised")


def _set_back(database: Path) -> Iterator[Finding]:
    try:
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            newest = connection.execute(NEWEST).fetchone()
    except sqlite3.Error:  # Reported by `data`.
        return
    ahead_ms = newest[0] - time.time_ns() // 1_000_000 if newest else 0
    if ahead_ms > AHEAD_MS:
        yield warn(
            "wall clock",
            f"set back: the newest entry is {ahead_ms // SECOND_MS} s in the future",
            "match clocks are not affected, but dates are: find out what sets it",
        )


def process(settings: Settings) -> Iterator[Finding]:
    yield _files(settings.max_streams)
    if importlib.util.find_spec("uvloop"):
        yield ok("event loop", "uvloop is installed")
    else:
        yield warn(
            "event loop", "uvloop is not installed", "pip install 'referee[fast]' saves a tenth of the time per message"
        )


def _files(max_streams: int) -> Finding:
    _, limit = open_files_limits()
    if limit == sys.maxsize:
        return ok("open files", "no limit")
    connections = max_connections(limit)
    sentence = f"limit of {limit}, thus of {connections} connections, for up to {max_streams} streams"
    if connections < max_streams:
        return warn("open files", sentence, "raise the hard limit (LimitNOFILE=65536), or lower max_streams")
    return ok("open files", sentence)
