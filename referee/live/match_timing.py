"""Match time, deadlines and their timers."""

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from engines.api import Seat
from referee.live.ports import Time, Timer
from referee.match.clock import MS, SECOND, Micros
from referee.match.clock_charge import flag_falls_at_us
from referee.match.setup import DisconnectPolicy
from referee.match.state import Match, Turn


class MatchTime:
    """Match time: microseconds since the match was created, without outages of the server and of the log."""

    def __init__(self, time: Time, at_us: Micros) -> None:
        """Start to run at match time `at_us`."""
        self._time = time
        self._opened_us = time.monotonic_us() - at_us
        self._stopped_us: Micros | None = None
        self._resumed_us = at_us
        """Match time at which it last started to run."""

    @property
    def stopped(self) -> bool:
        return self._stopped_us is not None

    def at_us(self, monotonic_us: Micros) -> Micros:
        """Return match time at a past monotonic time, but not less than when match time last started to run."""
        return min(self.now_us(), max(self._resumed_us, monotonic_us - self._opened_us))

    def now_us(self) -> Micros:
        return self._running_us() if self._stopped_us is None else self._stopped_us

    def stop(self) -> None:
        self._stopped_us = self.now_us()

    def stopped_ms(self) -> int:
        """Return for how long match time has stood still."""
        return (self._running_us() - self.now_us()) // MS

    def resume(self) -> None:
        self._resumed_us = self.now_us()
        self._opened_us += self._running_us() - self._resumed_us
        self._stopped_us = None

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


class Deadline(NamedTuple):
    at_us: Micros
    """The first moment that is too late."""
    seat: Seat
    of_grace: bool = False
    """Whether a grace period ends, rather than the time for an answer."""


def deadlines(match: Match, stall_us: Callable[[Seat], Micros]) -> list[Deadline]:
    """Return the deadlines of all seats that owe a move; `stall_us` returns the referee delay of a seat's turn."""
    found = []
    for turn in filter(None, match.turns):
        falls_us, ends_us = flag_falls_us(match, turn), _grace_ends_us(match, turn)
        if falls_us is not None:
            found.append(Deadline(falls_us + stall_us(turn.seat), turn.seat))
        if ends_us is not None:
            found.append(Deadline(ends_us, turn.seat, of_grace=True))
    return found


def flag_falls_us(match: Match, turn: Turn) -> Micros | None:
    """Return the first moment at which an answer to the turn is late, without referee delay; None: there is none."""
    setup, seat = match.setup, turn.seat
    credit_us = min(setup.credit.per_move_us, match.credit_us[seat])
    return flag_falls_at_us(setup.controls[seat], match.clocks[seat], turn.asked_us, credit_us)


def _grace_ends_us(match: Match, turn: Turn) -> Micros | None:
    gone_us, policies = match.gone_us[turn.seat], match.setup.policies
    if gone_us is None or policies.gone is not DisconnectPolicy.FORFEIT_AFTER_GRACE:
        return None
    return max(gone_us, turn.asked_us) + policies.grace_us


class LoopTime:
    """A `Time` with the clocks of the machine, and timers on the running event loop."""

    def monotonic_us(self) -> Micros:
        return time.monotonic_ns() // 1_000

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, at_us: Micros, callback: Callable[[], None]) -> Timer:
        # The loop's clock may have another origin, so pass a delay instead of a time.
        return asyncio.get_running_loop().call_later((at_us - self.monotonic_us()) / SECOND, callback)
