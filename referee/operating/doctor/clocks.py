"""The clocks: the one that times moves, and the one on the wall."""

import ctypes
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from referee.operating.doctor.finding import Finding, ok, warn
from referee.operating.memory import BUSY_MS
from referee.storage.sqlite_file import open_for_reading

COARSE_S = 0.001
SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
SLOW_SOURCES = {"jiffies", "hpet", "acpi_pm", "refined-jiffies", "pit"}
NOT_SYNCHRONISED = 5
"""What adjtimex answers (TIME_ERROR)."""
TIMEX_BYTES = 512
"""More than it fills in."""
AHEAD_MS = 60_000
SECOND_MS = 1_000

NEWEST = "SELECT at_ms FROM entries ORDER BY entry DESC LIMIT 1"


def clocks(database: Path) -> Iterator[Finding]:
    yield _resolution()
    yield from _source()
    yield _synchronised()
    if database.is_file():
        yield from _set_back(database)


def _resolution() -> Finding:
    info = time.get_clock_info("monotonic")
    sentence = f"moves are timed to {info.resolution * 1e9:.0f} ns"
    if not info.monotonic or info.resolution > COARSE_S:
        return warn("clock", sentence, "short thinking times cannot be told apart on this machine")
    return ok("clock", sentence)


def _source() -> Iterator[Finding]:
    if not SOURCE.exists():
        return
    source = SOURCE.read_text(encoding="ascii").strip()
    if source in SLOW_SOURCES:
        yield warn("clock", f"the machine counts time by {source}, which is slow to ask", "prefer tsc or kvm-clock")
    else:
        yield ok("clock", f"the machine counts time by {source}")


def _synchronised() -> Finding:
    try:
        answer = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))
    except (AttributeError, OSError):  # Only Linux has it.
        answer = -1
    if answer == NOT_SYNCHRONISED:
        return warn(
            "wall clock",
            "nobody keeps it right",
            "run chrony or systemd-timesyncd: tokens expire by it, and records show it",
        )
    return ok("wall clock", "it cannot be known here whether it is kept right" if answer < 0 else "it is kept right")


def _set_back(database: Path) -> Iterator[Finding]:
    try:
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            newest = connection.execute(NEWEST).fetchone()
    except sqlite3.Error:  # Who looks at the database says so.
        return
    ahead_ms = newest[0] - time.time_ns() // 1_000_000 if newest else 0
    if ahead_ms > AHEAD_MS:
        yield warn(
            "wall clock",
            f"it was set back: the newest entry is {ahead_ms // SECOND_MS} s ahead of it",
            "no clock of a match suffers, but dates do: find out who sets it",
        )
