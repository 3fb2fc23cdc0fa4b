"""Computes how much of each turn the server itself took, to give it back to the bot.

It is the length of the union of two kinds of intervals, in match time since the turn was assigned:

- the seat waited for the server: until the decision that assigns the turn is written; from the arrival of an attempt
  until its rejection is written, or the write fails; while the server shuts down and withholds the turn;
- the event loop was late (see `loop_lag`), except what requests of the seat's own holder caused.

Overlapping intervals count once, so the delay is never longer than the turn.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engines.api import Seat
from referee.match.clock import Micros
from referee.match.state import Match


@dataclass(slots=True)
class _TurnDelay:
    """The referee delay of one turn up to a moment. After it, only the lag of the event loop is added."""

    stall_us: Micros
    at_us: Micros
    lag_us: Micros
    """Lag of the event loop at that moment."""
    withheld: bool = False
    """Whether the turn is not sent, so that all time after that moment is referee delay."""


class RefereeDelays:
    """Delays of the open turns of one match. All times are match time."""

    def __init__(self, match: Match, now_us: Micros, lag_us: Callable[[Seat], Micros]) -> None:
        """`lag_us` is the lag so far that counts for a seat; only its growth is used."""
        self._read_lag_us = lag_us
        self._lag_at_stop_us: dict[Seat, Micros] = {}
        """Lag of each seat when match time stopped."""
        self._by_seat = {turn.seat: _TurnDelay(0, now_us, lag_us(turn.seat)) for turn in match.owing}

    def delay_us(self, seat: Seat, at_us: Micros, lag_us: Micros | None = None) -> Micros:
        """Return the delay of the turn of `seat` up to a moment with that lag (None: the current lag)."""
        delay = self._by_seat.get(seat)
        if delay is None:
            return 0
        since_us = at_us - delay.at_us
        if since_us < 0 or delay.withheld:
            return max(0, delay.stall_us + since_us)
        lag_us = self._lag_us(seat) if lag_us is None else lag_us
        return delay.stall_us + max(0, min(lag_us - delay.lag_us, since_us))

    def is_withheld(self, seat: Seat) -> bool:
        """Return whether the turn is withheld although its bot is online."""
        return seat in self._by_seat and self._by_seat[seat].withheld

    def update_turns(self, before: Match, match: Match, now_us: Micros) -> None:
        """Start and end turns after a stored change of the match."""
        for seat, (was, turn) in enumerate(zip(before.turns, match.turns, strict=True)):
            if turn is None:
                self._by_seat.pop(seat, None)
            elif was is None or was.ply != turn.ply:
                self._by_seat[seat] = _TurnDelay(now_us - turn.asked_us, now_us, self._lag_us(seat))

    def add_wait(self, seat: Seat, since_us: Micros, stall_us: Micros, now_us: Micros) -> None:
        """Add the time since a moment at which the delay of the turn was `stall_us`."""
        delay = self._by_seat[seat]
        if since_us < delay.at_us:  # Time before that is counted already.
            since_us, stall_us = delay.at_us, delay.stall_us
        self._by_seat[seat] = _TurnDelay(stall_us + now_us - since_us, now_us, self._lag_us(seat), delay.withheld)

    def withhold(self, seat: Seat, now_us: Micros) -> None:
        """Count all time from now on as delay, since the turn is not sent."""
        self._by_seat[seat] = _TurnDelay(self.delay_us(seat, now_us), now_us, self._lag_us(seat), withheld=True)

    def stop(self) -> None:
        """Stop counting lag, since match time stands still. Idempotent."""
        self._lag_at_stop_us = {seat: self._lag_us(seat) for seat in self._by_seat}

    def resume(self) -> None:
        """Count lag again, since match time runs."""
        for seat, lag_us in self._lag_at_stop_us.items():
            self._by_seat[seat].lag_us += self._read_lag_us(seat) - lag_us
        self._lag_at_stop_us = {}

    def _lag_us(self, seat: Seat) -> Micros:
        return self._lag_at_stop_us[seat] if seat in self._lag_at_stop_us else self._read_lag_us(seat)
