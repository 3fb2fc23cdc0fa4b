"""A process killed while it appends to matches and their contest: no transaction is written in part."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from referee.live.ports import CoAppend
from referee.storage.sqlite.event_log import SqliteEventLog
from tests.storage.appending_both import AT_ONCE, MATCHES
from tests.storage.contests import LADDER, contest_events, matches_started
from tests.storage.stores import Store, events_of, noon_ms, notes, run_with_store

PROJECT = Path(__file__).parents[2]


def kill_after(path: Path, acknowledgements: int) -> dict[str, int]:
    """Kill the process after this number of acknowledgements. Return the last acknowledged number of each match."""
    command = [sys.executable, "-m", "tests.storage.appending_both", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as process:
        try:
            assert process.stdout
            lines = [process.stdout.readline() for _ in range(acknowledgements)]
        finally:
            process.kill()
        rest, _ = process.communicate()
    return {match_id: int(last) for match_id, last in map(str.split, lines + rest.splitlines())}


@pytest.mark.slow
@pytest.mark.parametrize("acknowledgements", [1, 10, pytest.param(None, marks=pytest.mark.soak)])
def test_a_kill_leaves_whole_transactions(tmp_path: Path, acknowledgements: int | None, rng: Random) -> None:
    last_acknowledged = kill_after(tmp_path / "log.db", acknowledgements or rng.randrange(2, 100))

    async def read(log: Store) -> None:
        lengths = {match_id: len(await events_of(log, match_id)) for match_id in MATCHES}
        assert all(lengths[match_id] >= last for match_id, last in last_acknowledged.items())
        assert all(length % AT_ONCE == 0 for length in lengths.values())
        assert await contest_events(log.contests) == matches_started(1, sum(lengths.values()))

    run_with_store(SqliteEventLog(tmp_path / "log.db", noon_ms), read)


def test_a_truncated_write_ahead_log_holds_whole_transactions(tmp_path: Path) -> None:
    """After a power failure, only a part of the write-ahead log may exist."""
    path, truncated = tmp_path / "log.db", tmp_path / "torn.db"
    ends = [0, 1, 30, 230, 231]
    files: list[bytes] = []
    found: list[int] = []

    async def write(log: Store) -> None:
        for after, last in pairwise(ends):
            co_append = CoAppend(LADDER, after, tuple(matches_started(after + 1, last)))
            await log.append("m", after, notes(after + 1, last), None, co_append)
        # Before the log is closed, because that empties the write-ahead log.
        files.extend((path.read_bytes(), Path(f"{path}-wal").read_bytes()))

    async def read(log: Store) -> None:
        events = await events_of(log, "m")
        assert events == notes(1, len(events))
        assert await contest_events(log.contests) == matches_started(1, len(events))
        found.append(len(events))

    run_with_store(SqliteEventLog(path, noon_ms), write)
    database, wal = files
    for length in (*range(20_000, len(wal), 7_999), len(wal)):
        truncated.write_bytes(database)
        Path(f"{truncated}-wal").write_bytes(wal[:length])
        run_with_store(SqliteEventLog(truncated, noon_ms), read)
    assert sorted(set(found)) == ends
