"""Score groups in the Dutch system: as few floaters and colour clashes as possible, compared with exhaustive search.

The Dutch system pairs score groups from the top; those left over float down to the next one. The best pairing (C.04.3,
C.4 to C.8, C.12 and C.13) is found here by trying all that are allowed: no rematch, no second bye, no two players who
must have the same colour, and the bye as low as possible. Topscorers of the last round have rules of their own, and
are not covered.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contests.systems.swiss import pair_swiss_round
from referee.contests.tables.round_result import ResultKind, RoundResult, RoundResults, total_points
from tests.contests.swiss_rounds import random_rounds, table

Pair = frozenset[str]
"""Two entrants, or a single one that has a bye."""


def colour_preference(encounters: Sequence[RoundResult]) -> tuple[int | None, int]:
    """Return the preferred seat, and the strength of the preference from 0 to 3 (absolute)."""
    seats = [encounter.seat for encounter in encounters if encounter.seat is not None]
    if not seats:
        return None, 0
    surplus = seats.count(0) - seats.count(1)
    if abs(surplus) > 1:
        return int(surplus > 0), 3
    if seats[-2:-1] == seats[-1:]:
        return 1 - seats[-1], 3
    return (int(surplus > 0), 2) if surplus else (1 - seats[-1], 1)


def may_meet(results: RoundResults, name: str, other: str) -> bool:
    met = any(other in encounter.opponents for encounter in results[name])
    (wanted, strength), (others, other_strength) = colour_preference(results[name]), colour_preference(results[other])
    return not met and (wanted != others or min(strength, other_strength) < 3)


def may_get_bye(results: RoundResults, name: str) -> bool:
    return all(encounter.kind is not ResultKind.BYE for encounter in results[name])


def every_pairing(results: RoundResults, names: Sequence[str], byes: int) -> Iterator[frozenset[Pair]]:
    """Yield all allowed pairings with that number of byes."""
    if not names:
        yield frozenset()
        return
    first, *rest = names
    for other in rest:
        if may_meet(results, first, other):
            left = [name for name in rest if name != other]
            for pairing in every_pairing(results, left, byes):
                yield pairing | {frozenset({first, other})}
    if byes and may_get_bye(results, first):
        for pairing in every_pairing(results, rest, byes - 1):
            yield pairing | {frozenset({first})}


def bye_points(results: RoundResults, pairing: Collection[Pair]) -> float:
    """Return the points of the entrant with the bye."""
    return sum(total_points(results[name]) for pair in pairing if len(pair) == 1 for name in pair)


def pairs_from(results: RoundResults, pairing: Collection[Pair], points: float) -> set[Pair]:
    """Return the pairs in which both have at least this number of points."""
    return {pair for pair in pairing if len(pair) == 2 and min(total_points(results[name]) for name in pair) >= points}


@dataclass(frozen=True)
class Bracket:
    """A score group, with the entrants that floated down to it."""

    pairs: list[list[Sequence[RoundResult]]]
    floats: list[float]
    """Points of the entrants that are left over."""
    points: float
    """Points of the group."""

    @property
    def differences(self) -> list[float]:
        """Point differences within pairs, largest first; one left over counts as paired one point below the group."""
        apart = [abs(total_points(encounters) - total_points(other)) for encounters, other in self.pairs]
        return sorted([*apart, *(points - (self.points - 1) for points in self.floats)], reverse=True)

    def clashes(self, strength: int) -> int:
        """Return the number of pairs in which both prefer the same colour, at least with this strength."""
        both = [(colour_preference(encounters), colour_preference(other)) for encounters, other in self.pairs]
        return sum(mine[0] == its[0] and min(mine[1], its[1]) >= strength for mine, its in both)


def bracket(results: RoundResults, pairing: Collection[Pair], points: float) -> Bracket:
    pairs = pairs_from(results, pairing, points)
    paired = frozenset[str]().union(*pairs)
    floats = [
        total_points(results[name]) for name in results if total_points(results[name]) >= points and name not in paired
    ]
    lowest = [pair for pair in pairs if min(total_points(results[name]) for name in pair) == points]
    return Bracket([[results[name] for name in pair] for pair in lowest], floats, points)


def violations(results: RoundResults, pairing: Collection[Pair], groups: Sequence[float]) -> list[Any]:
    """Return the quality criteria of the first of these groups; less is better."""
    top, *below = [bracket(results, pairing, points) for points in groups[:2]]
    floats = [measure for group in (top, *below) for measure in (len(group.floats), group.differences)]
    return [*floats, top.clashes(1), top.clashes(2)]


def is_best(results: RoundResults, found: frozenset[Pair]) -> bool:
    """Return whether each group, from the top, is the best that is possible after what was found above it."""
    possible = list(every_pairing(results, list(results), len(results) % 2))
    lowest = min(bye_points(results, way) for way in possible)
    possible = [way for way in possible if bye_points(results, way) == lowest]
    groups = sorted({total_points(encounters) for encounters in results.values()}, reverse=True)
    for number, points in enumerate(groups):
        least = min(violations(results, way, groups[number:]) for way in possible)
        if found not in possible or violations(results, found, groups[number:]) != least:
            return False
        possible = [way for way in possible if pairs_from(results, way, points) == pairs_from(results, found, points)]
    return True


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 8), st.integers(2, 4), st.binary(min_size=1, max_size=4))
def test_in_every_score_group_as_few_as_possible_float_as_short_as_possible(
    many: int, rounds: int, seed: bytes
) -> None:
    # One round more is planned than can be played, so none of them is the last.
    for results, pairings in random_rounds(many, rounds, seed, planned=many + 1):
        assert is_best(results, frozenset(frozenset(pairing.entrants) for pairing in pairings))


def test_of_two_floaters_the_one_without_a_colour_clash_is_paired() -> None:
    """6 and 7 float, and one of them must float on to 4. 6 and 5 both prefer the first move, 7 does not."""
    before = table(
        "12345678",
        ["1-5 1", "6-2 1", "3-7 0", "8-4 1"],
        ["7-1 0", "2-4 1", "5-3 0", "8-6 0"],
        ["1-6 1", "7-2 1", "3-8 1", "4-5 0"],
    )
    found = frozenset(frozenset(pairing.entrants) for pairing in pair_swiss_round(before, "12345678", 4))
    assert found == {frozenset(pair) for pair in ("13", "75", "64", "28")}
    assert is_best(before, found)
    assert not is_best(before, frozenset(map(frozenset, ("13", "65", "74", "28"))))
