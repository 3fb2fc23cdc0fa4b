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
from tests.storage.contests import LADDER, beginnings, contest_events
from tests.storage.stores import Store, at_noon, events_of, notes, tell

PROJECT = Path(__file__).parents[2]


def killed_after(path: Path, acknowledgements: int) -> dict[str, int]:
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
def test_a_kill_leaves_whole_strokes(tmp_path: Path, acknowledgements: int | None, rng: Random) -> None:
    acknowledged = killed_after(tmp_path / "log.db", acknowledgements or rng.randrange(2, 100))

    async def read(log: Store) -> None:
        lengths = {match_id: len(await events_of(log, match_id)) for match_id in MATCHES}
        assert all(lengths[match_id] >= last for match_id, last in acknowledged.items())
        assert all(length % AT_ONCE == 0 for length in lengths.values())
        assert await contest_events(log.contests) == beginnings(1, sum(lengths.values()))

    tell(SqliteEventLog(tmp_path / "log.db", at_noon), read)


def test_a_log_torn_anywhere_holds_whole_strokes(tmp_path: Path) -> None:
    """As after a power failure: only a part of the write-ahead log is there."""
    path, torn = tmp_path / "log.db", tmp_path / "torn.db"
    ends = [0, 1, 30, 230, 231]
    files: list[bytes] = []
    found: list[int] = []

    async def write(log: Store) -> None:
        for after, last in pairwise(ends):
            co_append = CoAppend(LADDER, after, tuple(beginnings(after + 1, last)))
            await log.append("m", after, notes(after + 1, last), None, co_append)
        # Before the log is closed, because that empties the write-ahead log.
        files.extend((path.read_bytes(), Path(f"{path}-wal").read_bytes()))

    async def read(log: Store) -> None:
        events = await events_of(log, "m")
        assert events == notes(1, len(events))
        assert await contest_events(log.contests) == beginnings(1, len(events))
        found.append(len(events))

    tell(SqliteEventLog(path, at_noon), write)
    base, wal = files
    for length in (*range(20_000, len(wal), 7_999), len(wal)):
        torn.write_bytes(base)
        Path(f"{torn}-wal").write_bytes(wal[:length])
        tell(SqliteEventLog(torn, at_noon), read)
    assert sorted(set(found)) == ends
