"""Equals meet equals as far as they can: nobody floats down who need not, and colours clash as little as can be.

The Dutch system pairs score group by score group from the top; who is left over floats down to the next one. What is
best there (C.04.3, C.4 to C.8, C.12 and C.13) is found here by trying everything that is allowed: who met may not meet
again, who had a bye may have none, two who must have the same colour do not meet, and the bye goes as far down as it
can. Topscorers of the last round have rules of their own, and are not tried here.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.contest.encounters import Encounter, How, Table, score
from referee.contest.swiss import swiss_round
from tests.contest.swisses import rounds_by_lot, table

Pair = frozenset[str]
"""Of one alone: a bye."""


def wish(encounters: Sequence[Encounter]) -> tuple[int | None, int]:
    """The seat that somebody should have, and how strongly: 3, it must; 2, it had the other more often; 1; 0."""
    seats = [it.seat for it in encounters if it.seat is not None]
    if not seats:
        return None, 0
    surplus = seats.count(0) - seats.count(1)
    if abs(surplus) > 1:
        return int(surplus > 0), 3
    if seats[-2:-1] == seats[-1:]:
        return 1 - seats[-1], 3
    return (int(surplus > 0), 2) if surplus else (1 - seats[-1], 1)


def may_meet(told: Table, one: str, other: str) -> bool:
    met = any(other in it.opponents for it in told[one])
    (wanted, strength), (others, other_strength) = wish(told[one]), wish(told[other])
    return not met and (wanted != others or min(strength, other_strength) < 3)


def may_rest(told: Table, name: str) -> bool:
    return all(it.how is not How.BYE for it in told[name])


def every_pairing(told: Table, names: Sequence[str], byes: int) -> Iterator[frozenset[Pair]]:
    """All that is allowed, with so many byes."""
    if not names:
        yield frozenset()
        return
    first, *rest = names
    for other in rest:
        if may_meet(told, first, other):
            left = [name for name in rest if name != other]
            for pairing in every_pairing(told, left, byes):
                yield pairing | {frozenset({first, other})}
    if byes and may_rest(told, first):
        for pairing in every_pairing(told, rest, byes - 1):
            yield pairing | {frozenset({first})}


def rests(told: Table, pairing: Collection[Pair]) -> float:
    """The points of who has the bye."""
    return sum(score(told[name]) for pair in pairing if len(pair) == 1 for name in pair)


def within(told: Table, pairing: Collection[Pair], points: float) -> set[Pair]:
    """Pairs whose both have at least so many points."""
    return {pair for pair in pairing if len(pair) == 2 and min(score(told[name]) for name in pair) >= points}


@dataclass(frozen=True)
class Bracket:
    """A score group, and who floated down to it."""

    pairs: list[list[Sequence[Encounter]]]
    floats: list[float]
    """Points of those who are left over."""
    points: float
    """Of the group."""

    @property
    def differences(self) -> list[float]:
        """How far apart all are who meet, the farthest first; who is left over meets somebody below the group."""
        apart = [abs(score(one) - score(other)) for one, other in self.pairs]
        return sorted([*apart, *(points - (self.points - 1) for points in self.floats)], reverse=True)

    def clashes(self, strength: int) -> int:
        """How often two meet who both wish for the same colour, at least so strongly."""
        both = [(wish(one), wish(other)) for one, other in self.pairs]
        return sum(mine[0] == its[0] and min(mine[1], its[1]) >= strength for mine, its in both)


def bracket(told: Table, pairing: Collection[Pair], points: float) -> Bracket:
    pairs = within(told, pairing, points)
    paired = frozenset[str]().union(*pairs)
    floats = [score(told[name]) for name in told if score(told[name]) >= points and name not in paired]
    lowest = [pair for pair in pairs if min(score(told[name]) for name in pair) == points]
    return Bracket([[told[name] for name in pair] for pair in lowest], floats, points)


def badness(told: Table, pairing: Collection[Pair], groups: Sequence[float]) -> list[Any]:
    """Of the first of these groups: the less, the better."""
    one, *below = [bracket(told, pairing, points) for points in groups[:2]]
    floats = [measure for it in (one, *below) for measure in (len(it.floats), it.differences)]
    return [*floats, one.clashes(1), one.clashes(2)]


def best(told: Table, found: frozenset[Pair]) -> bool:
    """In every group, from the top, of all that are possible with what was found above it."""
    possible = list(every_pairing(told, list(told), len(told) % 2))
    lowest = min(rests(told, it) for it in possible)
    possible = [it for it in possible if rests(told, it) == lowest]
    groups = sorted({score(encounters) for encounters in told.values()}, reverse=True)
    for number, points in enumerate(groups):
        least = min(badness(told, it, groups[number:]) for it in possible)
        if found not in possible or badness(told, found, groups[number:]) != least:
            return False
        possible = [it for it in possible if within(told, it, points) == within(told, found, points)]
    return True


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 8), st.integers(2, 4), st.binary(min_size=1, max_size=4))
def test_in_every_score_group_as_few_as_possible_float_as_short_as_possible(
    many: int, rounds: int, seed: bytes
) -> None:
    # One more is planned than can be played: none of them is the last.
    for told, pairings in rounds_by_lot(many, rounds, seed, planned=many + 1):
        assert best(told, frozenset(frozenset(it.entrants) for it in pairings))


def test_of_two_who_float_that_one_is_paired_whose_colour_does_not_clash() -> None:
    """6 and 7 float, and one of them must go on to 4. 6 and 5 both wish for the first move, 7 does not."""
    before = table(
        "12345678",
        ["1-5 1", "6-2 1", "3-7 0", "8-4 1"],
        ["7-1 0", "2-4 1", "5-3 0", "8-6 0"],
        ["1-6 1", "7-2 1", "3-8 1", "4-5 0"],
    )
    found = frozenset(frozenset(it.entrants) for it in swiss_round(before, "12345678", 4))
    assert found == {frozenset(pair) for pair in ("13", "75", "64", "28")}
    assert best(before, found)
    assert not best(before, frozenset(map(frozenset, ("13", "65", "74", "28"))))
