"""Standings, and the cross table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.contests.tables.round_result import ResultKind, RoundResult, RoundResults, round_points, total_points
from referee.contests.tables.tiebreak import ResultTable, TieBreak, split_tied, tie_break_value


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One row of the standings."""

    rank: int
    """Rank from 1. Entrants that no tie-break separates share a rank."""
    entrant: str
    points: float
    tie_breaks: tuple[float, ...]
    """Values of the tie-breaks in the given order; higher is better."""
    wins: int
    draws: int
    losses: int
    byes: int


def compute_standings(table: ResultTable, tie_breaks: Sequence[TieBreak]) -> list[StandingsRow]:
    """Return a row for each entrant, best first. Entrants that share a rank keep their order."""
    points = {name: total_points(results) for name, results in table.results.items()}
    ranked = [[name for name in points if points[name] == best] for best in sorted(set(points.values()), reverse=True)]
    return rank_groups([group for tied in ranked for group in _split(table, tied, tie_breaks)], table, tie_breaks)


def rank_groups(
    groups: Sequence[Sequence[str]], table: ResultTable, tie_breaks: Sequence[TieBreak]
) -> list[StandingsRow]:
    """Return rows for groups that are ranked already, best first."""
    level: defaultdict[float, list[str]] = defaultdict(list)
    for name, results in table.results.items():
        level[total_points(results)].append(name)
    rows: list[StandingsRow] = []
    for group in groups:
        rank = len(rows) + 1
        rows += [_row(rank, name, table, tie_breaks, level) for name in group]
    return rows


def _split(table: ResultTable, tied: list[str], tie_breaks: Sequence[TieBreak]) -> list[list[str]]:
    if len(tied) == 1 or not tie_breaks:
        return [tied]
    first, *others = tie_breaks
    return [group for smaller in split_tied(first, table, tied) for group in _split(table, smaller, others)]


def _row(
    rank: int, name: str, table: ResultTable, tie_breaks: Sequence[TieBreak], level: Mapping[float, Sequence[str]]
) -> StandingsRow:
    """Return the row of an entrant. `level` contains the entrants by points."""
    results = table.results[name]
    points = total_points(results)
    tied = level[points]
    played = sum(
        it.matches for it in results if it.kind in {ResultKind.PLAYED, ResultKind.UNOPPOSED, ResultKind.ABSENT}
    )
    wins = sum(it.matches if it.kind is ResultKind.UNOPPOSED else it.wins + it.walkovers for it in results)
    draws = sum(it.draws for it in results)
    return StandingsRow(
        rank,
        name,
        points,
        tuple(tie_break_value(it, table, name, tied) for it in tie_breaks),
        wins,
        draws,
        played - wins - draws,
        sum(it.kind is ResultKind.BYE for it in results),
    )


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
