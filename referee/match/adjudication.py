"""Ends that the terms of a match order: after a number of plies, or when the scores that all bots report agree.

No bot can gain by a false score. A game is lost only if the loser itself reports that it is losing, and drawn only if
all sides report that it is level.
"""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from engines.api import Table
from referee.match.match_errors import BadSetup

Score = int | UnsetType
"""What a bot expects for its own side, in hundredths of a point of its game; UNSET: it did not say."""

MAX_PLIES = 1_000_000
MAX_SCORE = 1_000_000
MAX_MOVES = 1_000

STOPPED = "max_plies"
LOST = "resign_score"
LEVEL = "draw_score"
ADJUDICATION_REASONS = frozenset({STOPPED, LOST, LEVEL})
"""Reasons of results that follow from the terms. A person who sets a result gives another one."""


class Adjudication(Struct, frozen=True, gc=False):
    """When a match ends although its game is not over. 0 plies or moves: never for that reason."""

    max_plies: int = 0
    """The match ends after so many plies."""
    resign_score: int = 0
    resign_moves: int = 0
    """A side loses if its scores in as many moves in a row were at most -`resign_score`, and those of the other side
    at least `resign_score`."""
    draw_score: int = 0
    draw_moves: int = 0
    """The match is drawn if the scores of all seats in as many moves in a row were from -`draw_score` to `draw_score`,
    """
    draw_after_ply: int = 0
    """and at least so many plies have been played."""

    def __post_init__(self) -> None:
        for field, most in LIMITS.items():
            if not 0 <= getattr(self, field) <= most:
                raise BadSetup(f"adjudication.{field}", f"must be from 0 to {most}")
        if bool(self.resign_score) != bool(self.resign_moves):
            raise BadSetup("adjudication", "must have both resign_score and resign_moves, or neither")
        if (self.draw_score or self.draw_after_ply) and not self.draw_moves:
            raise BadSetup("adjudication.draw_moves", "must be at least 1 with draw_score or draw_after_ply")

    @property
    def uses_scores(self) -> bool:
        return bool(self.resign_moves or self.draw_moves)

    def check(self, table: Table) -> None:
        """Raises BadSetup if the game has no two sides whose scores could agree."""
        if self.uses_scores and len(table.sides) != 2:
            raise BadSetup("adjudication", "can use the scores of bots only in a game of two sides")


LIMITS = {
    "max_plies": MAX_PLIES,
    "resign_score": MAX_SCORE,
    "resign_moves": MAX_MOVES,
    "draw_score": MAX_SCORE,
    "draw_moves": MAX_MOVES,
    "draw_after_ply": MAX_PLIES,
}


class ScoreRuns(Struct, frozen=True, gc=False):
    """In how many of its last moves in a row a seat reported that it is losing, winning and level."""

    losing: int = 0
    winning: int = 0
    level: int = 0

    def after(self, score: Score, terms: Adjudication) -> "ScoreRuns":
        """Return the runs after a move with that score. A move without a score ends all of them."""
        if score is UNSET:
            return NO_RUNS
        return ScoreRuns(
            self.losing + 1 if score <= -terms.resign_score else 0,
            self.winning + 1 if score >= terms.resign_score else 0,
            self.level + 1 if -terms.draw_score <= score <= terms.draw_score else 0,
        )


NO_RUNS = ScoreRuns()


def standing_by_scores(
    terms: Adjudication, runs: Sequence[ScoreRuns], table: Table, ply: int
) -> tuple[tuple[float, ...], str] | None:
    """Return the standing of the two sides on which the scores of all seats agree, with the reason; None: they do not.

    `runs` has one for each seat.
    """
    if terms.resign_moves:
        for loser in (0, 1):
            lost, won = ([runs[seat] for seat in table.sides[side]] for side in (loser, 1 - loser))
            if _all_reach([run.losing for run in lost] + [run.winning for run in won], terms.resign_moves):
                return ((0.0, 1.0) if loser == 0 else (1.0, 0.0)), LOST
    if terms.draw_moves and ply >= terms.draw_after_ply and _all_reach([run.level for run in runs], terms.draw_moves):
        return (0.0, 0.0), LEVEL
    return None


def _all_reach(counts: Sequence[int], moves: int) -> bool:
    return min(counts) >= moves
