"""How a match ended: played, forfeited or void.

A game that its players brought to an end was played. A game that a side lost by its own fault was forfeited. A match
that the infrastructure broke is void, and is never scored.
"""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct
from referee_values import ForfeitCause

from engines.api import Outcome, Seat, Table


class EndKind(Enum):
    PLAYED = "played"
    FORFEITED = "forfeited"
    VOID = "void"


class EndCause(Enum):
    """The cause of the end, grouped by kind."""

    RULES = "rules"
    RESIGNATION = "resignation"
    DRAW_AGREED = "draw_agreed"
    DRAW_CLAIMED = "draw_claimed"
    ADJUDICATION = "adjudication"

    FAULT = "fault"
    """The kind is FORFEITED; `forfeits` names the seats at fault."""

    NOT_STARTED = "not_started"
    ABORTED = "aborted"
    DECLARED = "declared"
    ENGINE_FAULT = "engine_fault"
    REFEREE_FAULT = "referee_fault"


FORFEIT_CAUSES: tuple[ForfeitCause, ...] = ("time", "illegal_move", "disconnected", "withdrawn")

VOID_CAUSES = (
    EndCause.NOT_STARTED,
    EndCause.ABORTED,
    EndCause.DECLARED,
    EndCause.ENGINE_FAULT,
    EndCause.REFEREE_FAULT,
)


class Forfeit(Struct, frozen=True, gc=False):
    """The fault of one seat."""

    seat: Seat
    cause: ForfeitCause
    ply: int


class Result(Struct, frozen=True, gc=False):
    """The result. Scores are those of the game if its rules ended it; otherwise they follow from the ranks."""

    kind: EndKind
    cause: EndCause
    reason: str = ""
    """The reason code of the game, or a sentence if there is none."""
    scores: tuple[float, ...] = ()
    ranks: tuple[int, ...] = ()
    side_scores: tuple[float, ...] = ()
    side_ranks: tuple[int, ...] = ()
    forfeits: tuple[Forfeit, ...] = ()

    def __str__(self) -> str:
        ranks = f", ranks {' '.join(map(str, self.ranks))}" if self.ranks else ""
        return f"{self.kind.value}, {self.cause.value}{f' ({self.reason})' if self.reason else ''}{ranks}"


def void_result(cause: EndCause, reason: str = "") -> Result:
    return Result(EndKind.VOID, cause, reason)


class InvalidOutcome(ValueError):
    """An outcome that does not fit the table, or that no log can hold: a fault of the engine."""


def result_by_rules(outcome: Outcome, table: Table) -> Result:
    """Return the result of a game that ended by its rules without dropouts. Raises InvalidOutcome."""
    if wrong := outcome.fault(table):
        raise InvalidOutcome(wrong)
    return Result(
        EndKind.PLAYED,
        EndCause.RULES,
        outcome.reason,
        outcome.scores,
        outcome.ranks(table),
        outcome.side_scores,
        outcome.side_ranks,
    )


def result_by_rank(
    table: Table,
    kind: EndKind,
    cause: EndCause,
    side_ranks: tuple[int, ...],
    reason: str = "",
    forfeits: tuple[Forfeit, ...] = (),
) -> Result:
    """Return a result that the rules did not decide: scores are computed from ranks by `share_of_points`."""
    side_scores = tuple(share_of_points(side_ranks, mine) for mine in side_ranks)
    side_of = {seat: side for side, seats in enumerate(table.sides) for seat in seats}
    seats = range(len(table.seats))
    return Result(
        kind,
        cause,
        reason,
        tuple(side_scores[side_of[seat]] for seat in seats),
        tuple(side_ranks[side_of[seat]] for seat in seats),
        side_scores,
        side_ranks,
        forfeits,
    )


def share_of_points(ranks: Sequence[int], mine: int) -> float:
    """Return the score of a rank: the fraction of the other sides that it beats, where a tie counts half."""
    return (sum(rank > mine for rank in ranks) + (ranks.count(mine) - 1) / 2) / (len(ranks) - 1)


def rank_sides(standing: tuple[float, ...], last: frozenset[int]) -> tuple[int, ...]:
    """Rank sides by their standing. Those in `last` are behind all others and tied with each other."""
    keys = [(side not in last, score if side not in last else 0.0) for side, score in enumerate(standing)]
    return tuple(1 + sum(key > mine for key in keys) for mine in keys)


class PlayerRating(Struct, frozen=True, gc=False):
    """Rating of a player at one moment, with its uncertainty."""

    value: float
    deviation: float
    matches: int
    """Number of matches rated so far."""
    provisional: bool = False
    """Whether the rating rests on too few matches to be ranked."""


class RatingChange(Struct, frozen=True, gc=False):
    """Effect of one match on the rating of one seat."""

    seat: Seat
    bot: str
    version: str
    before: PlayerRating
    after: PlayerRating
