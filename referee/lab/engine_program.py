"""A UCI or GTP engine in the lab, driven by the bridge's translation on an event loop that runs only while it is asked.

Commands, limits and restarts are those of docs/bridge.md.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from referee_client.answers import Answer
from referee_client.bridge.player import Player, Restart
from referee_client.bridge.program_lines import ProgramUnavailable
from referee_client.bridge.programs import Program
from referee_client.bridge.stderr_log import SharedStderrLog
from referee_client.turn import Turn as ClientTurn
from referee_values import Match, MatchEnded

from referee.lab.lab_turn import LabTurn
from referee.lab.match_player import EXTRA_WAIT_S, BotFailure, TimeOver

GREETING_TIMEOUT_S = 60.0
"""How long an engine may take from its start to its answer to the first commands, which no clock counts."""

T = TypeVar("T")
bridge_log = logging.getLogger("referee_client.bridge")


class EngineProgram:
    """An engine that is started at its first use, and again after it has ended."""

    def __init__(self, program: Program, protocol: str, log: Path | None) -> None:
        """`protocol` is its name. Its standard error, and what the bridge logs, are appended to `log`, if given."""
        self._player = Player(program, Restart.ALWAYS, SharedStderrLog(log))
        self._protocol = protocol
        self._log = log
        self._loop: asyncio.AbstractEventLoop | None = None

    def check(self) -> None:
        """Start the engine. Raises BotFailure if it does not speak the protocol."""
        self._run(self._greet())

    def started(self, match: Match, seat: int) -> None:
        self._run(self._start(match, seat))

    def choose(self, turn: LabTurn) -> Answer:
        """Raises TimeOver, and BotFailure if the engine ends again and again."""
        return self._run(self._choose(turn))

    def ended(self, end: MatchEnded) -> None:
        self._run(self._player.ended(end))

    def close(self) -> None:
        """End the engine, and all processes that it has started."""
        if self._loop:
            self._run(self._stop())
            self._loop.close()
        self._loop = None

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        loop = self._loop = self._loop or asyncio.new_event_loop()
        task = loop.create_task(coroutine)
        with self._logged():
            try:
                return loop.run_until_complete(task)
            finally:
                # After an interruption, it must not take the end of the engine for a crash and start it again.
                if task.cancel():
                    loop.run_until_complete(asyncio.wait([task]))

    async def _greet(self) -> None:
        """Wait until the engine has answered the first commands. Raises BotFailure."""
        try:
            async with asyncio.timeout(GREETING_TIMEOUT_S):
                await self._player.wait_until_greeted()
        except TimeoutError:
            why = f"it has not answered the first commands within {GREETING_TIMEOUT_S:g} s"
        except ProgramUnavailable as unavailable:
            why = str(unavailable)
        else:
            return
        raise BotFailure(f"it does not speak {self._protocol}: {why}")

    async def _start(self, match: Match, seat: int) -> None:
        try:
            await self._greet()
        except BotFailure as why:
            bridge_log.warning("match %s: %s", match.id, why)  # If it fails again, its first turn shows it.
        await self._player.started(match, seat)

    async def _choose(self, turn: LabTurn) -> Answer:
        left = turn.time_left
        deadline = None if left is None else turn.arrived_at + left + EXTRA_WAIT_S
        try:
            async with asyncio.timeout_at(deadline):
                return await self._player.choose(engine_turn(turn))
        except TimeoutError:
            raise TimeOver from None
        except ProgramUnavailable as why:
            raise BotFailure(str(why)) from None

    async def _stop(self) -> None:
        """Stop the engine, and wait until nothing reads its output."""
        await self._player.stop()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    @contextmanager
    def _logged(self) -> Iterator[None]:
        """Write what the bridge logs meanwhile to the log of the bot."""
        if not self._log:
            yield
            return
        handler = logging.FileHandler(self._log, encoding="utf-8", errors="replace", delay=True)
        bridge_log.addHandler(handler)
        try:
            yield
        finally:
            bridge_log.removeHandler(handler)
            handler.close()


def engine_turn(turn: LabTurn) -> ClientTurn:
    """Return the turn as the client library has it, with all moves since the start of the match."""
    return ClientTurn(
        turn.match_id,
        turn.seat,
        turn.token,
        turn.game,
        turn.options,
        turn.ply,
        turn.position,
        turn.all_moves,
        turn.clocks,
        turn.time_left,
        turn.attempts_left,
        turn.draw_offers,
        turn.simultaneous,
        turn.repeated,
        turn.rejection,
        turn.arrived_at,
    )
