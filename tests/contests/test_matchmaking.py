import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engines.chance import Chance
from referee.contests.ladder.matchmaking import (
    Lots,
    PairingCandidate,
    PairingOptions,
    choose_matches,
    choose_seating,
    expected_information,
)
from referee.contests.pairing import PairingHistory
from referee.contests.strength.rating import MATCH_DEVIATION, SkillRating, rate_match

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


def known(*names: str) -> list[PairingCandidate]:
    return [PairingCandidate(name, 1500, 60, 1) for name in names]


def lots(number: int = 1) -> Lots:
    return Lots(Chance(b"seed").fork(f"pairing {number}"))


def met(*tables: str) -> PairingHistory:
    habits = PairingHistory()
    for table in tables:
        habits = habits.with_pairing(table, (), keep=5)
    return habits


@given(climbers, st.integers(2, 4), st.integers(0, 6))
def test_each_candidate_has_at_most_one_match_and_only_with_a_free_slot(
    candidates: list[PairingCandidate], at_a_table: int, most: int
) -> None:
    found = choose_matches(candidates, PairingHistory(), PairingOptions(at_a_table), most, lots())
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
    for table in choose_matches(owned, PairingHistory(), PairingOptions(at_a_table), 9, lots()):
        known = [owner for name in table for owner in owners_of[name]]
        assert len(known) == len(set(known))


@given(climbers)
def test_the_order_of_candidates_does_not_matter(candidates: list[PairingCandidate]) -> None:
    assert choose_matches(candidates, PairingHistory(), PairingOptions(), 9, lots()) == choose_matches(
        candidates[::-1], PairingHistory(), PairingOptions(), 9, lots()
    )


def test_a_match_is_more_informative_against_an_equal_and_against_a_well_known_opponent() -> None:
    seeker, sure, unsure, far = (
        PairingCandidate("s", 1500, 250, 1),
        PairingCandidate("a", 1500, 50, 1),
        PairingCandidate("b", 1500, 200, 1),
        PairingCandidate("c", 2500, 50, 1),
    )
    assert expected_information(seeker, sure) > expected_information(seeker, unsure)
    assert expected_information(seeker, sure) > expected_information(seeker, far)
    assert expected_information(seeker, far) == expected_information(far, seeker)


def test_information_is_the_share_of_the_variance_that_an_update_removes() -> None:
    """Between well-known equals: the variance falls by its square times the information."""
    candidate = other = PairingCandidate("a", 1500, 40, 1)
    ((after,), _) = rate_match([[SkillRating(1500, 40)]] * 2, [1, 1])
    variance = 40**2 + MATCH_DEVIATION**2
    removed = variance - after.deviation**2
    assert removed == pytest.approx(variance**2 * expected_information(candidate, other), rel=0.01)


def test_opponents_are_drawn_among_all_that_are_informative_enough() -> None:
    """A lead of 457 Elo leaves a quarter of the information of a match between equals."""
    seeker = PairingCandidate("s", 1500, 250, 1, provisional=True)
    others = [PairingCandidate(f"{lead}", 1500 + lead, 60, 1) for lead in (0, 200, -300, 456, 458, -800)]
    met = {choose_pair(seeker, others, number) for number in range(100)}
    assert met == {"0", "200", "-300", "456"}


def choose_pair(seeker: PairingCandidate, others: list[PairingCandidate], number: int) -> str:
    ((name, other),) = choose_matches([seeker, *others], PairingHistory(), PairingOptions(), 1, lots(number))
    return other if name == seeker.name else name


def test_equally_urgent_entrants_choose_in_the_order_of_lots() -> None:
    first = {choose_matches(known(*"abcdef"), PairingHistory(), PairingOptions(), 1, lots(n))[0] for n in range(300)}
    assert first == set(permutations("abcdef", 2))


def test_seats_that_are_equally_fair_are_drawn() -> None:
    seats = {choose_seating("ba", PairingHistory(), PairingOptions(), lots(number)) for number in range(20)}
    assert seats == {("a", "b"), ("b", "a")}


def test_the_order_in_which_names_are_given_does_not_affect_the_seats() -> None:
    assert choose_seating("ba", PairingHistory(), PairingOptions(), lots()) == choose_seating(
        "ab", PairingHistory(), PairingOptions(), lots()
    )


def test_decisions_are_those_of_the_test_vector_on_the_page_of_ladders() -> None:
    page = (Path(__file__).parents[2] / "docs/ladders.md").read_text("utf-8")
    candidates = [
        PairingCandidate(name, float(value), float(deviation), 1, provisional=provisional == "yes")
        for name, value, deviation, provisional in re.findall(
            r"^\| (\w+) \| (\d+) \| (\d+) \| (yes|no) \|$", page, re.M
        )
    ]
    history, decisions = PairingHistory(), re.findall(r"^\| `pairing (\d+)` \| (.*) \|$", page, re.M)
    for number, pairings in decisions:
        tables = choose_matches(candidates, history, PairingOptions(), 9, lots(int(number)))
        assert "; ".join(map(" ".join, tables)) == pairings
        for table in tables:
            history = history.with_pairing(table, (), keep=1)
    assert len(candidates) == 8
    assert len(decisions) == 3


def test_provisional_candidates_come_first_and_then_the_longest_wait() -> None:
    candidates = [
        PairingCandidate("old", 1500, 60, 1),
        PairingCandidate("waiting", 1500, 60, 1, pairings_since_last=3),
        PairingCandidate("new", 1500, 60, 1, provisional=True),
        PairingCandidate("other", 1500, 60, 1),
    ]
    assert set(choose_matches(candidates[:3], PairingHistory(), PairingOptions(), 1, lots())[0]) >= {"new"}
    assert set(
        choose_matches([candidates[0], candidates[1], candidates[3]], PairingHistory(), PairingOptions(), 1, lots())[0]
    ) >= {"waiting"}


def test_a_very_long_wait_precedes_provisional_candidates() -> None:
    new = [PairingCandidate(name, 1500, 250, 1, provisional=True) for name in "abc"]
    assert (
        "old"
        in choose_matches(
            [*new, PairingCandidate("old", 1500, 60, 1, pairings_since_last=8)],
            PairingHistory(),
            PairingOptions(),
            1,
            lots(),
        )[0]
    )


def test_there_is_no_rematch_before_other_opponents() -> None:
    assert all(
        set(table) != {"a", "b"} for table in choose_matches(known(*"abcd"), met("ab"), PairingOptions(), 2, lots())
    )


def test_without_other_opponents_there_is_a_rematch() -> None:
    assert len(choose_matches(known("a", "b"), met("ab"), PairingOptions(wait_for_fresh=True), 1, lots())) == 1


def test_a_candidate_can_wait_for_opponents_that_are_playing() -> None:
    candidates = [*known("a", "b"), PairingCandidate("c", 1500, 60, 0), PairingCandidate("d", 1500, 60, 0)]
    assert choose_matches(candidates, met("ab"), PairingOptions(), 2, lots()) == [("b", "a")]
    assert choose_matches(candidates, met("ab"), PairingOptions(wait_for_fresh=True), 2, lots()) == []
    assert choose_matches(candidates, met("ab", "ac", "bd"), PairingOptions(wait_for_fresh=True), 2, lots()) != []


def test_the_rematch_distance_is_limited_by_the_number_of_candidates() -> None:
    habits = met("ab", "ac", "bc")
    assert choose_matches(known(*"abc"), habits, PairingOptions(rematch_after=9, wait_for_fresh=True), 1, lots()) == [
        ("b", "a")
    ]


def test_all_opponents_at_a_table_are_met_at_once() -> None:
    habits = met("abcd")
    assert habits.opponents_since("a") == {"b": 0, "c": 0, "d": 0}
    assert met("abcd", "aefg").opponents_since("a")["b"] == 3
    assert met("abcd", "aefg", "abcd").opponents_since("a")["e"] == 3


def test_old_meetings_are_dropped() -> None:
    assert "b" not in met("ab", "ac", "ad", "ae", "af", "ag").opponents_since("a")
    assert met("ab", "ac", "ad", "ae", "af").opponents_since("a")["b"] == 4


def test_seats_are_balanced() -> None:
    assert choose_matches(
        known("a", "b"), PairingHistory(seat_counts={("a", 0): 3, ("b", 1): 3}), PairingOptions(), 1, lots()
    ) == [("b", "a")]


def test_partners_change() -> None:
    sides = ((0, 2), (1, 3))
    habits, seen = PairingHistory(), set[frozenset[str]]()
    for _ in range(3):
        (table,) = choose_matches(known(*"abcd"), habits, PairingOptions(4, sides), 1, lots())
        seen |= {frozenset({table[0], table[2]}), frozenset({table[1], table[3]})}
        habits = habits.with_pairing(table, sides, keep=1)
    assert len(seen) == 6
