"""Results by round: what one entrant did in each round, as tables and tie-breaks use it.

All entrants have equally many results. A match that was started counts as played however it ended, also by a loss on
time. Byes, missed rounds, and pairings without a match because of a withdrawal are not played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


class ResultKind(Enum):
    """How a round was spent."""

    PLAYED = "played"
    BYE = "bye"
    """No opponent was left. Points of a win."""
    UNOPPOSED = "unopposed"
    """The opponent was absent. Points of a win."""
    ABSENT = "absent"
    """Absent for the opponent."""
    EXCUSED = "excused"
    """A requested bye with the points of a draw. Only in tournaments read from a file."""
    MISSED = "missed"
    """Not in the round: entered late, or had left."""

    @property
    def is_voluntary(self) -> bool:
        """Whether the entrant chose not to play (FIDE C.07, 16.1.2)."""
        return self in {ResultKind.ABSENT, ResultKind.EXCUSED, ResultKind.MISSED}


@dataclass(frozen=True, slots=True)
class RoundResult:
    """One entrant's result in one round."""

    kind: ResultKind
    points: float
    points_against: tuple[tuple[str, float], ...] = ()
    """Each opponent, and the points against it."""
    seat: int | None = None
    """Seat in the first match. None if nothing was played."""
    matches: int = 1
    """Number of matches against these opponents, each worth one point."""
    wins: int = 0
    """Matches won by playing."""
    draws: int = 0
    """Matches in which the first rank was shared."""
    walkovers: int = 0
    """Matches of a started pairing that were won without playing, because the opponent had left."""

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.points_against)


RoundResults = Mapping[str, Sequence[RoundResult]]


def played_result(points: float, opponent: str, seat: int | None = None) -> RoundResult:
    """Return the result of one match of two."""
    return RoundResult(ResultKind.PLAYED, points, ((opponent, points),), seat, wins=points == WIN, draws=points == DRAW)


MISSED = RoundResult(ResultKind.MISSED, LOSS)


def round_points(points: float) -> float:
    """Round away the error of adding thirds, so that equal scores compare equal."""
    return round(points, 6)


def total_points(results: Sequence[RoundResult]) -> float:
    """Return the sum of points."""
    return round_points(sum(result.points for result in results))


def points_for_rank(mine: int, other: int) -> float:
    """Return the points of a rank against another one."""
    return WIN if mine < other else DRAW if mine == other else LOSS
