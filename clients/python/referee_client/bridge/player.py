"""A program that plays: it is started on first use, and restarted after it has ended as often as permitted."""

import asyncio
import logging
from enum import Enum

from referee_values import Match, MatchEnded

from referee_client.answers import Answer
from referee_client.bridge.program_lines import ProgramUnavailable
from referee_client.bridge.programs import Program, RunningProgram
from referee_client.bridge.stderr_log import StderrLog
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")

STARTS_PER_TURN = 3
"""A program that ends this often during the same turn would do so again."""
START_CHECK_S = 0.5
"""A program that cannot run on this machine has usually ended within this time."""


class Restart(Enum):
    """How often a program that has ended is started again."""

    NEVER = "never"
    ONCE = "once"
    ALWAYS = "always"


MAX_STARTS = {Restart.NEVER: 1, Restart.ONCE: 2}


class Player:
    """One program, for one seat or for all seats."""

    def __init__(self, program: Program, restart: Restart, stderr_log: StderrLog) -> None:
        self._program = program
        self._restart = restart
        self._stderr_log = stderr_log
        self._running: RunningProgram | None = None
        self._starts = 0
        self._had_output = False
        self._exit_description = ""
        self._start_lock = asyncio.Lock()
        self._turn_lock = asyncio.Lock()

    @property
    def has_output(self) -> bool:
        """Whether the program has ever written anything."""
        return self._had_output or bool(self._running and self._running.lines.has_output)

    async def check_start(self) -> None:
        """Start the program.

        Raises ProgramUnavailable if it cannot be started or ends immediately; `str()` describes how it has ended.
        """
        running = await self._ensure_running("")
        if await running.lines.ends_within(START_CHECK_S):
            raise ProgramUnavailable(await running.describe_exit())

    async def wait_until_greeted(self) -> None:
        """Start the program, and wait until it has answered the greeting.

        Raises ProgramUnavailable if it ends before; `str()` describes how it has ended.
        """
        running = await self._ensure_running("")
        try:
            await running.lines.wait_until_greeted()
        except ProgramUnavailable:
            raise ProgramUnavailable(await running.describe_exit()) from None

    async def describe_exit(self) -> str:
        """Describe how a program that has never written anything has ended; empty if there is none."""
        async with self._start_lock:
            await self._clean_up()
            return self._exit_description

    async def choose(self, turn: Turn) -> Answer:
        """Answer a turn. Raises ProgramUnavailable if the program cannot be restarted.

        Turns are sent one at a time, so that the clock of each is current when the program reads it.
        """
        async with self._turn_lock:
            return await self._answer(turn)

    async def _answer(self, turn: Turn) -> Answer:
        reason = ""
        for _ in range(STARTS_PER_TURN):
            running = await self._ensure_running(reason)
            self._stderr_log.start_match(turn.match_id, turn.seat)
            try:
                return await running.lines.choose(turn)
            except ProgramUnavailable as unavailable:
                reason = str(unavailable)
                log.warning("match %s, ply %d: the program has ended: %s", turn.match_id, turn.ply, reason)
        raise ProgramUnavailable(f"{reason}; it has ended {STARTS_PER_TURN} times during the same turn")

    async def started(self, match: Match, seat: int) -> None:
        running = await self._ensure_running("")
        running.lines.start_match(match, seat)

    async def ended(self, end: MatchEnded) -> None:
        """Notify the program, if it runs."""
        if self._running:
            self._running.lines.end_match(end)
        self._stderr_log.end_match(end.match_id, end.seat)

    async def stop(self) -> None:
        running, self._running = self._running, None
        if running:
            await running.stop()

    async def _ensure_running(self, reason: str) -> RunningProgram:
        """Return the running program, starting it if necessary. `reason`: why it ended before."""
        async with self._start_lock:
            await self._clean_up()
            if self._running is None:
                self._running = await self._start(reason)
            return self._running

    async def _clean_up(self) -> None:
        """Clean up a program that has ended, and keep a description if it has never written anything."""
        if self._running and self._running.lines.end_reason:
            self._had_output = self.has_output
            if not self._had_output:
                self._exit_description = await self._running.describe_exit()
            await self.stop()

    async def _start(self, reason: str) -> RunningProgram:
        if self._starts >= MAX_STARTS.get(self._restart, self._starts + 1):
            raise ProgramUnavailable(f"{reason or 'it has ended'}, and is not started again")
        self._starts += 1
        running = await self._program.start(self._stderr_log)
        running.lines.greet()
        return running
