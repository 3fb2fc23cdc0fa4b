import re
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engines.chance import Chance
from referee.contests.ladder.matchmaking import (
    Lots,
    PairingCandidate,
    choose_matches,
    choose_seating,
    expected_information,
)
from referee.contests.pairing import PairingHistory
from referee.contests.strength.rating import MATCH_DEVIATION, SkillRating, rate_match
from tests.contests.ladder_harness import DUEL

NO_HISTORY = PairingHistory()
climbers = st.lists(
    st.builds(
        PairingCandidate,
        st.text("abcdefgh", min_size=1, max_size=3),
        st.floats(500, 2500),
        st.floats(20, 350),
        st.integers(0, 3),
        pairings_since_last=st.integers(0, 50),
        provisional=st.booleans(),
    ),
    max_size=20,
    unique_by=lambda candidate: candidate.name,
)


def candidate(name: str, rating: float = 1500, deviation: float = 60, slots: int = 1, **more: Any) -> PairingCandidate:
    return PairingCandidate(name, rating, deviation, slots, **more)


def known(*names: str) -> list[PairingCandidate]:
    return [candidate(name) for name in names]


def lots(number: int = 1) -> Lots:
    return Lots(Chance(b"seed").fork(f"pairing {number}"))


def choose(
    candidates: Sequence[PairingCandidate],
    history: PairingHistory = NO_HISTORY,
    limit: int = 9,
    number: int = 1,
    wait_for_fresh: bool = False,
    **terms: Any,
) -> list[tuple[str, ...]]:
    """Return the matches that the lots of that pairing choose."""
    return choose_matches(
        candidates, history, replace(DUEL, **terms), limit, lots(number), wait_for_fresh=wait_for_fresh
    )


def met(*tables: str) -> PairingHistory:
    history = NO_HISTORY
    for table in tables:
        history = history.with_pairing(table, (), keep=5)
    return history


@given(climbers, st.integers(2, 4), st.integers(0, 6))
def test_each_candidate_has_at_most_one_match_and_only_with_a_free_slot(
    candidates: list[PairingCandidate], at_a_table: int, most: int
) -> None:
    found = choose(candidates, limit=most, table_size=at_a_table)
    with_room = {candidate.name for candidate in candidates if candidate.free_slots}
    names = [name for table in found for name in table]
    assert len(names) == len(set(names))
    assert set(names) <= with_room
    assert len(found) == min(most, len(with_room) // at_a_table)


@given(climbers, st.lists(st.sampled_from([(), ("ann",), ("bob",), ("ann", "bob")]), min_size=20), st.integers(2, 4))
def test_entrants_of_one_owner_never_meet(
    candidates: list[PairingCandidate], owners: list[tuple[str, ...]], at_a_table: int
) -> None:
    owned = [replace(candidate, owners=own) for candidate, own in zip(candidates, owners, strict=False)]
    owners_of = {candidate.name: candidate.owners for candidate in owned}
    for table in choose(owned, table_size=at_a_table):
        at_table = [owner for name in table for owner in owners_of[name]]
        assert len(at_table) == len(set(at_table))


@given(climbers)
def test_the_order_of_candidates_does_not_matter(candidates: list[PairingCandidate]) -> None:
    assert choose(candidates) == choose(candidates[::-1])


def test_a_match_is_more_informative_against_an_equal_and_against_a_well_known_opponent() -> None:
    seeker, sure, unsure = candidate("s", 1500, 250), candidate("a", 1500, 50), candidate("b", 1500, 200)
    far = candidate("c", 2500, 50)
    assert expected_information(seeker, sure) > expected_information(seeker, unsure)
    assert expected_information(seeker, sure) > expected_information(seeker, far)
    assert expected_information(seeker, far) == expected_information(far, seeker)


def test_information_is_the_share_of_the_variance_that_an_update_removes() -> None:
    """Between well-known equals: the variance falls by its square times the information."""
    equal = candidate("a", 1500, 40)
    ((after,), _) = rate_match([[SkillRating(1500, 40)]] * 2, [1, 1])
    variance = 40**2 + MATCH_DEVIATION**2
    removed = variance - after.deviation**2
    assert removed == pytest.approx(variance**2 * expected_information(equal, equal), rel=0.01)


def test_opponents_are_drawn_among_all_that_are_informative_enough() -> None:
    """A lead of 457 Elo leaves a quarter of the information of a match between equals."""
    seeker = candidate("s", 1500, 250, provisional=True)
    others = [candidate(f"{lead}", 1500 + lead) for lead in (0, 200, -300, 456, 458, -800)]
    tables = {table for number in range(100) for table in choose([seeker, *others], limit=1, number=number)}
    assert set().union(*tables) == {"s", "0", "200", "-300", "456"}


def test_equally_urgent_entrants_choose_in_the_order_of_lots() -> None:
    first = {choose(known(*"abcdef"), limit=1, number=number)[0] for number in range(300)}
    assert first == set(permutations("abcdef", 2))


def test_seats_that_are_equally_fair_are_drawn_whatever_the_order_of_names() -> None:
    seats = [choose_seating("ba", NO_HISTORY, DUEL, lots(number)) for number in range(20)]
    assert {*seats} == {("a", "b"), ("b", "a")}
    assert seats == [choose_seating("ab", NO_HISTORY, DUEL, lots(number)) for number in range(20)]


def test_decisions_are_those_of_the_test_vector_on_the_page_of_ladders() -> None:
    page = (Path(__file__).parents[2] / "docs/ladders.md").read_text("utf-8")
    candidates = [
        candidate(name, float(value), float(deviation), provisional=provisional == "yes")
        for name, value, deviation, provisional in re.findall(
            r"^\| (\w+) \| (\d+) \| (\d+) \| (yes|no) \|$", page, re.M
        )
    ]
    history, decisions = NO_HISTORY, re.findall(r"^\| `pairing (\d+)` \| (.*) \|$", page, re.M)
    for number, pairings in decisions:
        tables = choose(candidates, history, number=int(number))
        assert "; ".join(map(" ".join, tables)) == pairings
        for table in tables:
            history = history.with_pairing(table, (), keep=1)
    assert (len(candidates), len(decisions)) == (8, 3)


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (candidate("first", provisional=True), [candidate("old"), candidate("waiting", pairings_since_last=3)]),
        (candidate("first", pairings_since_last=3), known("old", "other")),
        (
            candidate("first", pairings_since_last=8),
            [candidate(name, deviation=250, provisional=True) for name in "abc"],
        ),
    ],
    ids=["provisional", "the longest wait", "a very long wait"],
)
def test_the_most_urgent_candidate_comes_first(first: PairingCandidate, others: list[PairingCandidate]) -> None:
    assert "first" in choose([*others, first], limit=1)[0]


def test_there_is_no_rematch_before_other_opponents() -> None:
    assert {"a", "b"} not in map(set, choose(known(*"abcd"), met("ab")))


def test_without_other_opponents_there_is_a_rematch() -> None:
    assert len(choose(known("a", "b"), met("ab"), wait_for_fresh=True)) == 1


def test_a_candidate_can_wait_for_opponents_that_are_playing() -> None:
    candidates = [*known("a", "b"), candidate("c", slots=0), candidate("d", slots=0)]
    assert choose(candidates, met("ab")) == [("b", "a")]
    assert choose(candidates, met("ab"), wait_for_fresh=True) == []
    assert choose(candidates, met("ab", "ac", "bd"), wait_for_fresh=True) != []


def test_the_rematch_distance_is_limited_by_the_number_of_candidates() -> None:
    assert choose(known(*"abc"), met("ab", "ac", "bc"), rematch_after=9, wait_for_fresh=True) == [("b", "a")]


def test_all_opponents_at_a_table_are_met_at_once_and_old_meetings_are_dropped() -> None:
    assert met("abcd").opponents_since("a") == {"b": 0, "c": 0, "d": 0}
    assert met("abcd", "aefg").opponents_since("a")["b"] == 3
    assert met("abcd", "aefg", "abcd").opponents_since("a")["e"] == 3
    assert met("ab", "ac", "ad", "ae", "af").opponents_since("a")["b"] == 4
    assert "b" not in met("ab", "ac", "ad", "ae", "af", "ag").opponents_since("a")


def test_seats_are_balanced() -> None:
    assert choose(known("a", "b"), PairingHistory(seat_counts={("a", 0): 3, ("b", 1): 3})) == [("b", "a")]


def test_partners_change() -> None:
    sides = ((0, 2), (1, 3))
    history, seen = NO_HISTORY, set[frozenset[str]]()
    for _ in range(3):
        (table,) = choose(known(*"abcd"), history, table_size=4, sides=sides)
        seen |= {frozenset({table[0], table[2]}), frozenset({table[1], table[3]})}
        history = history.with_pairing(table, sides, keep=1)
    assert len(seen) == 6
