"""How much of each turn the referee itself took: the one place where that is computed. It is given back.

What counts is the union of two kinds of intervals, in match time and since the turn was asked:

- the seat waited for the referee: from the decision that asks a turn until that is written; from the arrival
  of an attempt until its refusal is written, or cannot be; and, while the referee shuts down, for as long as a
  turn is not sent;
- the event loop was late (see `lag`), but for the part that requests of the seat's own holder took.

A moment counts once, whatever the two have in common, so the stall is never longer than the turn.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engines.api import Seat
from referee.core.clock import Micros
from referee.core.match import Match


@dataclass(slots=True)
class _Count:
    """The stall of one turn up to a moment. From then on, only the lag of the event loop is added."""

    stall_us: Micros
    at_us: Micros
    lag_us: Micros
    """The lag of the event loop at that moment."""
    withheld: bool = False
    """The turn is not sent: all of the time from that moment on is stall."""


class Stalls:
    """Those of the turns that one match asks now. Every moment is given in match time."""

    def __init__(self, match: Match, now_us: Micros, lag_us: Callable[[Seat], Micros]) -> None:
        """`lag_us` is the lag so far that counts for a seat; only its growth is used."""
        self._read_lag_us = lag_us
        self._lag_at_stop_us: dict[Seat, Micros] = {}
        """While match time stands still."""
        self._counts = {turn.seat: _Count(0, now_us, lag_us(turn.seat)) for turn in match.owing}

    def of(self, seat: Seat, at_us: Micros, lag_us: Micros | None = None) -> Micros:
        """The stall of the turn that `seat` owes, up to a moment at which the lag was `lag_us` (None: it is now)."""
        count = self._counts.get(seat)
        if count is None:
            return 0
        since_us = at_us - count.at_us
        if since_us < 0 or count.withheld:
            return max(0, count.stall_us + since_us)
        lag_us = self._lag_us(seat) if lag_us is None else lag_us
        return count.stall_us + max(0, min(lag_us - count.lag_us, since_us))

    def is_withheld(self, seat: Seat) -> bool:
        """Is the seat's turn not sent, although its bot is there?"""
        return seat in self._counts and self._counts[seat].withheld

    def asked(self, before: Match, match: Match, now_us: Micros) -> None:
        """The match has changed, and that is written: turns end, and others are asked."""
        for seat, (was, turn) in enumerate(zip(before.turns, match.turns, strict=True)):
            if turn is None:
                self._counts.pop(seat, None)
            elif was is None or was.ply != turn.ply:
                self._counts[seat] = _Count(now_us - turn.asked_us, now_us, self._lag_us(seat))

    def waited(self, seat: Seat, since_us: Micros, stall_us: Micros, now_us: Micros) -> None:
        """The seat has waited for the referee since a moment at which the stall of its turn was `stall_us`."""
        count = self._counts[seat]
        if since_us < count.at_us:  # Up to then, all is counted.
            since_us, stall_us = count.at_us, count.stall_us
        self._counts[seat] = _Count(stall_us + now_us - since_us, now_us, self._lag_us(seat), count.withheld)

    def withhold(self, seat: Seat, now_us: Micros) -> None:
        """From now on the seat waits for its turn to be sent."""
        self._counts[seat] = _Count(self.of(seat, now_us), now_us, self._lag_us(seat), withheld=True)

    def stop(self) -> None:
        """Match time stands still: the event loop takes nothing from it. To say so twice is no fault."""
        self._lag_at_stop_us = {seat: self._lag_us(seat) for seat in self._counts}

    def go_on(self) -> None:
        """Match time goes on."""
        for seat, lag_us in self._lag_at_stop_us.items():
            self._counts[seat].lag_us += self._read_lag_us(seat) - lag_us
        self._lag_at_stop_us = {}

    def _lag_us(self, seat: Seat) -> Micros:
        return self._lag_at_stop_us[seat] if seat in self._lag_at_stop_us else self._read_lag_us(seat)
