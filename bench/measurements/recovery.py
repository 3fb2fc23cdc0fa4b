"""After a power cut: how long until bots are asked again."""

import sqlite3
import time
from pathlib import Path

from bench.crowd import crowd
from bench.figures import Findings
from bench.measurement import Measurement, Scope
from bench.recorded import recorded_games
from bench.stage import NO_QUOTAS
from tests.e2e.server import organiser, serving

PLAYED = 10
"""Moves of each match before the cut."""
SECONDS = "seconds after the start"


def measure(scope: Scope) -> Findings:
    matches, found = scope.pick(200, 10_000), Findings()
    folder, room = scope.room("recovery"), 64
    with serving(folder, *NO_QUOTAS) as running, crowd(running.address) as bots:
        with running.channel() as channel:
            secret = organiser(channel, running.admin_token)
        games = str(recorded_games(scope.folder, "alquerque"))
        bots.do("open", organiser=secret, games=games, bots=2 * -(-matches // room), room=room)
        bots.do("make", matches=matches)
        bots.play(matches * PLAYED, 120)
        running.kill()
        found.add("a plain read of the log", "seconds", _read(folder / "data"))
        begun = time.time()
        with serving(folder, *NO_QUOTAS, "--listen", running.address):
            found.add("the referee listens", SECONDS, time.time() - begun)
            again = bots.do("reopen")
            found.add("the first turn is asked again", SECONDS, again["first_at"] - begun)
            found.add("the last turn is asked again", SECONDS, again["last_at"] - begun)
    found.notes.append(f"{matches} live matches of Alquerque after {PLAYED} moves each, {again['owed']} turns owed.")
    return found


def _read(folder: Path) -> float:
    """Every line of the log, from a file that the kernel may have cached, as it has for the referee."""
    begun = time.monotonic()
    database = next(path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:6] == b"SQLite")
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.execute("SELECT match, number, at_ms, line, request FROM entries ORDER BY match, number").fetchall()
    connection.close()
    return time.monotonic() - begun


MEASUREMENT = Measurement(
    "recovery", "After kill -9 with many live matches, when are the first and the last asked again?", measure
)
