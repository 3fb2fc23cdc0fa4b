"""Harness for runners: a stopped clock, a log that can block or be unavailable, and an observer that records
everything.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from contextvars import ContextVar
from typing import Any, ParamSpec

from engines.api import Game, Seat
from referee.live.create import open_match
from referee.live.live_match import resume_match
from referee.live.match_history import MatchStep
from referee.live.match_request import EVERY_MATCH, MatchFilter
from referee.live.ports import (
    Append,
    AppendCallback,
    CoAppend,
    Entry,
    EventLog,
    Request,
    SeatDelays,
    StoreUnavailable,
    Summaries,
)
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RunnerDependencies
from referee.match.clock import SECOND, Micros, SuddenDeath, TimeControl
from referee.match.clock_charge import ClockCharge
from referee.match.commands import StartPlay, SubmitMove
from referee.match.decision import Decision
from referee.match.events import Event, MovePlayed
from referee.match.setup import Player, Setup
from referee.match.state import Match, MatchPhase
from tests.live.fake_time import FakeTime, settle
from tests.match.match_fixture import replay
from tests.match.setups import make_setup
from tests.storage.memory import MemoryEventLog
from tests.third_party_games.third_party_games import FINGERS, NIM

Arguments = ParamSpec("Arguments")

GAMES: dict[str, Game] = {"nim": NIM, "fingers": FINGERS}
MAX_END_S = 10
TIMEOUT_S = 600
"""A bug should fail the test, not block it. The longest tests of `make soak` take minutes."""
PROCESSES: ContextVar[list["ServerProcess"]] = ContextVar("PROCESSES")
"""Those that `in_loop` closes at the end of the test."""
TEN_SECONDS = SuddenDeath(10 * SECOND)


def in_loop(test: Callable[Arguments, Coroutine[Any, Any, None]]) -> Callable[Arguments, None]:
    """Run an async test in its own event loop, close its server processes, and check that it leaves no task behind.

    Tasks of gRPC end a moment after the channel that they belong to.
    """

    @functools.wraps(test)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        async def alone() -> None:
            processes = [argument for argument in kwargs.values() if isinstance(argument, ServerProcess)]
            PROCESSES.set(processes)
            async with asyncio.timeout(TIMEOUT_S):
                await test(*args, **kwargs)
            for process in processes[::-1]:
                await process.close()
            await settle()
            if left := asyncio.all_tasks() - {asyncio.current_task()}:
                _, left = await asyncio.wait(left, timeout=MAX_END_S)
            assert not left

        asyncio.run(alone())

    return run


class ServerProcess:
    """A simulated server process, which `in_loop` closes."""

    def __init__(self) -> None:
        PROCESSES.get([]).append(self)

    async def close(self) -> None:
        raise NotImplementedError


class AwaitedLog(EventLog):
    """Base of event logs whose `append` is a coroutine, and which pass on the rest to another log."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        task = asyncio.create_task(
            self.append(append.match_id, append.after, append.events, append.request, append.co_append)
        )
        task.add_done_callback(lambda task: done(_result_of(task)))

    async def heads(self, match_ids: Sequence[str]) -> dict[str, int]:
        return await self._log.heads(match_ids)

    async def unfinished(self) -> list[str]:
        return await self._log.unfinished()

    async def bots_in_play(self) -> dict[str, list[str]]:
        return await self._log.bots_in_play()

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", limit: int = 100) -> Summaries:
        return await self._log.summaries(wanted, before, limit)

    async def close(self) -> None:
        await self._log.close()


def _result_of(task: asyncio.Task[list[Entry]]) -> list[Entry] | Exception:
    error = task.exception()
    assert error is None or isinstance(error, Exception)
    return error or task.result()


class GatedLog(AwaitedLog):
    """`EventLog` whose appends can be held before and after they are written, and which can be unavailable."""

    def __init__(self, time: FakeTime, log: MemoryEventLog) -> None:
        super().__init__(log)
        self._time = time
        self.error: BaseException | None = None
        self.before = _open_gate()
        self.after = _open_gate()
        self.attempt_times_us: list[int] = []
        self.entries_read = 0

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        co_append: CoAppend[Any] | None = None,
    ) -> list[Entry]:
        self.attempt_times_us.append(self._time.us)
        await self.before.wait()
        if self.error:
            raise self.error
        entries = await self._log.append(match_id, after, events, request, co_append)
        await self.after.wait()
        return entries

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        if self.error:
            raise self.error
        entries = await self._log.read(match_id, after, limit)
        self.entries_read += len(entries)
        return entries

    def make_unavailable(self) -> None:
        self.error = StoreUnavailable("the disk is full")

    def make_available(self) -> None:
        self.error = None


def _open_gate() -> asyncio.Event:
    gate = asyncio.Event()
    gate.set()
    return gate


class RecordingObserver:
    sees_moves = True

    def __init__(self) -> None:
        self.announced: list[tuple[Match | None, Sequence[Entry], Match]] = []
        self.foreign: list[Entry] = []
        """Those of the entries that another process has stored."""
        self.faults: list[Exception] = []
        self.stopped_matches: list[str] = []
        self.delays_of: dict[Seat, SeatDelays] = {}

    def on_stored(self, steps: Sequence[MatchStep]) -> None:
        self.on_entries(steps[0].before, [step.entry for step in steps], steps[-1].state)

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        self.announced.append((before, entries, match))

    def on_received(self, steps: Sequence[MatchStep]) -> None:
        entries = [step.entry for step in steps]
        self.announced.append((steps[0].before, entries, steps[-1].state))
        self.foreign += entries

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        return self.delays_of.get(seat, SeatDelays())

    def on_fault(self, match_id: str, fault: Exception) -> None:
        self.faults.append(fault)

    def on_stopped(self, match_id: str) -> None:
        self.stopped_matches.append(match_id)

    @property
    def received(self) -> list[Entry]:
        return [entry for _, entries, _ in self.announced for entry in entries]


class LoggingProcess(ServerProcess):
    """A server process with a log, which it may share with another one."""

    def __init__(self, shared_with: "LoggingProcess | None", time: FakeTime | None = None) -> None:
        super().__init__()
        self.time: FakeTime = shared_with.time if shared_with else time or FakeTime()
        self.stored: MemoryEventLog = shared_with.stored if shared_with else MemoryEventLog(self.time.wall_ms)
        self.log = GatedLog(self.time, self.stored)

    async def events(self, match_id: str = "m1") -> list[Event]:
        return [entry.event for entry in await self.stored.read(match_id)]

    async def event_kinds(self, match_id: str = "m1") -> list[str]:
        return [type(event).__name__ for event in await self.events(match_id)]

    async def move_rows(self, match_id: str = "m1") -> list[ClockCharge]:
        """Return the clock charges of all moves of bots."""
        return [event.row for event in await self.events(match_id) if isinstance(event, MovePlayed) and event.row]


class RunnerHarness(LoggingProcess):
    """One server process with its runners."""

    def __init__(self, shared_with: "RunnerHarness | None" = None) -> None:
        """Start with an empty log, or share the log of another process."""
        super().__init__(shared_with)
        self._runners: list[MatchRunner] = []
        self.observer = RecordingObserver()

    @property
    def dependencies(self) -> RunnerDependencies:
        return RunnerDependencies(self.log, self.time, self.observer)

    async def start_match(self, setup: Setup) -> MatchRunner:
        """Return the runner of a new match that is in play."""
        runner = await self.open_match(setup)
        await runner.submit(StartPlay())
        return runner

    async def open_match(self, setup: Setup) -> MatchRunner:
        """Return the runner of a new match that waits for its bots."""
        return self._closing(await open_match(setup, GAMES[setup.terms.game], self.dependencies))

    async def resume_match(self, match_id: str = "m1") -> MatchRunner:
        return self._closing(await resume(match_id, self.dependencies))

    def run_too(self, match: Match) -> MatchRunner:
        """Return another runner of a match that has one in another process."""
        return self._closing(MatchRunner(match, self.dependencies))

    def _closing(self, runner: MatchRunner) -> MatchRunner:
        self._runners.append(runner)
        return runner

    async def close(self) -> None:
        self.log.before.set()
        self.log.after.set()
        for runner in self._runners:
            await runner.close()

    async def check_end(self, runner: MatchRunner, after_us: Micros) -> None:
        """Check that the match is in play for that long, and over one microsecond later."""
        await self.time.advance(after_us)
        assert is_playing(runner)
        await self.time.advance(1)
        assert not is_playing(runner)

    async def log_agrees_with(self, runner: MatchRunner) -> bool:
        """Check that the match equals the fold of its log, and that this process announced its entries once and in
        order.
        """
        entries = await self.stored.read(runner.match_id)
        recomputed = replay((entry.event for entry in entries), GAMES.__getitem__)
        announced = [entry for entry in self.observer.received if entry.match_id == runner.match_id]
        return recomputed == runner.match and announced == entries[len(entries) - len(announced) :]


def match_setup(game: Game = NIM, match_id: str = "m1", control: TimeControl = TEN_SECONDS, **more: Any) -> Setup:
    """Return a setup with the game's default settings and ten seconds per seat, unless `more` says otherwise."""
    settings = more.pop("settings", game.settings())
    seats = len(game.table(settings).seats)
    players = tuple(Player(f"bot{seat}", "1") for seat in range(seats))
    usual: dict[str, Any] = {
        "match_id": match_id,
        "game": game.name,
        "game_version": game.version,
        "settings": settings,
        "players": players,
        "controls": (control,) * seats,
        "seed": bytes(32),
    }
    return make_setup(**usual | more)


def answer(runner: MatchRunner, seat: Seat, move: str, **more: Any) -> SubmitMove:
    """Return the seat's answer to its turn, arriving now."""
    turn = runner.match.turns[seat]
    usual: dict[str, Any] = {"token": turn.token if turn else "none", "measured": runner.measure(seat)}
    return SubmitMove(seat, move=move, **usual | more)


async def resume(match_id: str, dependencies: RunnerDependencies) -> MatchRunner:
    """Return a runner for a match, folded from its log."""
    entries = await dependencies.log.read(match_id)
    match = replay((entry.event for entry in entries), GAMES.__getitem__)
    return await resume_match(match, entries[-1].at_ms, dependencies)


def is_playing(runner: MatchRunner) -> bool:
    return runner.match.phase is MatchPhase.PLAYING


async def submit_move(runner: MatchRunner, seat: Seat, move: str) -> Decision:
    return await runner.submit(answer(runner, seat, move))
