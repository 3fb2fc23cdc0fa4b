"""A turn as its seat is to be told of it. It stands on its own: a bot may forget everything between two."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engines.api import Json, Seat
from referee.app.deadlines import flag_falls_us
from referee.app.story import Made
from referee.core.clock import Clock, Micros, TimeControl
from referee.core.match import Match, Turn


@dataclass(frozen=True, slots=True)
class SeatClock:
    """One seat's clock at one moment."""

    seat: Seat
    control: TimeControl
    clock: Clock
    """As it was before the turn that runs."""
    used_us: Micros
    """Of that turn so far, without what the referee held up. 0: no turn runs."""
    left_us: Micros | None
    """How long the seat could think now until its flag falls, everything included; None: for ever."""
    running: bool
    credit_left_us: Micros


@dataclass(frozen=True, slots=True)
class LegalMoves:
    listed: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class TurnDue:
    """What a seat owes now, with the match as it stands."""

    match: Match
    turn: Turn
    made: Sequence[Made]
    """All moves so far."""
    since: int
    """How many moves had been made when this seat had made its last one."""
    clocks: tuple[SeatClock, ...]
    again: bool
    """This very turn has been asked before."""

    @property
    def seat(self) -> Seat:
        return self.turn.seat

    @property
    def position(self) -> str:
        """What this seat may not know is `?` there."""
        return self.match.at_play().text(self.seat)

    def view(self) -> Json:
        return self.match.at_play().view(self.seat)

    def moves_since(self, all_moves: bool = False) -> list[tuple[Seat, str]]:
        """Since this seat's last move, or since the start; each as this seat may hear of it."""
        first = 0 if all_moves else self.since
        return [(move.seat, move.told[self.seat]) for move in islice(self.made, first, self.match.ply)]

    def legal_moves(self, at_most: int) -> LegalMoves:
        """In order, up to so many; and how many there are."""
        moves = self.match.at_play().moves(self.seat)
        return LegalMoves(tuple(moves[:at_most]), len(moves))

    @property
    def left_us(self) -> Micros | None:
        """Until this seat's flag falls; None: never."""
        return self.clocks[self.seat].left_us

    @property
    def attempts_left(self) -> int:
        """This one included."""
        return self.match.setup.policies.attempts_a_turn - self.turn.attempt + 1

    @property
    def offers(self) -> tuple[Seat, ...]:
        """Seats of other sides whose offer of a draw stands."""
        mine = self.match.side_of(self.seat)
        return tuple(sorted(seat for seat in self.match.offers if self.match.side_of(seat) != mine))

    @property
    def sealed(self) -> bool:
        """Others choose at the same time, or have chosen, unseen."""
        ply = self.match.ply
        return len(self.match.turns) - self.match.turns.count(None) > 1 or (ply > 0 and self.made[ply - 1].sealed)


def seat_clocks(match: Match, now_us: Micros, stall_us: Sequence[Micros]) -> tuple[SeatClock, ...]:
    """Every seat's clock at a moment of match time; `stall_us`: what the referee held up each seat's turn."""
    return tuple([_seat_clock(match, seat, now_us, stall_us[seat]) for seat in range(len(match.players))])


def clocks_at_entry(match: Match) -> tuple[SeatClock, ...]:
    """Every seat's clock at the match's last entry."""
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
