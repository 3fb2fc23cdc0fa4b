"""The records of finished matches, and by what one knows them again."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from referee_api.v1 import record_pb2

from referee.app.faults import LogDamaged
from referee.app.ports import Entry, EventLog

PLACES_KEPT = 1024


class Records:
    def __init__(
        self,
        entries: EventLog,
        write: Callable[[Sequence[Entry]], Iterable[bytes]],
        broke: Callable[[str, Exception], None],
    ) -> None:
        """`write` makes the lines of a record of all entries of a match; `broke` hears of each that has none."""
        self._entries = entries
        self._write = write
        self._broke = broke
        self._damaged: set[str] = set()
        """Matches that `broke` has heard of."""
        self._places: OrderedDict[str, record_pb2.RecordPlace | None] = OrderedDict()
        """Of the records that were asked for last. No record ever changes."""

    async def lines(self, match_id: str) -> list[bytes]:
        """Of a match that is over. Raises LogUnavailable or LogDamaged."""
        entries = await self._entries.read(match_id)
        try:
            # Not on the event loop: a long record would hold up every turn that is asked meanwhile.
            return await asyncio.to_thread(lambda: list(self._write(entries)))
        except LogDamaged as why:
            if match_id not in self._damaged:
                self._damaged.add(match_id)
                self._broke(match_id, why)
            raise

    async def place(self, match_id: str) -> record_pb2.RecordPlace | None:
        """Of a match that is over. None: its log is damaged, and it has no record. Raises LogUnavailable."""
        if match_id not in self._places:
            try:
                self._places[match_id] = _place(await self.lines(match_id))
            except LogDamaged:
                self._places[match_id] = None
        self._places.move_to_end(match_id)
        if len(self._places) > PLACES_KEPT:
            self._places.popitem(last=False)
        return self._places[match_id]


def _place(lines: Sequence[bytes]) -> record_pb2.RecordPlace:
    whole = sha256()
    for line in lines:
        whole.update(line)
    return record_pb2.RecordPlace(sha256=whole.digest(), size_bytes=sum(map(len, lines)))
