"""Times of a match: match time, deadlines and their timers, and delays that are not the fault of a bot.

The referee delay of a turn is the time that the server itself took, and is given back to the bot. It is the length of
the union of three kinds of intervals, in match time since the turn was assigned:

- the seat waited for the server: until the decision that assigns the turn is written; from the arrival of an attempt
  until its rejection is written, or the write fails; while the server shuts down and withholds the turn;
- the event loop was late (see `loop_lag`), except what requests of the seat's own holder caused;
- another process ran the match: nobody knows any more how much of that time was its own (see `RefereeDelays`).

Overlapping intervals count once, so the delay is never longer than the turn.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from weakref import WeakMethod

from msgspec import Struct, structs

from engines.api import Seat
from referee.live.loop_lag import MessageArrival
from referee.live.ports import Lag, SeatDelays, Time, Timer
from referee.match.clock import MS, SECOND, Micros
from referee.match.clock_charge import TurnMeasurement, flag_falls_at_us
from referee.match.match_terms import forfeits_if_gone
from referee.match.state import Match, Turn


class MatchTime:
    """Match time: microseconds since the match was created, without outages of the server and of the log."""

    def __init__(self, time: Time, at_us: Micros) -> None:
        """Start to run at match time `at_us`."""
        self.stopped = False
        self._time = time
        self._opened_us = time.monotonic_us() - at_us
        self._stopped_us: Micros | None = None
        self._resumed_us = at_us
        """Match time at which it last started to run."""

    def at_us(self, monotonic_us: Micros) -> Micros:
        """Return match time at a past monotonic time, but not less than when match time last started to run."""
        at_us = max(self._resumed_us, monotonic_us - self._opened_us)
        return at_us if self._stopped_us is None else min(self._stopped_us, at_us)

    def now_us(self) -> Micros:
        return self._time.monotonic_us() - self._opened_us if self._stopped_us is None else self._stopped_us

    def stop(self) -> None:
        self._stopped_us = self.now_us()
        self.stopped = True

    def stopped_ms(self) -> int:
        """Return for how long match time has stood still."""
        return (self._running_us() - self.now_us()) // MS

    def resume(self) -> None:
        self._resumed_us = self.now_us()
        self._opened_us += self._running_us() - self._resumed_us
        self._stopped_us = None
        self.stopped = False

    def advance(self, at_us: Micros) -> Micros:
        """Let match time be `at_us` now if it is less, since an entry of another process has that time.

        Return by how much it has advanced.
        """
        ahead_us = max(0, at_us - self.now_us())
        self._opened_us -= ahead_us
        if self._stopped_us is not None:
            self._stopped_us += ahead_us
        return ahead_us

    def monotonic_us(self, at_us: Micros) -> Micros:
        """Return the monotonic time at which match time reaches `at_us`, unless it is stopped before."""
        return self._opened_us + at_us

    def _running_us(self) -> Micros:
        return self._time.monotonic_us() - self._opened_us


class DeadlineTimer:
    """One timer for all deadlines of a match. It fires at the next deadline or before.

    Deadlines mostly move away with every move, so firing too early now and then is cheaper than resetting it.
    """

    def __init__(self, time: Time, callback: Callable[[], None]) -> None:
        self._time = time
        self._callback = callback
        self._timer: Timer | None = None
        self._at_us: Micros = 0

    def set(self, at_us: Micros | None) -> None:
        """Make the timer fire at that monotonic time, or before. None: it need not fire."""
        if at_us is None:
            self.stop()
        elif self._timer is None or at_us < self._at_us:
            self.stop()
            self._timer, self._at_us = self._time.call_at(at_us, self._callback), at_us

    def fires_by(self, at_us: Micros | None) -> bool:
        """Return whether the timer fires at that monotonic time or before; for None, whether it is not set."""
        return at_us is None if self._timer is None else at_us is not None and self._at_us <= at_us

    def stop(self) -> None:
        """Cancel the timer. Call this after it has fired too, so that it can be set again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Deadline(Struct, frozen=True, order=True, gc=False):
    at_us: Micros
    """The first moment that is too late."""
    seat: Seat
    of_grace: bool = False
    """Whether a grace period ends, rather than the time for an answer."""


def deadlines(match: Match) -> list[Deadline]:
    """Return the deadlines of all seats that owe a move, without referee delay."""
    found = []
    for turn in filter(None, match.turns):
        seat = turn.seat
        credit_us = min(match.credit_a_move_us, match.credit_us[seat])
        falls_us = flag_falls_at_us(match.controls[seat], match.clocks[seat], turn.asked_us, credit_us)
        if falls_us is not None:
            found.append(Deadline(falls_us, seat))
        if match.gone_us[seat] is not None and (ends_us := _grace_ends_us(match, turn)) is not None:
            found.append(Deadline(ends_us, seat, of_grace=True))
    return found


def _grace_ends_us(match: Match, turn: Turn) -> Micros | None:
    gone_us, policies = match.gone_us[turn.seat], match.terms.policies
    if gone_us is None or not forfeits_if_gone(policies):
        return None
    return max(gone_us, turn.asked_us) + policies.disconnect.grace_period_ms * MS


class LoopTime:
    """A `Time` with the clocks of the machine, and timers on the running event loop."""

    def monotonic_us(self) -> Micros:
        return time.monotonic_ns() // 1_000

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, at_us: Micros, callback: Callable[[], None]) -> Timer:
        # The loop's clock may have another origin, so pass a delay instead of a time.
        return asyncio.get_running_loop().call_later((at_us - self.monotonic_us()) / SECOND, callback)


class _TurnDelay(Struct, gc=False):
    """The referee delay of one turn up to a moment. After it, only the lag of the event loop is added."""

    stall_us: Micros
    at_us: Micros
    lag: Lag
    """Lag of the event loop at that moment."""
    withheld: bool = False
    """Whether the turn is not sent, so that all time after that moment is referee delay."""


class TurnUse(Struct, frozen=True):
    """How much time a seat has used in a turn, as measured by the process to which its bot was connected."""

    token: str
    us: Micros


class RefereeDelays:
    """Delays of the open turns of one match. All times are match time."""

    def __init__(self, match: Match, match_time: MatchTime, read: Callable[[Seat], SeatDelays]) -> None:
        """`read` returns the delays of a seat outside of the match; only the growth of its lag is used.

        Turns of a match that is taken over start anew. The process that ran it may have written an entry after an
        outage, so the time up to the last entry may be the outage's as well as the bot's.
        """
        self._match_time = match_time
        self._read = read
        self._used_elsewhere: list[TurnUse] = []
        """Time that was used on other processes in turns that are not known here yet."""
        self._lag_at_stop: dict[Seat, Lag] = {}
        """Lag of each seat when match time stopped."""
        at_us = match.at_us
        self._by_seat = {
            turn.seat: _TurnDelay(at_us - turn.asked_us, at_us, read(turn.seat).lag) for turn in match.owing
        }

    def measure(self, seat: Seat, arrival: MessageArrival | None = None) -> TurnMeasurement:
        """Return the measurement of an answer of `seat` that arrived then; None: now."""
        at_us = self._match_time.at_us(arrival.at_us) if arrival else self._match_time.now_us()
        stall_us = self.delay_us(seat, at_us, arrival.lag if arrival else None)
        if arrival and arrival.network_us is not None:
            return TurnMeasurement(at_us, arrival.network_us, stall_us)
        return TurnMeasurement(at_us, self._read(seat).network_us, stall_us)

    def delay_us(self, seat: Seat, at_us: Micros, lag: Lag | None = None) -> Micros:
        """Return the delay of the turn of `seat` up to a moment with that lag (None: the current lag)."""
        delay = self._by_seat.get(seat)
        if delay is None:
            return 0
        since_us = at_us - delay.at_us
        if since_us < 0 or delay.withheld:
            return max(0, delay.stall_us + since_us)
        lag = self._lag(seat) if lag is None else lag
        if lag is delay.lag:
            return delay.stall_us
        return delay.stall_us + max(0, min(lag.since_us(delay.lag), since_us))

    def lag_us(self, seat: Seat, at_us: Micros) -> Micros:
        """Return the part of that delay in which no bot could be served, so that an absent one could not return."""
        delay = self._by_seat.get(seat)
        return max(0, self.delay_us(seat, at_us) - delay.stall_us) if delay else 0

    def all_us(self, match: Match, at_us: Micros) -> list[Micros]:
        """Return the delay of the turn of each seat up to a moment; 0: it has none."""
        all_us = [0] * len(match.turns)
        for turn in filter(None, match.turns):
            all_us[turn.seat] = self.delay_us(turn.seat, at_us)
        return all_us

    def is_withheld(self, seat: Seat) -> bool:
        """Return whether the turn is withheld although its bot is online."""
        return seat in self._by_seat and self._by_seat[seat].withheld

    def update_turns(self, before: Match, match: Match, now_us: Micros) -> None:
        """Start and end turns after a stored change of the match."""
        for seat, (was, turn) in enumerate(zip(before.turns, match.turns, strict=True)):
            if turn is None:
                self._by_seat.pop(seat, None)
            elif was is None or was.ply != turn.ply:
                self._by_seat[seat] = _TurnDelay(now_us - turn.asked_us, now_us, self._lag(seat))
        if self._used_elsewhere:
            known, self._used_elsewhere = self._used_elsewhere, []
            for used in known:
                if any(turn.token == used.token for turn in match.owing):
                    self.set_used(match, used, now_us)

    def add_wait(self, seat: Seat, measured: TurnMeasurement, now_us: Micros) -> None:
        """Add the time since the arrival of an answer to the turn."""
        delay, since_us, stall_us = self._by_seat[seat], measured.arrived_us, measured.stall_us
        if since_us < delay.at_us:  # Time before that is counted already.
            since_us, stall_us = delay.at_us, delay.stall_us
        self._by_seat[seat] = _TurnDelay(stall_us + now_us - since_us, now_us, self._lag(seat), delay.withheld)

    def used_us(self, turn: Turn, now_us: Micros) -> Micros:
        """Return how much time the seat has used in this turn until now."""
        return max(0, now_us - turn.asked_us - self.delay_us(turn.seat, now_us))

    def set_used(self, match: Match, used: TurnUse, now_us: Micros) -> None:
        """Let the seat have used that much time in that turn until now, as another process has measured.

        If the turn is not known here yet, it counts from the moment at which it is.
        """
        turn = next((turn for turn in match.owing if turn.token == used.token), None)
        if turn is None:
            self._used_elsewhere.append(used)
        else:
            # A process that has just read the match from the log does not know how long ago its last entry was.
            ahead_us = self._match_time.advance(turn.asked_us + used.us)
            self.shift(ahead_us)
            now_us += ahead_us
            stall_us = max(0, now_us - turn.asked_us - used.us)
            withheld = self.is_withheld(turn.seat)
            self._by_seat[turn.seat] = _TurnDelay(stall_us, now_us, self._lag(turn.seat), withheld)

    def shift(self, by_us: Micros) -> None:
        """Count the time as delay by which match time has advanced without being lived through here."""
        for delay in self._by_seat.values() if by_us else ():
            delay.stall_us += by_us
            delay.at_us += by_us

    def update_holder(self, seat: Seat) -> None:
        """Count no lag from now on that the holder of the bot causes, who was perhaps not known before."""
        delay, now_us = self._by_seat.get(seat), self._match_time.now_us()
        if delay and (lag := self._lag(seat)).holder != delay.lag.holder:
            self._by_seat[seat] = _TurnDelay(self.delay_us(seat, now_us, lag), now_us, lag, delay.withheld)

    def withhold(self, seat: Seat, now_us: Micros) -> None:
        """Count all time from now on as delay, since the turn is not sent."""
        self._by_seat[seat] = _TurnDelay(self.delay_us(seat, now_us), now_us, self._lag(seat), withheld=True)

    def stop(self) -> None:
        """Stop counting lag, since match time stands still. Idempotent."""
        self._lag_at_stop = {seat: self._lag(seat) for seat in self._by_seat}

    def resume(self) -> None:
        """Count lag again, since match time runs."""
        for seat, at_stop in self._lag_at_stop.items():
            delay = self._by_seat.get(seat)
            if delay:  # Otherwise another process has ended the turn meanwhile.
                stopped_us = self._read(seat).lag.since_us(at_stop)
                delay.lag = structs.replace(delay.lag, total_us=delay.lag.total_us + stopped_us)
        self._lag_at_stop = {}

    def _lag(self, seat: Seat) -> Lag:
        return self._lag_at_stop[seat] if seat in self._lag_at_stop else self._read(seat).lag


class MatchTimer(DeadlineTimer):
    """The timer of one match, set to the next deadline of its turns."""

    def __init__(
        self,
        match_time: MatchTime,
        delays: RefereeDelays,
        time: Time,
        on_timer: "WeakMethod[Callable[[], None]]",
        decision_delay_us: Callable[[str], Micros | None],
    ) -> None:
        """`on_timer` is a weak reference: only the garbage collector could free a cycle of a runner and its timer.

        `decision_delay_us` returns how long after a deadline of a bot it is decided here; None: it is not.
        """
        super().__init__(time, partial(_call_if_alive, on_timer))
        self._decision_delay_us = decision_delay_us
        self._match_time = match_time
        self._delays = delays

    def set_next(self, match: Match) -> None:
        """Set the timer to the next deadline, or before."""
        found = deadlines(match)
        if not self.fires_by(self._soonest_us(found)):  # Usually it does, so no delay is read.
            self.set(self._soonest_us(self._with_delays(match, found)))

    def due(self, match: Match) -> list[Deadline]:
        """Return the deadlines that have passed."""
        now_us = self._match_time.now_us()
        return [late for late in self._with_delays(match, deadlines(match)) if late.at_us <= now_us]

    def _with_delays(self, match: Match, found: list[Deadline]) -> list[Deadline]:
        """Return when deadlines are decided here, with the referee delay so far; withheld turns have none."""
        now_us = self._match_time.now_us()
        decided = []
        for due in found:
            decision_delay_us = self._decision_delay_us(match.players[due.seat].bot)
            if decision_delay_us is not None and not self._delays.is_withheld(due.seat):
                read_us = self._delays.lag_us if due.of_grace else self._delays.delay_us
                delay_us = decision_delay_us + read_us(due.seat, now_us)
                decided.append(Deadline(due.at_us + delay_us, due.seat, due.of_grace))
        return decided

    def _soonest_us(self, found: list[Deadline]) -> Micros | None:
        """Return the next deadline in monotonic time. None: there is none."""
        return self._match_time.monotonic_us(min(found).at_us) if found else None


def _call_if_alive(method: "WeakMethod[Callable[[], None]]") -> None:
    if alive := method():
        alive()
