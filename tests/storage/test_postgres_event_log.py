"""Several writers of logs in one PostgreSQL database: races, sessions that an administrator ends, killed processes."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import pytest

from referee.live.ports import Conflict, Entry, EventLog, LogUnavailable
from referee.match.events import Event, MovePlayed
from tests.storage.examples import EXAMPLES
from tests.storage.stores import OwningPostgresLog, note, run_with_store
from tests.storage.test_crash import check_log, kill_after
from tests.storage.test_postgres_database import end_sessions

MATCHES = ("a", "b", "c", "d")
WRITERS = 3
APPENDS = 25
MOVE = next(event for event in EXAMPLES if type(event) is MovePlayed)


class Writer:
    """Appends to every match, as a node does that learns of others only by conflicts, and remembers every answer."""

    def __init__(self, log: EventLog, number: int, rng: random.Random) -> None:
        self._log = log
        self._next_note = number * 1_000_000
        self._rng = rng
        self.accepted: list[Entry] = []
        self.refused: list[Event] = []
        self.failures = 0

    async def write(self, appends: int) -> None:
        """Append until this many appends to each match have been accepted."""
        await asyncio.gather(*(self._write_to(match_id, appends) for match_id in MATCHES))

    async def _write_to(self, match_id: str, appends: int) -> None:
        last = accepted = 0
        while accepted < appends:
            events = self._events()
            try:
                entries = await self._log.append(match_id, last, events)
            except Conflict as conflict:
                self.refused += events
                last = conflict.last
            except LogUnavailable:
                self.failures += 1
                self.refused += events
                await asyncio.sleep(0)
            else:
                self.accepted += entries
                last, accepted = entries[-1].number, accepted + 1
                if self._rng.random() < 0.5:  # Otherwise the others never are as quick.
                    with suppress(LogUnavailable):
                        await self._log.read(match_id)

    def _events(self) -> list[Event]:
        """Return events of which one can be told from all others. Moves alone are written by one statement."""
        self._next_note += 1
        moves: list[Event] = [MOVE] * self._rng.randrange(3)
        return [*moves, note(self._next_note)] if self._rng.random() < 0.5 or not moves else moves


def with_writers(url: str, rng: random.Random, run: Callable[[Sequence[Writer]], Awaitable[None]]) -> list[Writer]:
    """Run writers, each with its own log, and check that the logs hold exactly what was accepted."""

    async def run_all() -> list[Writer]:
        logs = [OwningPostgresLog(url) for _ in range(WRITERS)]
        writers = [Writer(log, number, rng) for number, log in enumerate(logs, 1)]
        async with asyncio.timeout(120):
            for log in logs:
                await log.open()
            try:
                await run(writers)
            finally:
                for log in logs:
                    await log.close()
        return writers

    writers = asyncio.run(run_all())
    accepted: dict[str, list[Entry]] = defaultdict(list)
    for writer in writers:
        for entry in writer.accepted:
            accepted[entry.match_id].append(entry)

    async def check(log: EventLog) -> None:
        for match_id in MATCHES:
            entries = await log.read(match_id)
            assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
            assert entries == sorted(accepted[match_id], key=lambda entry: entry.number)

    run_with_store(OwningPostgresLog(url), check)
    return writers


@pytest.mark.slow
def test_of_racing_appends_exactly_the_accepted_ones_are_stored(postgres_node_url: str, rng: random.Random) -> None:
    async def race(writers: Sequence[Writer]) -> None:
        await asyncio.gather(*(writer.write(APPENDS) for writer in writers))

    writers = with_writers(postgres_node_url, rng, race)
    assert all(writer.refused for writer in writers), "there was no race"


@pytest.mark.slow
def test_an_append_whose_session_is_ended_is_stored_once_or_never(
    postgres_node_url: str, postgres_url: str, rng: random.Random
) -> None:
    async def write_and_end_sessions(writers: Sequence[Writer]) -> None:
        writing = asyncio.gather(*(writer.write(APPENDS) for writer in writers))
        while not writing.done():
            await end_sessions(postgres_url)
            before = sum(len(writer.accepted) for writer in writers)
            while not writing.done() and sum(len(writer.accepted) for writer in writers) < before + 5:
                await asyncio.sleep(0)
        await writing

    with_writers(postgres_node_url, rng, write_and_end_sessions)


@pytest.mark.slow
def test_acknowledged_entries_survive_a_kill_of_the_process(postgres_node_url: str, rng: random.Random) -> None:
    for acknowledgements in (1, 30, rng.randrange(2, 200)):
        last = kill_after(postgres_node_url, acknowledgements)
        assert max(last.values()) > 0
        check_log(OwningPostgresLog(postgres_node_url), last, at_once=3)
