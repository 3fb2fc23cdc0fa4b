from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.chance import Chance
from referee.contest.bracket import order_of_seeds
from referee.contest.directing import Withdraw
from referee.contest.formats import Elimination
from referee.contest.pairing import Due, Score
from referee.contest.tournament import Phase
from tests.contest.plays import Play, better_name_wins, level, started


def pairs(play: Play) -> list[tuple[str, ...]]:
    return [course.pairing.entrants for course in play.tournament.courses.values()]


def test_seeds_are_placed_so_that_the_best_meet_last() -> None:
    assert order_of_seeds(3) == [1, 8, 4, 5, 2, 7, 3, 6]


def test_who_has_no_opponent_is_in_the_next_round() -> None:
    play = started(Elimination(), "abcdef")
    assert pairs(play) == [("d", "e"), ("c", "f")]
    play.result(play.tournament.due()[0], Score((1, 2)))
    assert pairs(play)[2:] == [("a", "d")]  # The other half of the draw is not waited for.


def test_the_table_is_by_how_far_everybody_got() -> None:
    play = started(Elimination(), "abcdefgh").play_out()
    assert [(rank, name) for rank, name, _ in play.table] == [
        (1, "a"), (2, "b"), (3, "c"), (3, "d"), (5, "e"), (5, "f"), (5, "g"), (5, "h"),
    ]  # fmt: skip


def test_the_third_place_can_be_played_for() -> None:
    play = started(Elimination(third_place=True), "abcd").play_out()
    assert [(rank, name) for rank, name, _ in play.table] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_a_level_pairing_has_further_matches_and_then_the_better_seed_goes_on() -> None:
    play = started(Elimination(matches=2, extra=2), "ab")
    play.play_out(level)
    assert len(play.tournament.courses["w1.1"].scores) == 4
    assert play.table[0][1] == "a"


def test_a_further_match_that_is_won_decides() -> None:
    play = started(Elimination(matches=2, extra=2), "ab")
    play.play_out(lambda due: level(due) if due.number < 3 else Score((2, 1)))
    assert len(play.tournament.courses["w1.1"].scores) == 3
    assert play.table[0][1] == "b"


def test_who_loses_once_comes_back_from_below_and_has_to_win_the_final_twice() -> None:
    def upset(due: Due) -> Score:
        return Score((2, 1)) if due.pairing.id in {"w2.1", "g6.1"} else better_name_wins(due)

    play = started(Elimination(twice=True), "abcd").play_out(upset)
    assert [course.pairing.id for course in play.tournament.courses.values()] == [
        "w1.1", "w1.2", "w2.1", "l1.1", "l2.1", "f5.1", "g6.1",
    ]  # fmt: skip
    assert [(rank, name) for rank, name, _ in play.table] == [(1, "b"), (2, "a"), (3, "c"), (4, "d")]


def test_who_has_left_counts_as_beaten_where_it_would_have_played_next() -> None:
    play = started(Elimination(), "abcd")
    play.result(play.tournament.due()[0], Score((1, 2)))
    play.do(Withdraw("a"))
    play.play_out()
    assert [(rank, name) for rank, name, _ in play.table] == [(1, "b"), (2, "a"), (3, "c"), (3, "d")]


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 21), st.booleans(), st.binary(max_size=3))
def test_everybody_but_the_winner_has_lost_as_often_as_it_takes(many: int, twice: bool, seed: bytes) -> None:
    chance = Chance(seed)

    def by_lot(_: Due) -> Score:
        nonlocal chance
        lot, chance = chance.below(2)
        return Score(((1, 2), (2, 1))[lot])

    names = [f"P{number:02}" for number in range(many)]
    play = started(Elimination(twice=twice), names).play_out(by_lot)
    courses = play.tournament.courses.values()
    losses = Counter(name for it in courses for name in it.pairing.entrants if name != it.winner)
    (winner,) = [name for rank, name, _ in play.table if rank == 1]
    assert losses.pop(winner, 0) < (2 if twice else 1)
    assert losses == dict.fromkeys(set(names) - {winner}, 2 if twice else 1)


@pytest.mark.parametrize("twice", [False, True])
def test_every_pairing_is_planned_as_soon_as_its_two_are_known(twice: bool) -> None:
    play = started(Elimination(twice=twice), "abcdefgh")
    while play.tournament.phase is Phase.PLAYING:
        bracket = play.tournament.knockout()
        assert bracket.ready() == []
        play.result(due := play.tournament.due()[-1], better_name_wins(due))
