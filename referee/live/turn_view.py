"""A turn as its seat may see it. It is self-contained: a bot needs no memory of earlier turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engines.api import Json, Seat
from referee.live.match_history import PlayedMove
from referee.live.match_timing import flag_falls_us
from referee.match.clock import Clock, Micros, TimeControl
from referee.match.state import Match, Turn


@dataclass(frozen=True, slots=True)
class SeatClock:
    """Clock of one seat at one moment."""

    seat: Seat
    control: TimeControl
    clock: Clock
    """The clock before the current turn."""
    used_us: Micros
    """Time of that turn so far, less referee delay. 0: there is no turn."""
    left_us: Micros | None
    """Time from now until the flag falls, with all that the seat is credited; None: unlimited."""
    running: bool
    credit_left_us: Micros


@dataclass(frozen=True, slots=True)
class LegalMoves:
    listed: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class TurnDue:
    """A turn that a seat owes now, with the state of the match."""

    match: Match
    turn: Turn
    moves: Sequence[PlayedMove]
    """All moves so far."""
    since: int
    """Number of moves made up to the last one of this seat, inclusive."""
    clocks: tuple[SeatClock, ...]
    repeated: bool
    """Whether this turn was sent before."""

    @property
    def seat(self) -> Seat:
        return self.turn.seat

    @property
    def position(self) -> str:
        """Text of the position; what the seat may not see is `?`."""
        return self.match.require_position().text(self.seat)

    def view(self) -> Json:
        return self.match.require_position().view(self.seat)

    def moves_since(self, all_moves: bool = False) -> list[tuple[Seat, str]]:
        """Return the moves since this seat's last one, or all moves; each as this seat may see it."""
        first = 0 if all_moves else self.since
        return [(move.seat, move.shown[self.seat]) for move in islice(self.moves, first, self.match.ply)]

    def legal_moves(self, at_most: int) -> LegalMoves:
        """Return the first `at_most` legal moves in order, and the number of all."""
        moves = self.match.require_position().moves(self.seat)
        return LegalMoves(tuple(moves[:at_most]), len(moves))

    @property
    def left_us(self) -> Micros | None:
        """Time until the flag of this seat falls; None: unlimited."""
        return self.clocks[self.seat].left_us

    @property
    def attempts_left(self) -> int:
        """Attempts left, including this one."""
        return self.match.setup.policies.attempts_a_turn - self.turn.attempt + 1

    @property
    def offers(self) -> tuple[Seat, ...]:
        """Seats of other sides with a pending draw offer."""
        mine = self.match.side_of(self.seat)
        return tuple(sorted(seat for seat in self.match.offers if self.match.side_of(seat) != mine))

    @property
    def sealed(self) -> bool:
        """Whether other seats choose at the same time, or have made a sealed choice."""
        ply = self.match.ply
        return len(self.match.turns) - self.match.turns.count(None) > 1 or (ply > 0 and self.moves[ply - 1].sealed)


def seat_clocks(match: Match, now_us: Micros, stall_us: Sequence[Micros]) -> tuple[SeatClock, ...]:
    """Return every seat's clock at a match time; `stall_us` is the referee delay of each seat's turn."""
    return tuple([_seat_clock(match, seat, now_us, stall_us[seat]) for seat in range(len(match.players))])


def clocks_at_entry(match: Match) -> tuple[SeatClock, ...]:
    """Return every seat's clock at the last entry of the match."""
    return seat_clocks(match, match.at_us, (0,) * len(match.players))


def _seat_clock(match: Match, seat: Seat, now_us: Micros, stall_us: Micros) -> SeatClock:
    turn, clock, control = match.turns[seat], match.clocks[seat], match.setup.controls[seat]
    if turn is None:
        used_us, left_us = 0, control.limit_us(clock)
    else:
        used_us = max(0, now_us - turn.asked_us - stall_us)
        falls_us = flag_falls_us(match, turn)
        # The flag falls at the first moment that is too late.
        left_us = None if falls_us is None else max(0, falls_us + stall_us - 1 - now_us)
    return SeatClock(seat, control, clock, used_us, left_us, turn is not None, match.credit_us[seat])
