"""All live matches: connects runners, sessions, observers and notifications.

It owns the runners and observes them. A match that ends is removed. After a restart the time of a match in play stands
still until its bots are back or a time limit is over.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from engines.api import Game, Seat
from engines.game_errors import DetailedError
from referee.live.live_match import LiveMatch, LiveMatchIndex, MatchStarter, resume_match
from referee.live.loop_lag import LoopLag
from referee.live.match_history import MatchHistory, MatchStep
from referee.live.match_request import find_game
from referee.live.other_nodes import OtherNodes, connect_to_none
from referee.live.outbox import EndDelivery, UndeliveredEnds
from referee.live.ports import EventLog, MatchObserver, PresenceObserver, SeatDelays, StoreUnavailable, Time
from referee.live.queued_command import MatchMoving
from referee.live.reserved_places import NO_CONTESTS, JoinedContests, ReservedPlaces
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RatingWriter, RunnerDependencies
from referee.live.sessions import Absences, Sessions
from referee.live.stored_matches import StoredMatches
from referee.live.turns import TurnNotifier
from referee.match.clock import SECOND, Micros
from referee.match.commands import Command, DisconnectSeat, ReconnectSeat, StartPlay
from referee.match.decision import Decision
from referee.match.events import (
    MovePlayed,
    PlayStarted,
    RefereeRecovered,
    SeatDisconnected,
    SeatReconnected,
    SeatTaken,
    SeatVacated,
)
from referee.match.match_errors import MatchOver, SeatsOpen
from referee.match.state import MatchPhase

T = TypeVar("T")

SINGLE_MOVE = frozenset({MovePlayed})
"""Kinds of the entries of nearly all decisions: one move after which nothing else happens."""
PRESENCE_EVENTS = (PlayStarted, RefereeRecovered, SeatDisconnected, SeatReconnected)
EXPECTED_ERRORS = (DetailedError, StoreUnavailable, MatchMoving)
"""Errors of a command that are not reported as faults."""
RESUME_RETRY_US = SECOND
"""Delay before another attempt to resume a match whose log could not be written."""


@dataclass(frozen=True, slots=True)
class MatchSurroundings:
    """What a server has beside its matches."""

    observers: Sequence[MatchObserver] = ()
    rating_writer: RatingWriter | None = None
    """None: nothing is rated."""
    joined: JoinedContests = NO_CONTESTS
    wrap_dependencies: Callable[[RunnerDependencies], RunnerDependencies] = lambda unchanged: unchanged
    """May wrap what runners use, such as for traces."""
    connect: "Callable[[LiveMatches], OtherNodes]" = connect_to_none
    """Called once by matches that are being made; returns the other nodes that run the same matches."""


NO_SURROUNDINGS = MatchSurroundings()


class LiveMatches:
    """All live matches of this process; the `RunnerObserver` of their runners."""

    def __init__(
        self,
        log: EventLog,
        undelivered: UndeliveredEnds,
        time: Time,
        games: Mapping[str, Game],
        mint_id: Callable[[], str],
        lag: LoopLag,
        around: MatchSurroundings = NO_SURROUNDINGS,
    ) -> None:
        """`mint_id` returns a unique id. `undelivered` belongs to the same `log`. The caller starts and stops `lag`."""
        self.games = games
        self.lag = lag
        self.index = LiveMatchIndex()
        self.log = log
        self.time = time
        self.others = around.connect(self)
        ends = EndDelivery(undelivered, self.start_task)
        self.sessions = Sessions(time, mint_id, self.on_sessions_changed, ends, self.others, lag.door.so_far_us)
        self.absences = Absences(time, self._absence_due)
        self.notifier = TurnNotifier(self.sessions)
        reserved_places = ReservedPlaces(self.sessions, around.joined, self._places_freed)
        self.starter = MatchStarter(self.sessions, time, self.submit, reserved_places)
        dependencies = RunnerDependencies(log, time, self, around.rating_writer, others=self.others)
        self.dependencies = around.wrap_dependencies(dependencies)
        self.stored = StoredMatches(self.dependencies.log, self.find_game, self.index, self.on_fault)
        self.changed = asyncio.Event()
        """Set after entries were stored, and after sessions have changed."""
        self._observers: list[MatchObserver] = [*around.observers]
        self._move_observers = [observer for observer in around.observers if observer.sees_moves]
        self._presence_observers: list[PresenceObserver] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._creating: Counter[str] = Counter()
        """Requests that are creating each match, which may be in the log already."""

    def is_known(self, match_id: str) -> bool:
        """Return whether the match is live, or about to be."""
        return self._creating[match_id] > 0 or self.index.find(match_id) is not None

    @contextmanager
    def creating(self, match_id: str) -> Iterator[None]:
        """Know the match while a request creates it in this context."""
        self._creating[match_id] += 1
        try:
            yield
        finally:
            self._creating -= Counter([match_id])

    def observe(self, observer: MatchObserver) -> None:
        """Notify `observer` of everything that is stored here from now on."""
        self._observers.append(observer)
        if observer.sees_moves:
            self._move_observers.append(observer)

    def subscribe(self, observer: PresenceObserver) -> None:
        """Notify `observer` of everything that happens from now on, also of what other processes have stored."""
        self.observe(observer)
        self._presence_observers.append(observer)

    def resume_later(self, live_matches: Sequence[LiveMatch], delay_us: Micros) -> None:
        """Resume these matches after the delay, unless their bots are back before."""
        time = self.dependencies.time
        time.call_at(time.monotonic_us() + delay_us, lambda: self._resume_suspended(live_matches))

    def find_game(self, name: str) -> Game:
        """Return the game of that name. Raises UnknownGame."""
        return find_game(self.games, name)

    def on_stored(self, steps: Sequence[MatchStep]) -> None:
        self._record(steps, self._observers, self._move_observers)

    def on_received(self, steps: Sequence[MatchStep]) -> None:
        subscribers = self._presence_observers
        self._record(steps, subscribers, [observer for observer in subscribers if observer.sees_moves])

    def _record(
        self,
        steps: Sequence[MatchStep],
        observers: Sequence[MatchObserver],
        move_observers: Sequence[MatchObserver],
    ) -> None:
        """Update the history, then notify these observers and the bots. `move_observers` are those that see moves."""
        before, match, entries = steps[0].before, steps[-1].state, [step.entry for step in steps]
        live_match = self.index.find(match.setup.match_id)
        if before is None:
            live_match = LiveMatch(MatchHistory(steps[0]))
            self.index.add(live_match)
        elif live_match:
            live_match.history.extend(steps)
        self.changed.set()
        single_move = len(entries) == 1 and type(entries[0].event) is MovePlayed
        for observer in move_observers if single_move else observers:
            try:
                observer.on_entries(before, entries, match)
            except Exception as fault:
                self.on_fault(match.setup.match_id, fault)
        if live_match:  # Otherwise it was released while this was being stored, and runs on other nodes.
            kinds = SINGLE_MOVE if single_move else frozenset([type(entry.event) for entry in entries])
            self.notifier.notify(live_match, steps, kinds)
            if not single_move:
                self._apply(live_match, kinds)
        self.lag.charge_step()  # A callback of the log has no holder, and must not be charged to that of the next task.

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        live_match = self.index.find(match_id)
        if live_match is None:
            return SeatDelays(0, self.lag.read(""))
        round_trip_us, holder = self.sessions.path_and_holder(live_match.history.state.players[seat])
        return SeatDelays(round_trip_us, self.lag.read(holder))

    def on_fault(self, match_id: str, fault: Exception) -> None:
        for observer in self._observers:
            observer.on_fault(match_id, fault)

    def on_stopped(self, match_id: str) -> None:
        live_match = self.index.remove(match_id)
        if live_match:
            self.starter.release(live_match)
            live_match.history.end_watches(MatchMoving(match_id))

    def submit(self, live_match: LiveMatch, command: Command, since_us: Micros | None = None) -> None:
        """Queue a command without waiting for its decision. `since_us`: see `MatchRunner.submit`."""
        try:
            asked = live_match.active_runner.submit(command, since_us=since_us)
        except MatchMoving:  # The runner is closing, and another one will take over the match.
            return
        asked.add_done_callback(lambda answer: self._command_done(live_match, command, answer))

    def on_sessions_changed(self, bot: str) -> None:
        """Handle sessions of the bot that were opened, closed or changed."""
        self.changed.set()
        if self._closed:
            return
        expected = self.others.is_expected(bot, online=bool(self.sessions.of_bot(bot)))
        self.absences.update(bot, online=expected)
        for live_match in self.index.of_bot(bot):
            if live_match.match.phase is MatchPhase.WAITING:
                self.starter.start_if_ready(live_match)
            elif live_match.runner:
                self.update_presence(live_match, live_match.seats_of(bot))
            else:
                self.resume_if_online(live_match)
        for observer in self._presence_observers:
            observer.on_presence_changed(bot)

    def update_presence(self, live_match: LiveMatch, seats: Sequence[Seat]) -> None:
        """Write changed presence of these seats to the log, and send their turns to new sessions."""
        for seat in seats if live_match.match.phase is MatchPhase.PLAYING else ():
            live_match.active_runner.delays.update_holder(seat)
            if self.others.in_charge:
                self._write_presence(live_match, seat)
            self.notifier.notify_new_session(live_match, seat)

    def _write_presence(self, live_match: LiveMatch, seat: Seat) -> None:
        player, gone = live_match.match.players[seat], live_match.match.gone_us[seat] is not None
        here = self.sessions.is_online(player)
        if here and gone:
            self.submit(live_match, ReconnectSeat(seat))
        elif here or gone or self.others.decision_delay_us(player.bot) is None:
            return
        elif (since_us := self.absences.absent_since_us(player.bot)) is not None:
            self.submit(live_match, DisconnectSeat(seat), since_us)

    def attach_runner(self, live_match: LiveMatch, runner: MatchRunner) -> None:
        """Attach the runner: the time of the match runs from now on."""
        live_match.run(runner)
        self.starter.start_if_ready(live_match)
        self.update_presence(live_match, range(len(live_match.match.players)))

    async def runner(self, match_id: str) -> MatchRunner:
        """Return the runner, resuming the match first.

        Raises NoSuchMatch, MatchOver, MatchMoving or StoreUnavailable.
        """
        if not self.index.find(match_id):
            result = (await self.stored.history(match_id)).match.result  # Restores a match that is still to recover.
            if not self.index.find(match_id):
                raise MatchOver(str(result)) if result else MatchMoving(match_id)
        live_match = self.index.find(match_id)
        assert live_match
        if live_match.runner is None:
            await asyncio.wait([self.resume(live_match)])
        if live_match.runner is None:
            raise StoreUnavailable(f"match {match_id} cannot go on now")
        return live_match.runner

    def resume(self, live_match: LiveMatch) -> asyncio.Task[None]:
        """Resume a match in the background. The task ends when it runs, or cannot run now."""
        return live_match.resume(lambda: self.start_task(self._resume(live_match)))

    def resume_if_online(self, live_match: LiveMatch) -> None:
        """Resume a match whose bots are all online."""
        if all(self.sessions.is_online(player) for player in live_match.match.players):
            self.resume(live_match)

    def _resume_suspended(self, live_matches: Sequence[LiveMatch]) -> None:
        """Resume matches that do not run already and were not removed; called by timers."""
        for live_match in live_matches:
            if not self._closed and live_match.runner is None and self.index.find(live_match.match_id) is live_match:
                self.resume(live_match)

    def start_task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine in the background; `close` waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    async def close(self, error: Exception) -> None:
        """Let every match decide its queued commands and stop; then close watchers and sessions."""
        self._close_presence()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await asyncio.gather(*(live_match.runner.close() for live_match in self.index.all() if live_match.runner))
        for live_match in self.index.all():
            self.starter.stop_timer(live_match)
        self.end_streams(error)

    def end_streams(self, error: Exception) -> None:
        """Close watchers and sessions, whatever matches wait for. What follows from it is not written to any match."""
        self._close_presence()
        for live_match in self.index.all():
            live_match.history.end_watches(error)
        for session in self.sessions.all():
            session.outbox.close(error)

    def _close_presence(self) -> None:
        self._closed = True
        self.absences.close()

    def _task_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        if isinstance(fault, Exception) and not isinstance(fault, EXPECTED_ERRORS):
            self.on_fault("", fault)

    def _apply(self, live_match: LiveMatch, kinds: Set[type]) -> None:
        if live_match.match.phase is MatchPhase.OVER:
            self._remove_finished(live_match)
            return
        if SeatTaken in kinds or SeatVacated in kinds:
            self.index.index_seats(live_match)
        if SeatVacated in kinds:
            live_match.notified_sessions.clear()  # If the same bot comes back, it must be asked for a nonce again.
        if PlayStarted in kinds:
            self.starter.occupy(live_match.match)
        if live_match.match.phase is MatchPhase.WAITING:
            self.starter.start_if_ready(live_match)
        elif live_match.runner and not kinds.isdisjoint(PRESENCE_EVENTS):
            self.update_presence(live_match, range(len(live_match.match.players)))

    def _remove_finished(self, live_match: LiveMatch) -> None:
        """Remove a match that is over; its players have room for others, which may start now."""
        self.index.remove(live_match.match_id)
        self.stored.remember(live_match.history)
        self.starter.release(live_match)
        if live_match.runner:
            live_match.runner.stop()
        self._start_waiting({player.bot for player in live_match.match.players})

    def _start_waiting(self, bots: Collection[str]) -> None:
        """Start what these bots have room for."""
        for bot in bots:
            for live_match in self.index.of_bot(bot):
                if live_match.match.phase is MatchPhase.WAITING:
                    self.starter.start_if_ready(live_match)

    def _places_freed(self, bots: Collection[str]) -> None:
        if self._closed:
            return
        self._start_waiting(bots)
        for bot in bots:
            for observer in self._presence_observers:
                observer.on_presence_changed(bot)

    def _absence_due(self, bot: str) -> None:
        for live_match in self.index.of_bot(bot):
            if live_match.runner:
                self.update_presence(live_match, live_match.seats_of(bot))

    async def _resume(self, live_match: LiveMatch) -> None:
        try:
            runner = await resume_match(live_match.match, live_match.history.at_ms, self.dependencies)
        except StoreUnavailable:
            live_match.cannot_resume()
            self.resume_later([live_match], RESUME_RETRY_US)
        else:
            if self.index.find(live_match.match_id) is live_match:  # Otherwise it was released meanwhile.
                self.attach_runner(live_match, runner)

    def _command_done(self, live_match: LiveMatch, command: Command, answer: "asyncio.Future[Decision]") -> None:
        error = answer.exception()
        if error and isinstance(command, StartPlay):
            self.starter.release(live_match)
            if isinstance(error, SeatsOpen):  # A bot was withdrawn just before.
                self.starter.start_if_ready(live_match)
        if isinstance(error, Exception) and not isinstance(error, EXPECTED_ERRORS):
            self.on_fault(live_match.match_id, error)
