"""Tie-breaks, as defined by FIDE's C.07, in force since 1 March 2026, and the standings that they give.

Unplayed rounds follow article 16. For opponents, a round off at the end counts as a draw. For the entrant itself, an
unplayed round is a game against a dummy with the entrant's own points, but at most half a point a round, or the points
of the absent opponent. If everybody meets everybody (15.2), such a pairing counts as played.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct
from referee_values import TieBreak

from referee.contests.tables.round_result import (
    DRAW,
    PAIRED_KINDS,
    ResultKind,
    RoundResult,
    RoundResults,
    round_points,
    total_points,
)


class TieBreakOpponent(Struct, frozen=True, gc=False):
    """One opponent, as tie-breaks of an entrant see it."""

    score: float
    points: float
    """Points of the entrant against it."""
    voluntary: bool = False
    """Whether the entrant chose not to play the round."""


class ResultTable(Struct, frozen=True, gc=False):
    """Results by round, and whether all pairings were predetermined."""

    results: RoundResults
    predetermined: bool = False
    draw: float = DRAW
    """Points of a draw."""

    def opponents_of(self, name: str) -> list[TieBreakOpponent]:
        """Return the opponents of an entrant by round, with a dummy for each unplayed round."""
        return [met for result in self.results[name] for met in self._met(name, result)]

    def _met(self, name: str, result: RoundResult) -> list[TieBreakOpponent]:
        if result.kind is ResultKind.PLAYED or self.predetermined:
            return [TieBreakOpponent(self._adjusted(other), points) for other, points in result.points_against]
        scored = result.board_points or result.points  # A team without board points has no match points either.
        return [TieBreakOpponent(self._dummy(name, result), scored, result.kind.is_voluntary)]

    def _adjusted(self, name: str) -> float:
        """Return an entrant's score for its opponents (16.3)."""
        results = self.results[name]
        if self.predetermined:
            return total_points(results)
        return round_points(
            sum(self.draw if gone else each.points for each, gone in zip(results, _given_away(results), strict=True))
        )

    def _dummy(self, name: str, result: RoundResult) -> float:
        """Return the score of the dummy (16.4), with the limits of 2026."""
        if result.points_against:
            most = max(self._adjusted(other) for other in result.opponents)
        else:
            most = self.draw * len(self.results[name])
        return min(total_points(self.results[name]), most)


def buchholz(table: ResultTable, name: str) -> float:
    """8.1: the sum of the opponents' scores."""
    return round_points(sum(opponent.score for opponent in table.opponents_of(name)))


def buchholz_cut_1(table: ResultTable, name: str) -> float:
    """14.1: without the lowest score."""
    return round_points(sum(_cut_lowest(table, name)))


def median_buchholz(table: ResultTable, name: str) -> float:
    """14.3: without the lowest and the highest score."""
    return round_points(sum(_cut_lowest(table, name)[:-1]))


def _cut_lowest(table: ResultTable, name: str) -> list[float]:
    """Return the opponents' scores but the lowest, ascending. Rounds not played by choice are cut first (16.5)."""
    left = sorted(table.opponents_of(name), key=lambda opponent: opponent.score)
    if left:
        left.remove(next((opponent for opponent in left if opponent.voluntary), left[0]))
    return [opponent.score for opponent in left]


def sonneborn_berger(table: ResultTable, name: str) -> float:
    """9.1: the sum of each opponent's score times the points against it."""
    return round_points(sum(opponent.score * opponent.points for opponent in table.opponents_of(name)))


def koya(table: ResultTable, name: str) -> float:
    """9.2: the points against opponents with at least half of the points that they could score; 15.2 applies."""
    return round_points(
        sum(
            points
            for result in table.results[name]
            for other, points in result.points_against
            if 2 * total_points(table.results[other])
            >= sum(theirs.matches for theirs in table.results[other] if theirs.opponents)
        )
    )


def wins(table: ResultTable, name: str) -> float:
    """7.2: matches won by playing."""
    return sum(result.wins for result in table.results[name])


def progressive(table: ResultTable, name: str) -> float:
    """7.5: the sum of the scores after each round."""
    return round_points(sum(accumulate(result.points for result in table.results[name])))


def board_points(table: ResultTable, name: str) -> float:
    """The points of a team on all its boards, which FIDE calls game points."""
    return round_points(sum(result.board_points for result in table.results[name]))


def direct_encounter(table: ResultTable, name: str, tied: Sequence[str]) -> float:
    """6.1: points against the tied entrants, averaged over the matches of two."""
    return round_points(sum(_average_against(table, name, other) or 0.0 for other in tied if other != name))


ENTRANT_TIE_BREAKS: dict[TieBreak, Callable[[ResultTable, str], float]] = {
    "buchholz": buchholz,
    "buchholz_cut_1": buchholz_cut_1,
    "median_buchholz": median_buchholz,
    "sonneborn_berger": sonneborn_berger,
    "wins": wins,
    "progressive": progressive,
    "board_points": board_points,
    "koya": koya,
}


def tie_break_value(tie_break: TieBreak, table: ResultTable, name: str, tied: Sequence[str]) -> float:
    """Return the number shown in a table. `tied` are all entrants with the same points, this one included."""
    if tie_break == "direct_encounter":
        return direct_encounter(table, name, tied)
    return ENTRANT_TIE_BREAKS[tie_break](table, name)


def split_tied(tie_break: TieBreak, table: ResultTable, tied: Sequence[str]) -> list[list[str]]:
    """Return the tied entrants in groups, best first. Entrants in the same group are still tied."""
    if tie_break == "direct_encounter":
        return _split_by_encounter(table, tied)
    tie_break_of = ENTRANT_TIE_BREAKS[tie_break]
    return _grouped(tied, {name: tie_break_of(table, name) for name in tied})


def _split_by_encounter(table: ResultTable, tied: Sequence[str]) -> list[list[str]]:
    sums = {name: direct_encounter(table, name, tied) for name in tied}
    missing = {
        name: sum(_average_against(table, name, other) is None for other in tied if other != name) for name in tied
    }
    if any(missing.values()):
        return _split_certain(table, tied, sums, missing)
    groups = _grouped(tied, sums)
    if len(groups) == 1:
        return groups
    return [smaller for group in groups for smaller in _split_by_encounter(table, group)]


def _split_certain(
    table: ResultTable, tied: Sequence[str], sums: dict[str, float], missing: dict[str, int]
) -> list[list[str]]:
    """6.3: rank first an entrant that would be alone on top whatever the results of unplayed games."""
    top = max(tied, key=lambda name: sums[name])
    rest = [name for name in tied if name != top]
    if not rest or any(sums[name] + missing[name] >= sums[top] for name in rest):
        return [list(tied)]
    return [[top], *_split_by_encounter(table, rest)]


def _average_against(table: ResultTable, name: str, other: str) -> float | None:
    """Return the average points in a match of these two. None if they have played none."""
    matches = [
        (points, result.matches)
        for result in table.results[name]
        if result.kind is ResultKind.PLAYED or table.predetermined
        for opponent, points in result.points_against
        if opponent == other
    ]
    return sum(points for points, _ in matches) / sum(count for _, count in matches) if matches else None


def _grouped(tied: Sequence[str], values: dict[str, float]) -> list[list[str]]:
    return [[name for name in tied if values[name] == best] for best in sorted(set(values.values()), reverse=True)]


def _given_away(results: Sequence[RoundResult]) -> list[bool]:
    """Return for each round whether it was given away and no later one was played (16.2.5)."""
    last_there = max((number for number, result in enumerate(results) if not result.kind.is_voluntary), default=-1)
    return [number > last_there and result.kind is ResultKind.MISSED for number, result in enumerate(results)]


class StandingsRow(Struct, frozen=True, gc=False):
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
    ranked = _grouped(list(points), points)
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
    played = sum(each.matches for each in results if each.kind in PAIRED_KINDS)
    wins = sum(
        each.matches if each.kind is ResultKind.UNOPPOSED and not each.walkovers else each.wins + each.walkovers
        for each in results
    )
    draws = sum(each.draws for each in results)
    return StandingsRow(
        rank,
        name,
        points,
        tuple(tie_break_value(tie_break, table, name, tied) for tie_break in tie_breaks),
        wins,
        draws,
        played - wins - draws,
        sum(each.kind is ResultKind.BYE for each in results),
    )
