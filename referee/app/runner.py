"""The single writer of one live match: decide, write, believe, tell.

Commands come from many callers at once and go through one door, `submit`. One at a time is decided, in
the order of arrival; what follows is written to the log, then believed, then announced. What came
through the door is decided whether its caller waits for it or not: who hangs up may miss the answer,
and never leaves a match behind its own log.

While the log cannot be written, nothing happens and the time of the match stands still, as it does
while the referee is down; `RefereeBack` in the log says for how long. If the log turns out to have been
written by somebody else, the match is theirs: this runner stops.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from engines.api import Game, Seat
from referee.app.alarm_clock import AlarmClock
from referee.app.asked import Asked, NotRunHere, UnknownMatch
from referee.app.deadlines import Deadline, deadlines
from referee.app.desk import Delays, Desk, Keeper
from referee.app.lag import HOLDER, Arrival
from referee.app.match_time import MatchTime
from referee.app.ports import Conflict, LogUnavailable, Request
from referee.app.stalls import Stalls
from referee.app.writing import write
from referee.core.clock import MS, SECOND, Micros
from referee.core.commands import Command, EndGrace, FallFlag, Resume, SubmitMove
from referee.core.deciding import Decided
from referee.core.events import Opened
from referee.core.match import Match, opened, replay
from referee.core.row import Measured
from referee.core.setup import Setup

FIRST_RETRY_US = 100 * MS
LAST_RETRY_US = 10 * SECOND
"""After how long the log is tried again when it could not be written: at first, and at the most."""


class MatchRunner:
    """One live match, on one event loop. `open` or `resume` make it."""

    def __init__(self, match: Match, desk: Desk) -> None:
        """For a match that is in the log just so, and that nobody else runs."""
        self.match = match
        self._desk = desk
        self._time = MatchTime(desk.time, match.at_us)
        # Not by way of the runner: a circle would keep both until the garbage collector comes.
        self._delays = partial(_delays, desk.keeper, match.setup.match_id)
        self._stalls = Stalls(match, match.at_us, partial(_lag_us, desk.keeper, match.setup.match_id))
        self._retry_us = FIRST_RETRY_US
        self._closed = False
        self._inbox: asyncio.Queue[Asked | None] = asyncio.Queue()
        """None: look at the clock."""
        inbox = self._inbox  # Nor this by way of the runner.
        self._alarm = AlarmClock(desk.time, lambda: inbox.put_nowait(None))
        self._set_alarm()
        self._serving = asyncio.create_task(self._serve())

    @classmethod
    async def open(cls, setup: Setup, game: Game, desk: Desk) -> "MatchRunner":
        """A new match. Raises a refusal of its terms, Conflict if its id is taken, or LogUnavailable.

        If the caller is cancelled, the match may be in the log nevertheless, and can be resumed.
        """
        setup.check(game)
        event = Opened(0, setup)
        entries = await desk.log.append(setup.match_id, 0, [event])
        runner = cls(opened(event, game), desk)
        runner._tell(desk.keeper.announce, None, entries, runner.match)
        return runner

    @classmethod
    async def resume(cls, match_id: str, find_game: Callable[[str], Game], desk: Desk) -> "MatchRunner":
        """A match as its log tells it, at the same ply, with the same turns and tokens.

        Match time has stood still since the last entry, and runs from now on: let the bots come back first.
        Raises UnknownMatch, Conflict if somebody else resumes it too, or LogUnavailable.
        """
        log = await desk.log.read(match_id)
        if not log:
            raise UnknownMatch(match_id)
        return await cls.go_on(replay((entry.event for entry in log), find_game), log[-1].at_ms, desk)

    @classmethod
    async def go_on(cls, match: Match, at_ms: int, desk: Desk) -> "MatchRunner":
        """A match as its log told it, whose last entry was written at `at_ms`; else as `resume`."""
        down_ms = max(0, desk.time.wall_ms() - at_ms)  # Somebody may have set the wall clock back.
        back = desk.decide(match, Resume(down_ms), match.at_us)
        if not back.events:  # It is over. It still has verdicts for who asks again.
            return cls(match, desk)
        entries = await desk.log.append(match.setup.match_id, match.number, back.events)
        runner = cls(back.match, desk)
        runner._tell(desk.keeper.announce, match, entries, runner.match)
        return runner

    @property
    def match_id(self) -> str:
        return self.match.setup.match_id

    def match_now(self) -> Micros:
        """Match time."""
        return self._time.now_us()

    def submit(
        self, command: Command, request: Request | None = None, since_us: Micros | None = None
    ) -> asyncio.Future[Decided]:
        """Have `command` decided after all that came before it. What follows from it is in the log when it is told.

        The `request`, if it is one that must be known again, is written with it. `since_us`: what the command tells
        of happened at that moment of the machine, and is dated so, but never before the match's last entry.

        Nothing is written where nothing follows; an answer that was given before finds its first verdict in
        the match. The future raises a refusal, LogUnavailable, or NotRunHere if the runner stops, and nothing
        has changed then. Raises NotRunHere itself if the runner has stopped already.
        """
        if self._closed:
            raise NotRunHere(self.match_id)
        asked = Asked(command, asyncio.get_running_loop().create_future(), request, HOLDER.get(), since_us)
        self._inbox.put_nowait(asked)
        return asked.caller

    def measured(self, seat: Seat, arrival: Arrival | None = None) -> Measured:
        """What is measured about an answer of `seat` that was read then; None: now."""
        delays = self._delays(seat)
        if arrival is None:
            return Measured(self.match_now(), delays.network_us, self._stalls.of(seat, self.match_now()))
        at_us = self._time.at_us(arrival.at_us)
        return Measured(at_us, delays.network_us, self._stalls.of(seat, at_us, arrival.lag_us))

    def stall_us(self, seat: Seat) -> Micros:
        """What the referee has taken of the turn of `seat` so far."""
        return self._stalls.of(seat, self.match_now())

    def withhold(self, seat: Seat, token: str) -> None:
        """The turn of that token is not sent, although its bot is there: it costs the bot no time from now on."""
        if self._asks(seat, token):
            self._stalls.withhold(seat, self.match_now())

    async def close(self) -> None:
        """Take nothing more, decide all that was taken, and stop."""
        self._closed = True
        self._inbox.put_nowait(None)
        await asyncio.wait([self._serving])  # Not a plain await, which would cancel what it waits for.

    async def _serve(self) -> None:
        try:
            while not (self._closed and self._inbox.empty()):
                asked = await self._inbox.get()
                await (self._answer(asked) if asked else self._look_at_the_clock())
                self._set_alarm()
        except Exception as fault:
            self._lock_up()
            if not isinstance(fault, Conflict):
                self._complain(fault)
            self._tell(self._desk.keeper.left, self.match_id)
        finally:
            self._lock_up()

    async def _answer(self, asked: Asked) -> None:
        HOLDER.set(asked.holder)
        try:
            decided = await self._happen(asked.command, asked.request, asked.since_us)
        except LogUnavailable as why:
            self._give_back(asked.command)
            asked.refuse(why)
        except (Conflict, asyncio.CancelledError):
            asked.refuse(NotRunHere(self.match_id))
            raise
        except Exception as why:
            asked.refuse(why)
        else:
            asked.answer(decided)

    async def _look_at_the_clock(self) -> None:
        """Do what is due. If it cannot be written, it will still be due later."""
        HOLDER.set("")
        self._alarm.stop()
        try:
            if self._time.stopped:
                await self._go_on()
            for late in [late for late in self._deadlines() if late.at_us <= self.match_now()]:
                await self._happen(
                    EndGrace(late.seat) if late.of_grace else FallFlag(late.seat, self.measured(late.seat))
                )
        except LogUnavailable:
            self._retry_us = min(2 * self._retry_us, LAST_RETRY_US)

    async def _happen(
        self, command: Command, request: Request | None = None, since_us: Micros | None = None
    ) -> Decided:
        """Decide, and make it so."""
        if self._time.stopped:
            await self._go_on()
        at_us = self.match_now() if since_us is None else max(self.match.at_us, self._time.at_us(since_us))
        decided = self._desk.decide(self.match, command, at_us)
        return await self._make_so(command, decided, request) if decided.events else decided

    async def _go_on(self) -> None:
        """Go on after the log was away. Raises LogUnavailable if it still is."""
        resume = Resume(self._time.down_ms())
        await self._make_so(resume, self._desk.decide(self.match, resume, self.match_now()))
        self._time.go_on()
        self._stalls.go_on()
        self._retry_us = FIRST_RETRY_US

    async def _make_so(self, command: Command, decided: Decided, request: Request | None = None) -> Decided:
        """Write, then believe, then tell. As it was written: with what an end does to ratings."""
        before = self.match
        try:
            decided, entries = await write(self._desk, before.number, decided, request)
        except LogUnavailable:
            self._time.stop()
            self._stalls.stop()
            raise
        self._give_back(command)
        self.match = after = decided.match
        self._stalls.asked(before, after, self.match_now())
        self._tell(self._desk.keeper.announce, before, entries, after)
        if decided.fault:
            self._complain(decided.fault)
        return decided

    def _give_back(self, command: Command) -> None:
        """A seat has waited for us since its answer arrived, until that was refused, or could not be written."""
        if isinstance(command, SubmitMove) and self._asks(command.seat, command.token):
            measured = command.measured
            self._stalls.waited(command.seat, measured.arrived_us, measured.stall_us, self.match_now())

    def _asks(self, seat: Seat, token: str) -> bool:
        turn = self.match.turns[seat] if 0 <= seat < len(self.match.turns) else None
        return turn is not None and turn.token == token

    def _set_alarm(self) -> None:
        """Be called at the next deadline; or, while the log is away, when it is to be tried again."""
        if self._time.stopped:
            self._alarm.set(self._desk.time.monotonic_us() + self._retry_us)
            return
        if self._alarm.rings_by(self._soonest_us(deadlines(self.match, lambda _: 0))):  # Most often: no stall is read.
            return
        self._alarm.set(self._soonest_us(self._deadlines()))

    def _deadlines(self) -> list[Deadline]:
        """As they are now. A turn that is withheld has none."""
        return [late for late in deadlines(self.match, self.stall_us) if not self._stalls.is_withheld(late.seat)]

    def _soonest_us(self, found: list[Deadline]) -> Micros | None:
        """The next deadline, by the time of the machine."""
        soonest_us = min([deadline.at_us for deadline in found], default=None)
        return None if soonest_us is None else self._time.monotonic_us(soonest_us)

    def _lock_up(self) -> None:
        self._closed = True
        self._alarm.stop()
        while not self._inbox.empty():
            asked = self._inbox.get_nowait()
            if asked:
                asked.refuse(NotRunHere(self.match_id))

    def _tell(self, listener: Callable[..., None], *news: Any) -> None:
        """Whatever it raises: what has happened, has happened."""
        try:
            listener(*news)
        except Exception as fault:
            self._complain(fault)

    def _complain(self, fault: Exception) -> None:
        _complain(self._desk.keeper, self.match_id, fault)


def _delays(keeper: Keeper, match_id: str, seat: Seat) -> Delays:
    try:
        return keeper.delays(match_id, seat)
    except Exception as fault:
        _complain(keeper, match_id, fault)
        return Delays()


def _lag_us(keeper: Keeper, match_id: str, seat: Seat) -> Micros:
    return _delays(keeper, match_id, seat).lag_us


def _complain(keeper: Keeper, match_id: str, fault: Exception) -> None:
    with suppress(Exception):  # There is nobody left to tell.
        keeper.broke(match_id, fault)
