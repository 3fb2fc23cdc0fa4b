"""Results by round: what one entrant did in each round, as tables and tie-breaks use it.

All entrants have equally many results. A match that was started counts as played however it ended, also by a loss on
time. Byes, missed rounds, and pairings without a match because of a withdrawal are not played. The cross table sums up
the points against each opponent.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum

from msgspec import Struct

WIN, DRAW, LOSS = 1.0, 0.5, 0.0
TEAM_WIN, TEAM_DRAW = 2.0, 1.0
"""Match points of a team."""


class ResultKind(Enum):
    """How a round was spent."""

    PLAYED = "played"
    BYE = "bye"
    """No opponent was left. Points of a win."""
    UNOPPOSED = "unopposed"
    """The opponent was absent. Points of a win."""
    ABSENT = "absent"
    """Absent for the opponent."""
    MISSED = "missed"
    """Not in the round: entered late, had left, or has a requested bye, perhaps for half a point."""

    @property
    def is_voluntary(self) -> bool:
        """Whether the entrant chose not to play (FIDE C.07, 16.1.2)."""
        return self in {ResultKind.ABSENT, ResultKind.MISSED}


class RoundResult(Struct, frozen=True, gc=False):
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
    """Matches that were won without playing in a pairing of teams, or in one that was left after it had started."""
    board_points: float = 0.0
    """Points of a team on its boards. `points` are its match points then, and `points_against` its board points."""

    @property
    def opponents(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.points_against)


RoundResults = Mapping[str, Sequence[RoundResult]]


MISSED = RoundResult(ResultKind.MISSED, LOSS)


def half_point_bye(matches: int, boards: int) -> RoundResult:
    """Return the result of a requested bye for half a point: the points of a draw in each match, or of teams, once."""
    if boards:
        return RoundResult(ResultKind.MISSED, TEAM_DRAW, board_points=boards * DRAW)
    return RoundResult(ResultKind.MISSED, matches * DRAW)


def round_points(points: float) -> float:
    """Round away the error of adding thirds, so that equal scores compare equal."""
    return round(points, 6)


def total_points(results: Sequence[RoundResult]) -> float:
    """Return the sum of points."""
    return round_points(sum(result.points for result in results))


def points_for_rank(mine: int, other: int) -> float:
    """Return the points of a rank against another one."""
    return WIN if mine < other else DRAW if mine == other else LOSS


PointsCell = float | None
"""Points against one opponent. None if they have not met."""

PAIRED_KINDS = {ResultKind.PLAYED, ResultKind.UNOPPOSED, ResultKind.ABSENT}


def build_cross_table(table: RoundResults, order: Sequence[str]) -> list[list[PointsCell]]:
    """Return a row and a column for each entrant of `order`."""
    rows = [_points_by_opponent(table[name]) for name in order]
    return [[row.get(other) for other in order] for row in rows]


def _points_by_opponent(results: Sequence[RoundResult]) -> dict[str, float]:
    """Return the points of one entrant against each opponent."""
    by_opponent: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        if result.kind in PAIRED_KINDS:
            for opponent, points in result.points_against:
                by_opponent[opponent].append(points)
    return {opponent: round_points(sum(points)) for opponent, points in by_opponent.items()}
