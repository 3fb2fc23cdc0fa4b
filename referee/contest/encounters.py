"""What one entrant did in one round, as tables and tie-breaks see it.

A table is every entrant's encounters, round by round; all of them have as many. A match that was begun is
played, however it ended: who lost on time has played. Not played are byes, rounds missed, and pairings that
a withdrawal left without a match.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


class How(Enum):
    PLAYED = "played"
    BYE = "bye"
    """Nobody was left to meet; the points of a win."""
    UNOPPOSED = "unopposed"
    """The opponent was not there; the points of a win."""
    ABSENT = "absent"
    """Was not there for the opponent."""
    EXCUSED = "excused"
    """Asked for a round off, and got the points of a draw. Only other people's tournaments know it."""
    MISSED = "missed"
    """Not in the round at all: came late, or has left."""

    @property
    def voluntary(self) -> bool:
        """Not played because the entrant would not (FIDE C.07, 16.1.2)."""
        return self in {How.ABSENT, How.EXCUSED, How.MISSED}


@dataclass(frozen=True, slots=True)
class Encounter:
    how: How
    points: float
    against: tuple[tuple[str, float], ...] = ()
    """Every opponent, and the points against it alone."""
    seat: int | None = None
    """Where it sat in the first match; None where nothing was played."""
    matches: int = 1
    """How many there were against the same opponents; each has a point to win."""
    wins: int = 0
    """Matches won by playing."""
    draws: int = 0
    """Matches in which it shared the first place."""
    walkovers: int = 0
    """Matches won without playing, of a pairing that was begun: the opponent had gone."""

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.against)


Table = Mapping[str, Sequence[Encounter]]


def one_match(points: float, opponent: str, seat: int | None = None) -> Encounter:
    """A match of two that was played."""
    return Encounter(How.PLAYED, points, ((opponent, points),), seat, wins=points == WIN, draws=points == DRAW)


MISSED = Encounter(How.MISSED, LOSS)


def exact(points: float) -> float:
    """Free of what adding up thirds leaves behind, so that equals are equal."""
    return round(points, 6)


def score(encounters: Sequence[Encounter]) -> float:
    return exact(sum(encounter.points for encounter in encounters))


def ahead(mine: int, other: int) -> float:
    """Points of a rank against another."""
    return WIN if mine < other else DRAW if mine == other else LOSS
