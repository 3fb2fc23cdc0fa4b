"""The table: who stands where, and what parts those with equal points."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.contest.encounters import How, score
from referee.contest.tiebreak import Field, TieBreak, part, value


@dataclass(frozen=True, slots=True)
class Standing:
    """One row."""

    rank: int
    """From 1. Entrants whom nothing parts share one."""
    entrant: str
    points: float
    tie_breaks: tuple[float, ...]
    """In the order asked for; more is better."""
    wins: int
    draws: int
    losses: int
    byes: int


def standings(field: Field, tie_breaks: Sequence[TieBreak]) -> list[Standing]:
    """A row for each entrant, the best first; who shares a rank stands in the order of the table given."""
    points = {name: score(encounters) for name, encounters in field.table.items()}
    ranked = [[name for name in points if points[name] == best] for best in sorted(set(points.values()), reverse=True)]
    return in_order([group for tied in ranked for group in _parted(field, tied, tie_breaks)], field, tie_breaks)


def in_order(groups: Sequence[Sequence[str]], field: Field, tie_breaks: Sequence[TieBreak]) -> list[Standing]:
    """Rows for groups that have been ranked already, the best first."""
    level: defaultdict[float, list[str]] = defaultdict(list)
    for name, encounters in field.table.items():
        level[score(encounters)].append(name)
    rows: list[Standing] = []
    for group in groups:
        rank = len(rows) + 1
        rows += [_row(rank, name, field, tie_breaks, level) for name in group]
    return rows


def _parted(field: Field, tied: list[str], tie_breaks: Sequence[TieBreak]) -> list[list[str]]:
    if len(tied) == 1 or not tie_breaks:
        return [tied]
    first, *others = tie_breaks
    return [group for smaller in part(first, field, tied) for group in _parted(field, smaller, others)]


def _row(
    rank: int, name: str, field: Field, tie_breaks: Sequence[TieBreak], level: Mapping[float, Sequence[str]]
) -> Standing:
    """`level`: who has how many points."""
    encounters = field.table[name]
    mine = score(encounters)
    tied = level[mine]
    played = sum(it.matches for it in encounters if it.how in {How.PLAYED, How.UNOPPOSED, How.ABSENT})
    wins = sum(it.matches if it.how is How.UNOPPOSED else it.wins + it.walkovers for it in encounters)
    draws = sum(it.draws for it in encounters)
    return Standing(
        rank,
        name,
        mine,
        tuple(value(it, field, name, tied) for it in tie_breaks),
        wins,
        draws,
        played - wins - draws,
        sum(it.how is How.BYE for it in encounters),
    )
