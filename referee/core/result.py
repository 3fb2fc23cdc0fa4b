"""How a match ended: played, forfeited or void.

A game that its players brought to an end was played. A game that a side lost by its own fault was
forfeited. A match that the infrastructure broke is void, and is never scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from engines.api import Outcome, Seat, Table


class Kind(Enum):
    PLAYED = "played"
    FORFEITED = "forfeited"
    VOID = "void"


class Cause(Enum):
    """What brought the end, by kind."""

    RULES = "rules"
    RESIGNATION = "resignation"
    DRAW_AGREED = "draw_agreed"
    DRAW_CLAIMED = "draw_claimed"
    ADJUDICATION = "adjudication"

    FAULT = "fault"
    """The kind is FORFEITED, and `forfeits` says whose fault it was."""

    NOT_STARTED = "not_started"
    ABORTED = "aborted"
    DECLARED = "declared"
    ENGINE_FAULT = "engine_fault"
    REFEREE_FAULT = "referee_fault"


class Fault(Enum):
    """What costs a bot a game."""

    TIME = "time"
    ILLEGAL_MOVE = "illegal_move"
    GONE = "gone"


VOID_CAUSES = (Cause.NOT_STARTED, Cause.ABORTED, Cause.DECLARED, Cause.ENGINE_FAULT, Cause.REFEREE_FAULT)


@dataclass(frozen=True, slots=True)
class Forfeit:
    """One seat's fault."""

    seat: Seat
    fault: Fault
    ply: int


@dataclass(frozen=True, slots=True)
class Result:
    """Scores are the game's own where its rules ended it; elsewhere they follow from the ranks."""

    kind: Kind
    cause: Cause
    reason: str = ""
    """The game's own word, or a sentence for a person where there is none."""
    scores: tuple[float, ...] = ()
    ranks: tuple[int, ...] = ()
    side_scores: tuple[float, ...] = ()
    side_ranks: tuple[int, ...] = ()
    forfeits: tuple[Forfeit, ...] = ()

    def __str__(self) -> str:
        ranks = f", ranks {' '.join(map(str, self.ranks))}" if self.ranks else ""
        return f"{self.kind.value}, {self.cause.value}{f' ({self.reason})' if self.reason else ''}{ranks}"


def void(cause: Cause, reason: str = "") -> Result:
    return Result(Kind.VOID, cause, reason)


def by_rules(outcome: Outcome, table: Table) -> Result:
    """The rules ended the game, and nobody had dropped out."""
    return Result(
        Kind.PLAYED,
        Cause.RULES,
        outcome.reason,
        outcome.scores,
        outcome.ranks(table),
        outcome.side_scores,
        outcome.side_ranks,
    )


def by_rank(
    table: Table,
    kind: Kind,
    cause: Cause,
    side_ranks: tuple[int, ...],
    reason: str = "",
    forfeits: tuple[Forfeit, ...] = (),
) -> Result:
    """An end that the rules did not bring: a side scores its `share`."""
    side_scores = tuple(share(side_ranks, mine) for mine in side_ranks)
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


def share(ranks: Sequence[int], mine: int) -> float:
    """What a side of that rank scores: the part of the other sides that it is ahead of; who is level counts half."""
    return (sum(rank > mine for rank in ranks) + (ranks.count(mine) - 1) / 2) / (len(ranks) - 1)


def ranked(standing: tuple[float, ...], last: frozenset[int]) -> tuple[int, ...]:
    """Sides by their standing, those of `last` behind all others and level with each other."""
    keys = [(side not in last, score if side not in last else 0.0) for side, score in enumerate(standing)]
    return tuple(1 + sum(key > mine for key in keys) for mine in keys)
