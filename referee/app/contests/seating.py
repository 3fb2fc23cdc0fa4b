"""Who of those who meet holds which seats of a match, and what the match's result is to them.

A pairing knows places; a match knows seats. Where partners are fixed a place is a whole side, with a bot for
each of its seats; else it is one seat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.api import Seat, Table
from referee.app.contests.terms import Partners
from referee.contest.pairing import Due, Places, Score
from referee.core.result import Result
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Seating:
    places: tuple[tuple[Seat, ...], ...]
    """The seats of each place."""
    sides: Places
    """Which places stand together. Nothing: everybody alone."""

    @property
    def bots(self) -> int:
        """How many an entrant brings."""
        return len(self.places[0])

    def players(self, due: Due, bots: Mapping[str, Sequence[Player]]) -> tuple[Player, ...]:
        """In order of seats. `bots` are those of each entrant, in the order in which they sit."""
        sits = {
            seat: player
            for entrant, seats in zip(due.seats, self.places, strict=True)
            for seat, player in zip(seats, bots[entrant], strict=True)
        }
        return tuple(sits[seat] for seat in sorted(sits))

    def score(self, due: Due, result: Result) -> Score:
        """What the result is to those who met. It is not void."""
        held = dict(zip(_places(due), self.places, strict=True))
        seats = [held[place] for place in range(len(held))]
        at_fault = {forfeit.seat for forfeit in result.forfeits}
        forfeited = [name for name, mine in zip(due.pairing.entrants, seats, strict=True) if at_fault & {*mine}]
        return Score(tuple(result.ranks[mine[0]] for mine in seats), tuple(dict.fromkeys(forfeited)))


def seating(table: Table, partners: Partners) -> Seating:
    if partners is Partners.FIXED:
        return Seating(table.sides, ())
    alone = all(len(side) == 1 for side in table.sides)
    return Seating(tuple((seat,) for seat in range(len(table.seats))), () if alone else table.sides)


def _places(due: Due) -> tuple[int, ...]:
    """The places in the order of seats of that match: they rotate as the entrants do."""
    turn = (due.number - 1) % len(due.pairing.entrants)
    places = tuple(range(len(due.pairing.entrants)))
    return places[turn:] + places[:turn]
