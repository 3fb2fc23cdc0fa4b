"""A program that plays: it is started on first use, and restarted after it has ended as often as permitted."""

import asyncio
import logging
from enum import Enum
from pathlib import Path

from referee_client.answers import Answer
from referee_client.bridge.lines import ended_line, hello_line, started_line
from referee_client.bridge.programs import Program, Reached, reads_from
from referee_client.bridge.talk import ProgramGone
from referee_client.matches import End, Match
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")

TRIES_A_TURN = 3
"""A program that ends this often during the same turn would do so again."""


COMES_UP_S = 0.5
"""A program that cannot run on this machine has usually ended within this time."""


class Restart(Enum):
    """How often a program that has ended is started again."""

    NEVER = "never"
    ONCE = "once"
    ALWAYS = "always"


STARTS = {Restart.NEVER: 1, Restart.ONCE: 2}


class Player:
    """One program, for one seat or for all seats."""

    def __init__(self, program: Program, restart: Restart, view: bool, errors_folder: Path | None) -> None:
        self._program = program
        self._restart = restart
        self._view = view
        self._errors = reads_from(errors_folder)
        self._reached: Reached | None = None
        self._starts = 0
        self._heard = False
        self._last_words = ""
        self._reaching = asyncio.Lock()
        self._asking = asyncio.Lock()

    @property
    def heard(self) -> bool:
        """Whether the program has ever written anything."""
        return self._heard or bool(self._reached and self._reached.talk.heard)

    async def rehearse(self) -> None:
        """Start the program.

        Raises ProgramGone if it cannot be reached or ends immediately; `str()` contains its last words.
        """
        reached = await self._reach("")
        if await reached.talk.goes_within(COMES_UP_S):
            raise ProgramGone(await reached.last_words())

    async def last_words(self) -> str:
        """Return the last words of a program that has ended without ever writing anything; empty if there is none."""
        async with self._reaching:
            await self._bury()
            return self._last_words

    async def choose(self, turn: Turn) -> Answer:
        """Answer a turn. Raises ProgramGone if the program cannot be restarted.

        Turns are sent one at a time, so that the clock of each is current when the program reads it.
        """
        async with self._asking:
            return await self._answer(turn)

    async def _answer(self, turn: Turn) -> Answer:
        why = ""
        for _ in range(TRIES_A_TURN):
            reached = await self._reach(why)
            self._errors.about(turn.match_id, turn.seat)
            try:
                return await reached.talk.ask(turn, self._view)
            except ProgramGone as gone:
                why = str(gone)
                log.warning("match %s, ply %d: the program is gone: %s", turn.match_id, turn.ply, why)
        raise ProgramGone(f"{why}; {TRIES_A_TURN} times under the same turn")

    async def started(self, match: Match, seat: int) -> None:
        reached = await self._reach("")
        reached.talk.tell(started_line(match, seat))

    async def ended(self, end: End) -> None:
        """Notify the program, if it runs."""
        if self._reached:
            self._reached.talk.tell(ended_line(end))
        self._errors.over(end.match_id, end.seat)

    async def end(self) -> None:
        reached, self._reached = self._reached, None
        if reached:
            await reached.end()

    async def _reach(self, why: str) -> Reached:
        """Return the running program, starting it if necessary. `why`: the reason why it ended before."""
        async with self._reaching:
            await self._bury()
            if self._reached is None:
                self._reached = await self._start(why)
            return self._reached

    async def _bury(self) -> None:
        """Clean up a program that has ended, recording its last words if it has never written anything."""
        if self._reached and self._reached.talk.gone:
            self._heard = self.heard
            if not self._heard:
                self._last_words = await self._reached.last_words()
            await self.end()

    async def _start(self, why: str) -> Reached:
        if self._starts >= STARTS.get(self._restart, self._starts + 1):
            raise ProgramGone(f"{why or 'it has ended'}, and is not started again")
        self._starts += 1
        reached = await self._program.reach(self._errors)
        reached.talk.tell(hello_line())
        return reached
