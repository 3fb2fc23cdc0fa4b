from collections import Counter
from dataclasses import dataclass, field
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.chance import Chance
from referee.contest.ladder import Climber, Habits, Wishes, information, next_matches

ELO = Wishes().spread

climbers = st.lists(
    st.builds(
        Climber,
        st.text("abcdefgh", min_size=1, max_size=3),
        st.floats(500, 2500),
        st.floats(20, 350),
        st.integers(0, 3),
        waited=st.integers(0, 50),
        provisional=st.booleans(),
    ),
    max_size=20,
    unique_by=lambda it: it.name,
)


@given(climbers, st.integers(2, 4), st.integers(0, 6))
def test_everybody_has_one_match_at_most_and_only_if_there_is_room(
    there: list[Climber], at_a_table: int, most: int
) -> None:
    found = next_matches(there, Habits(), Wishes(at_a_table), most)
    with_room = {it.name for it in there if it.room}
    names = [name for table in found for name in table]
    assert len(names) == len(set(names))
    assert set(names) <= with_room
    assert len(found) == min(most, len(with_room) // at_a_table)


@given(climbers)
def test_who_comes_in_which_order_does_not_matter(there: list[Climber]) -> None:
    assert next_matches(there, Habits(), Wishes(), 9) == next_matches(there[::-1], Habits(), Wishes(), 9)


def test_the_match_that_tells_most_is_between_equals_of_whom_little_is_known() -> None:
    sure, unsure, far = Climber("a", 1500, 50, 1), Climber("b", 1500, 200, 1), Climber("c", 2500, 200, 1)
    assert information(sure, unsure, ELO) > information(sure, sure, ELO)
    assert information(sure, unsure, ELO) > information(sure, far, ELO)


def test_provisional_bots_are_served_first_and_then_who_waited_longest() -> None:
    there = [
        Climber("old", 1500, 60, 1),
        Climber("waiting", 1500, 60, 1, waited=9),
        Climber("new", 1500, 60, 1, provisional=True),
        Climber("other", 1500, 60, 1),
    ]
    assert set(next_matches(there[:3], Habits(), Wishes(), 1)[0]) >= {"new"}
    assert set(next_matches([there[0], there[1], there[3]], Habits(), Wishes(), 1)[0]) >= {"waiting"}


def test_nobody_meets_the_same_one_again_before_others() -> None:
    there = [Climber(name, 1500, 60, 1) for name in "abcd"]
    habits = Habits(recent={"a": ["b"], "b": ["a"]})
    assert all(set(table) != {"a", "b"} for table in next_matches(there, habits, Wishes(), 2))


def test_where_there_is_nobody_else_they_meet_again() -> None:
    there = [Climber(name, 1500, 60, 1) for name in "ab"]
    assert len(next_matches(there, Habits(recent={"a": ["b"], "b": ["a"]}), Wishes(), 1)) == 1


def test_seats_are_balanced() -> None:
    there = [Climber(name, 1500, 60, 1) for name in "ab"]
    assert next_matches(there, Habits(sat={("a", 0): 3, ("b", 1): 3}), Wishes(), 1) == [("b", "a")]


@dataclass
class Ladder:
    """Bots of known strength, rated by a filter on one number each, with results by lot."""

    strengths: dict[str, float]
    chance: Chance
    ratings: dict[str, float] = field(init=False)
    unsure: dict[str, float] = field(init=False)
    recent: dict[str, list[str]] = field(init=False)
    sat: Counter[tuple[str, int]] = field(default_factory=Counter)
    last: dict[str, int] = field(init=False)
    played: int = 0

    def __post_init__(self) -> None:
        self.ratings = dict.fromkeys(self.strengths, 1500.0)
        self.unsure = dict.fromkeys(self.strengths, 350.0)
        self.recent = {name: [] for name in self.strengths}
        self.last = dict.fromkeys(self.strengths, 0)

    def climbers(self) -> list[Climber]:
        return [
            Climber(name, self.ratings[name], self.unsure[name], 1, waited=self.played - self.last[name])
            for name in self.strengths
        ]

    def play(self, one: str, other: str) -> None:
        lot, self.chance = self.chance.below(1 << 20)
        won = lot / (1 << 20) < 1 / (1 + 10 ** ((self.strengths[other] - self.strengths[one]) / 400))
        self._rate(one, other, float(won))
        self.played += 1
        for seat, (name, met) in enumerate([(one, other), (other, one)]):
            self.recent[name].append(met)
            self.sat[name, seat] += 1
            self.last[name] = self.played

    def _rate(self, one: str, other: str, won: float) -> None:
        """Glicko's first step, without the passing of time."""
        before = {name: (self.ratings[name], self.unsure[name]) for name in (one, other)}
        for name, met, points in ((one, other, won), (other, one, 1 - won)):
            (mine, sigma), (theirs, blur) = before[name], before[met]
            weight = 1 / sqrt(1 + 3 * (blur / ELO) ** 2 / 9.8696)
            expected = 1 / (1 + 10 ** (-weight * (mine - theirs) / 400))
            known = 1 / sigma**2 + weight**2 * expected * (1 - expected) / ELO**2
            self.ratings[name] = mine + weight * (points - expected) / ELO / known
            self.unsure[name] = sqrt(1 / known)

    def misplaced(self) -> int:
        """Pairs in the wrong order."""
        order = sorted(self.strengths, key=lambda name: self.ratings[name])
        found = [self.strengths[name] for name in order]
        return sum(found[one] > later for one in range(len(found)) for later in found[one + 1 :])

    def paired(self) -> list[tuple[str, ...]]:
        return next_matches(self.climbers(), Habits(self.recent, self.sat), Wishes(rematch_after=5), 25)

    def by_lot(self) -> list[tuple[str, ...]]:
        names, self.chance = self.chance.shuffled(self.strengths)
        return list(zip(names[::2], names[1::2], strict=True))


FIFTY = {f"bot{17 * number % 50:02}": 800 + 30.0 * number for number in range(50)}
"""Strong and weak ones mixed, by name."""


@pytest.mark.slow
def test_it_finds_the_order_of_fifty_bots_with_fewer_matches_than_pairing_by_lot() -> None:
    errors = Counter[str]()
    for seed in range(4):
        paired, by_lot = (Ladder(FIFTY, Chance(bytes([seed, way]))) for way in range(2))
        for _ in range(36):
            for one, other in paired.paired():
                paired.play(one, other)
        for _ in range(48):
            for one, other in by_lot.by_lot():
                by_lot.play(one, other)
        errors["paired"] += paired.misplaced()
        errors["by lot"] += by_lot.misplaced()
    assert errors["paired"] < errors["by lot"]  # With three quarters of the matches.


@pytest.mark.slow
def test_on_a_long_ladder_nobody_starves_nobody_is_met_again_and_again_and_seats_are_even() -> None:
    ladder = Ladder(FIFTY, Chance(b"long"))
    for _ in range(400):  # Room for four matches at a time among fifty.
        for one, other in ladder.paired()[:4]:
            ladder.play(one, other)
    played = Counter({name: len(met) for name, met in ladder.recent.items()})
    assert max(played.values()) - min(played.values()) <= max(played.values()) // 2
    assert all(len(set(met[at : at + 6])) == 6 for met in ladder.recent.values() for at in range(len(met) - 6))
    assert all(abs(ladder.sat[name, 0] - ladder.sat[name, 1]) <= 4 for name in FIFTY)
