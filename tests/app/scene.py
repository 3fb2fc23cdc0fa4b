"""A stage for runners: a stopped time, a log that can be held and taken away, a keeper who notes all."""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec

from engines.api import Game, Seat
from referee.app.contests.log import Beside
from referee.app.desk import Delays, Desk
from referee.app.ports import Entry, LogUnavailable, Request, Summaries
from referee.app.runner import MatchRunner
from referee.app.wish import EVERY_MATCH, MatchFilter
from referee.core.clock import SECOND, SuddenDeath, TimeControl
from referee.core.commands import Begin, SubmitMove
from referee.core.deciding import Decided
from referee.core.events import Event
from referee.core.match import Match, Phase, replay
from referee.core.setup import Player, Setup
from referee.storage.memory import MemoryEventLog
from tests.app.stopped_time import StoppedTime, settled
from tests.strangers_games.strangers_games import FINGERS, NIM

Arguments = ParamSpec("Arguments")

GAMES: dict[str, Game] = {"nim": NIM, "fingers": FINGERS}
TEN_SECONDS = SuddenDeath(10 * SECOND)


def in_loop(test: Callable[Arguments, Coroutine[Any, Any, None]]) -> Callable[Arguments, None]:
    """Run a test in an event loop of its own, which it leaves as empty as it found it."""

    @functools.wraps(test)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        async def alone() -> None:
            await test(*args, **kwargs)
            await settled()
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(alone())

    return run


class GatedLog:
    """An EventLog whose appends can be held before and after they are written, and that can be away."""

    def __init__(self, time: StoppedTime, log: MemoryEventLog) -> None:
        self._time = time
        self._log = log
        self.trouble: BaseException | None = None
        self.before = _open_gate()
        self.after = _open_gate()
        self.tried_us: list[int] = []
        self.entries_read = 0

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        self.tried_us.append(self._time.us)
        await self.before.wait()
        if self.trouble:
            raise self.trouble
        entries = await self._log.append(match_id, after, events, request, beside)
        await self.after.wait()
        return entries

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        if self.trouble:
            raise self.trouble
        entries = await self._log.read(match_id, after, at_most)
        self.entries_read += len(entries)
        return entries

    async def unfinished(self) -> list[str]:
        return await self._log.unfinished()

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        return await self._log.summaries(wanted, before, at_most)

    async def close(self) -> None:
        await self._log.close()

    def goes_away(self) -> None:
        self.trouble = LogUnavailable("the disk is full")

    def comes_back(self) -> None:
        self.trouble = None


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


class NotingKeeper:
    def __init__(self) -> None:
        self.announced: list[tuple[Match | None, Sequence[Entry], Match]] = []
        self.faults: list[Exception] = []
        self.was_left: list[str] = []
        self.delays_of: dict[Seat, Delays] = {}

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        self.announced.append((before, entries, match))

    def delays(self, match_id: str, seat: Seat) -> Delays:
        return self.delays_of.get(seat, Delays())

    def broke(self, match_id: str, fault: Exception) -> None:
        self.faults.append(fault)

    def left(self, match_id: str) -> None:
        self.was_left.append(match_id)

    @property
    def heard(self) -> list[Entry]:
        return [entry for _, entries, _ in self.announced for entry in entries]


class Scene:
    """One process with its runners."""

    def __init__(self, beside: "Scene | None" = None) -> None:
        """Alone, or beside another process on the same log."""
        self.time: StoppedTime = beside.time if beside else StoppedTime()
        self.stored: MemoryEventLog = beside.stored if beside else MemoryEventLog(self.time.wall_ms)
        self.log = GatedLog(self.time, self.stored)
        self.keeper = NotingKeeper()

    @property
    def desk(self) -> Desk:
        return Desk(self.log, self.time, self.keeper)

    async def begun(self, setup: Setup) -> MatchRunner:
        """A match in which play has begun."""
        runner = await MatchRunner.open(setup, GAMES[setup.game], self.desk)
        await runner.submit(Begin())
        return runner

    async def resumed(self, match_id: str = "m1") -> MatchRunner:
        return await MatchRunner.resume(match_id, GAMES.__getitem__, self.desk)

    async def events(self, match_id: str = "m1") -> list[Event]:
        return [entry.event for entry in await self.stored.read(match_id)]

    async def kinds(self, match_id: str = "m1") -> list[str]:
        return [type(event).__name__ for event in await self.events(match_id)]

    async def log_tells_of(self, runner: MatchRunner) -> bool:
        """Is the match what its log tells, and was all that this process wrote announced, once and in order?"""
        entries = await self.stored.read(runner.match_id)
        told = replay((entry.event for entry in entries), GAMES.__getitem__)
        heard = [entry for entry in self.keeper.heard if entry.match_id == runner.match_id]
        return told == runner.match and heard == entries[len(entries) - len(heard) :]


def terms(game: Game = NIM, match_id: str = "m1", control: TimeControl = TEN_SECONDS, **more: Any) -> Setup:
    """A match of a game, with its own settings and ten seconds a seat but for what is said."""
    settings = more.pop("settings", game.settings())
    seats = len(game.table(settings).seats)
    players = tuple(Player(f"bot{seat}", "1") for seat in range(seats))
    usual: dict[str, Any] = {"players": players, "controls": (control,) * seats, "seed": bytes(32)}
    return Setup(match_id, game.name, game.version, settings, **usual | more)


def answer(runner: MatchRunner, seat: Seat, move: str, **more: Any) -> SubmitMove:
    """What `seat` would answer to its turn, arriving now."""
    turn = runner.match.turns[seat]
    usual: dict[str, Any] = {"token": turn.token if turn else "none", "measured": runner.measured(seat)}
    return SubmitMove(seat, move=move, **usual | more)


def goes_on(runner: MatchRunner) -> bool:
    return runner.match.phase is Phase.PLAYING


async def played(runner: MatchRunner, seat: Seat, move: str) -> Decided:
    return await runner.submit(answer(runner, seat, move))
