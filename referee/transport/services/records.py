"""Records of finished matches, with a cache of their hashes and sizes, and records of contests that are over."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from referee_api.v1 import record_pb2

from referee.hosting.contest_host import ContestHost
from referee.hosting.contest_log import ContestEntry
from referee.hosting.contest_worker import S
from referee.hosting.match_factory import ContestState
from referee.live.ports import Entry, EventLog, LogDamaged

INFO_CACHE_SIZE = 1024
MAX_PART_CHARS = 64_000
"""Length of a part of a contest's record, which is ASCII."""


@dataclass(eq=False)
class Records:
    _entries: EventLog
    _write: Callable[[Sequence[Entry]], Iterable[bytes]]
    """Formats a record from all entries of a match."""
    _report_damage: Callable[[str, Exception], None]
    """Called once for a damaged log."""
    _damaged: set[str] = field(default_factory=set, init=False)
    """Ids of matches that were reported as damaged."""
    _infos: OrderedDict[str, record_pb2.RecordInfo | None] = field(default_factory=OrderedDict, init=False)
    """LRU cache. Records never change."""

    async def lines(self, match_id: str) -> list[bytes]:
        """Return the record of a finished match. Raises StoreUnavailable or LogDamaged."""
        entries = await self._entries.read(match_id)
        try:
            # In a thread: a long record would block the event loop.
            return await asyncio.to_thread(lambda: list(self._write(entries)))
        except LogDamaged as why:
            if match_id not in self._damaged:
                self._damaged.add(match_id)
                self._report_damage(match_id, why)
            raise

    async def info(self, match_id: str) -> record_pb2.RecordInfo | None:
        """Return hash and size of the record of a finished match; None: its log is damaged. Raises StoreUnavailable."""
        if match_id not in self._infos:
            try:
                self._infos[match_id] = _info_of(await self.lines(match_id))
            except LogDamaged:
                self._infos[match_id] = None
        self._infos.move_to_end(match_id)
        if len(self._infos) > INFO_CACHE_SIZE:
            self._infos.popitem(last=False)
        return self._infos[match_id]


class ContestWriter(Protocol):
    """Writes the lines of the record of one contest."""

    @property
    def header(self) -> bytes: ...

    def entries(self, entries: Iterable[ContestEntry]) -> list[bytes]: ...

    def end(self, state: ContestState) -> list[bytes]: ...


class ContestRecords:
    def __init__(self, new_writer: Callable[[str], ContestWriter]) -> None:
        """`new_writer` returns the writer for the record of a contest, given its id."""
        self._new_writer = new_writer

    async def parts(self, host: ContestHost[S, Any], name: str) -> AsyncIterator[str]:
        """Yield the record of a contest that is over, in parts that fit into messages.

        Raises ContestNotOver, ContestDamaged, StoreUnavailable, NoSuchLadder or NoSuchTournament.
        """
        state = await host.last_state(name)
        writer = self._new_writer(state.contest)
        yield writer.header.decode()
        async for entries in host.read_log(state):
            # In a thread: long entries and standings would block the event loop.
            for part in _parts(await asyncio.to_thread(writer.entries, entries)):
                yield part
        for part in _parts(await asyncio.to_thread(writer.end, state)):
            yield part


def _parts(lines: Iterable[bytes]) -> Iterator[str]:
    text = b"".join(lines).decode()
    return (text[first : first + MAX_PART_CHARS] for first in range(0, len(text), MAX_PART_CHARS))


def _info_of(lines: Sequence[bytes]) -> record_pb2.RecordInfo:
    digest = sha256()
    for line in lines:
        digest.update(line)
    return record_pb2.RecordInfo(sha256=digest.digest(), size_bytes=sum(map(len, lines)))
