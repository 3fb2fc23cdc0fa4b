from hypothesis import given
from hypothesis import strategies as st

from referee.contest.habits import Habits
from referee.contest.matchmaking import Climber, Wishes, information, next_matches

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


def known(*names: str) -> list[Climber]:
    return [Climber(name, 1500, 60, 1) for name in names]


def met(*tables: str) -> Habits:
    habits = Habits()
    for table in tables:
        habits = habits.after(table, (), kept=5)
    return habits


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
    assert information(sure, unsure) > information(sure, sure)
    assert information(sure, unsure) > information(sure, far)


def test_provisional_bots_are_served_first_and_then_who_waited_longest() -> None:
    there = [
        Climber("old", 1500, 60, 1),
        Climber("waiting", 1500, 60, 1, waited=3),
        Climber("new", 1500, 60, 1, provisional=True),
        Climber("other", 1500, 60, 1),
    ]
    assert set(next_matches(there[:3], Habits(), Wishes(), 1)[0]) >= {"new"}
    assert set(next_matches([there[0], there[1], there[3]], Habits(), Wishes(), 1)[0]) >= {"waiting"}


def test_who_has_waited_very_long_comes_before_those_who_are_new() -> None:
    new = [Climber(name, 1500, 250, 1, provisional=True) for name in "abc"]
    assert "old" in next_matches([*new, Climber("old", 1500, 60, 1, waited=8)], Habits(), Wishes(), 1)[0]


def test_nobody_meets_the_same_one_again_before_others() -> None:
    assert all(set(table) != {"a", "b"} for table in next_matches(known(*"abcd"), met("ab"), Wishes(), 2))


def test_where_there_is_nobody_else_they_meet_again() -> None:
    assert len(next_matches(known("a", "b"), met("ab"), Wishes(patient=True), 1)) == 1


def test_who_is_patient_waits_for_others_who_play_now() -> None:
    there = [*known("a", "b"), Climber("c", 1500, 60, 0), Climber("d", 1500, 60, 0)]
    assert next_matches(there, met("ab"), Wishes(), 2) == [("b", "a")]
    assert next_matches(there, met("ab"), Wishes(patient=True), 2) == []
    assert next_matches(there, met("ab", "ac", "bd"), Wishes(patient=True), 2) != []


def test_nobody_waits_for_more_others_than_there_are() -> None:
    habits = met("ab", "ac", "bc")
    assert next_matches(known(*"abc"), habits, Wishes(rematch_after=9, patient=True), 1) == [("b", "a")]


def test_who_sat_at_one_table_has_met_all_of_it_at_once() -> None:
    habits = met("abcd")
    assert habits.met("a") == {"b": 0, "c": 0, "d": 0}
    assert met("abcd", "aefg").met("a")["b"] == 3
    assert met("abcd", "aefg", "abcd").met("a")["e"] == 3


def test_meetings_that_are_over_are_forgotten() -> None:
    assert "b" not in met("ab", "ac", "ad", "ae", "af", "ag").met("a")
    assert met("ab", "ac", "ad", "ae", "af").met("a")["b"] == 4


def test_seats_are_balanced() -> None:
    assert next_matches(known("a", "b"), Habits(sat={("a", 0): 3, ("b", 1): 3}), Wishes(), 1) == [("b", "a")]


def test_partners_change() -> None:
    sides = ((0, 2), (1, 3))
    habits, seen = Habits(), set[frozenset[str]]()
    for _ in range(3):
        (table,) = next_matches(known(*"abcd"), habits, Wishes(4, sides), 1)
        seen |= {frozenset({table[0], table[2]}), frozenset({table[1], table[3]})}
        habits = habits.after(table, sides, kept=1)
    assert len(seen) == 6
