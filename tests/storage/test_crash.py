"""Processes that are killed while they write.

What was acknowledged is stored, what is stored is whole, and the next process can continue.
"""

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from referee.live.ports import CoAppend, EventLog
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.appending import MATCHES
from tests.storage.stores import (
    LADDER,
    Store,
    contest_events,
    events_of,
    matches_started,
    noon_ms,
    note,
    notes,
    run_with_store,
)

PROJECT = Path(__file__).parents[2]


@contextmanager
def run_appending_process(
    log: Path | str, durability: str, at_once: int, *contest: str
) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.storage.appending", str(log), durability, str(at_once), *contest]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as process:
        try:
            yield process
        finally:
            process.kill()


def kill_and_read_acknowledged(process: "subprocess.Popen[str]", lines: list[str]) -> dict[str, int]:
    """Kill the process. Return the last acknowledged number of each match."""
    process.kill()
    rest, _ = process.communicate()
    last = dict.fromkeys(MATCHES, 0)
    for line in lines + rest.splitlines():
        match_id, number = line.split()
        last[match_id] = int(number)
    return last


def kill_after(
    log: Path | str, acknowledgements: int, durability: str = "full", at_once: int = 3, *contest: str
) -> dict[str, int]:
    with run_appending_process(log, durability, at_once, *contest) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(acknowledgements)]
        return kill_and_read_acknowledged(process, lines)


def kill_at_size(path: Path, size: int, at_once: int) -> dict[str, int]:
    """Kill the process as soon as a file of the database reaches this size. Return the last acknowledged numbers."""
    with run_appending_process(path.with_suffix(".db"), "full", at_once) as process:
        while not path.exists() or path.stat().st_size < size:
            assert process.poll() is None
        return kill_and_read_acknowledged(process, [])


def check(path: Path, last: dict[str, int], at_once: int) -> None:
    check_log(SqliteEventLog(path, noon_ms), last, at_once)


def check_log(log: Store, last: dict[str, int], at_once: int) -> None:
    async def read(log: EventLog) -> None:
        for match_id in MATCHES:
            entries = await log.read(match_id)
            assert len(entries) >= last[match_id]
            assert len(entries) % at_once == 0
            assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
            assert [entry.event for entry in entries] == notes(1, len(entries))
        after = len(await log.read("later"))
        await log.append("later", after, [note(after)])

    run_with_store(log, read)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, pytest.param(6, marks=pytest.mark.soak)])
@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_log_survives_kills_at_many_points(tmp_path: Path, durability: str, kills: int, rng: random.Random) -> None:
    path = tmp_path / "log.db"
    for acknowledgements in [1, 2, 3, 4, 5, *(rng.randrange(6, 400) for _ in range(kills))]:
        last = kill_after(path, acknowledgements, durability)
        assert max(last.values()) > 0
        check(path, last, at_once=3)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("name", ["log.db", "log.db-wal"])
def test_a_log_survives_a_kill_while_its_file_is_created(tmp_path: Path, name: str, size: int) -> None:
    check(tmp_path / "log.db", kill_at_size(tmp_path / name, size, at_once=3), at_once=3)


@pytest.mark.slow
@pytest.mark.parametrize("size", [60_000, 460_000, pytest.param(None, marks=pytest.mark.soak)])
def test_a_log_survives_a_kill_during_large_appends(tmp_path: Path, size: int | None, rng: random.Random) -> None:
    """The first append takes some 400 kB of write-ahead log, and two more are written in one transaction."""
    size = size or rng.randrange(20_000, 560_000)
    last = kill_at_size(tmp_path / "log.db-wal", size, at_once=4000)
    check(tmp_path / "log.db", last, at_once=4000)


@pytest.mark.slow
@pytest.mark.parametrize("acknowledgements", [1, 10, pytest.param(None, marks=pytest.mark.soak)])
def test_a_kill_leaves_whole_transactions_of_a_match_and_its_contest(
    tmp_path: Path, acknowledgements: int | None, rng: random.Random
) -> None:
    at_once = 40  # Enough to fill some pages.
    last = kill_after(tmp_path / "log.db", acknowledgements or rng.randrange(2, 100), "full", at_once, "contest")

    async def read(log: Store) -> None:
        lengths = [len(await events_of(log, match_id)) for match_id in MATCHES]
        assert await contest_events(log.contests) == matches_started(1, sum(lengths))

    run_with_store(SqliteEventLog(tmp_path / "log.db", noon_ms), read)
    check(tmp_path / "log.db", last, at_once)


@pytest.mark.parametrize(("with_contest", "step"), [(False, 1_999), (True, 7_999)])
def test_a_truncated_write_ahead_log_holds_whole_transactions(tmp_path: Path, with_contest: bool, step: int) -> None:
    """After a power failure, only a part of the write-ahead log may exist."""
    path, truncated = tmp_path / "log.db", tmp_path / "torn.db"
    ends = [0, 1, 4, 204, 205, 500]
    files: list[bytes] = []
    found: list[int] = []

    async def write(log: Store) -> None:
        for after, last in pairwise(ends):
            co_append = CoAppend(LADDER, after, tuple(matches_started(after + 1, last))) if with_contest else None
            await log.append("m", after, notes(after + 1, last), None, co_append)
        # Before the log is closed, because that empties the write-ahead log.
        files.extend((path.read_bytes(), Path(f"{path}-wal").read_bytes()))

    async def read(log: Store) -> None:
        events = await events_of(log, "m")
        assert events == notes(1, len(events))
        assert await contest_events(log.contests) == matches_started(1, len(events) if with_contest else 0)
        found.append(len(events))
        await log.append("m", len(events), [note(0)])

    run_with_store(SqliteEventLog(path, noon_ms), write)
    database, wal = files
    for length in (*range(20_000, len(wal), step), len(wal)):
        truncated.write_bytes(database)
        Path(f"{truncated}-wal").write_bytes(wal[:length])
        run_with_store(SqliteEventLog(truncated, noon_ms), read)
    assert found == sorted(found)
    assert sorted(set(found)) == ends
