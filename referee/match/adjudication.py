"""Ends that the terms of a match order: after a number of plies, or when the scores that all bots report agree.

No bot can gain by a false score. A game is lost only if the loser itself reports that it is losing, and drawn only if
all sides report that it is level.
"""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType
from referee_values import Adjudication

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


LIMITS = {
    "max_plies": MAX_PLIES,
    "resign_score": MAX_SCORE,
    "resign_moves": MAX_MOVES,
    "draw_score": MAX_SCORE,
    "draw_moves": MAX_MOVES,
    "draw_after_ply": MAX_PLIES,
}


def uses_scores(terms: Adjudication) -> bool:
    return bool(terms.resign_moves or terms.draw_moves)


def check_adjudication(terms: Adjudication) -> None:
    """Raises BadSetup."""
    for field, most in LIMITS.items():
        if not 0 <= getattr(terms, field) <= most:
            raise BadSetup(f"adjudication.{field}", f"must be from 0 to {most}")
    if bool(terms.resign_score) != bool(terms.resign_moves):
        raise BadSetup("adjudication", "must have both resign_score and resign_moves, or neither")
    if (terms.draw_score or terms.draw_after_ply) and not terms.draw_moves:
        raise BadSetup("adjudication.draw_moves", "must be at least 1 with draw_score or draw_after_ply")


def check_sides(terms: Adjudication, table: Table) -> None:
    """Raises BadSetup if the game has no two sides whose scores could agree."""
    if uses_scores(terms) and len(table.sides) != 2:
        raise BadSetup("adjudication", "can use the scores of bots only in a game of two sides")


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
