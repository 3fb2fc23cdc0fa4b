"""What is asked of a match beside moves: each request happens once, however often it comes.

A request that has an id stands in the log beside what came of it. So it is known again for ever: later in
the match, after it, and after a restart.
"""

import asyncio
from weakref import WeakValueDictionary

from engines.api import Seat
from referee.app.answers import Done
from referee.app.floor import Floor
from referee.app.ports import Request
from referee.core.commands import Command
from referee.core.errors import RequestIdReused


class Asking:
    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._in_line: WeakValueDictionary[tuple[str, int | str, str], asyncio.Lock] = WeakValueDictionary()
        """Those who come with the same id, by match, asker and id."""

    async def ask(self, match_id: str, command: Command, by: Seat | str, request_id: str = "") -> Done:
        """What came of it, now or the first time; without an id, it is always the first time.

        Whoever hangs up may miss the answer; it is decided. Raises RequestIdReused, or why it is refused: a
        refusal changes nothing, and is not remembered.
        """
        if not request_id:
            return await self._decided(match_id, command, None)
        request = Request(by, request_id, repr(command))
        return await asyncio.shield(self._floor.start(self._once(match_id, command, request)))

    async def _once(self, match_id: str, command: Command, request: Request) -> Done:
        line = self._in_line.setdefault((match_id, request.by, request.id), asyncio.Lock())
        async with line:
            return await self._first(match_id, request) or await self._decided(match_id, command, request)

    async def _first(self, match_id: str, request: Request) -> Done | None:
        """What came of it the first time; None: this is the first time. Raises RequestIdReused."""
        first = await self._floor.requests.first(match_id, request.by, request.id)
        if first and first[0] == request:
            return first[1]
        moves = (await self._floor.archive.story(match_id)).requests
        if first or (request.by, request.id) in moves:
            raise RequestIdReused(request.id)
        return None

    async def _decided(self, match_id: str, command: Command, request: Request | None) -> Done:
        runner = await self._floor.runner(match_id)
        decided = await runner.submit(command, request)
        return Done(decided.match.number, decided.match.result)
