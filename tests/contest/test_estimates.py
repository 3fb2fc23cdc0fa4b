"""How strong entrants were, by all results of a tournament."""

import pytest

from referee.contest.bradley_terry import strengths
from referee.contest.directing import Withdraw
from referee.contest.estimates import estimates
from referee.contest.finish import Finish
from referee.contest.formats import Pools, RoundRobin, Swiss
from referee.contest.pairing import Due, Score
from tests.contest.plays import better_name_wins, level, started


def upset(due: Due) -> Score:
    """The better name wins, but for the last against the first."""
    return Score((1, 2)) if set(due.seats) == {"a", "d"} and due.seats[0] == "d" else better_name_wins(due)


def test_everybody_is_told_above_the_average_and_over_the_next_in_the_table() -> None:
    play = started(RoundRobin(2), "abcd").play_out(upset)

    found = estimates(play.tournament)
    assert list(found) == [name for _, name, _ in play.table]
    assert sum(it.elo for it in found.values()) == pytest.approx(0, abs=1e-6)
    games = [
        Finish(tuple((name,) for name in course.pairing.entrants), score.ranks)
        for course in play.tournament.courses.values()
        for score in course.scores.values()
    ]
    found_elsewhere = strengths(games)
    assert {name: it.elo for name, it in found.items()} == pytest.approx(found_elsewhere.elo)
    first, second, *_, last = found
    assert found[first].superiority == pytest.approx(found_elsewhere.between(first, second).superiority)
    assert found[last].superiority == 0


def test_of_two_each_is_told_above_the_other() -> None:
    found = estimates(started(RoundRobin(4), "ab").play_out(better_name_wins).tournament)

    assert found["a"] == found["b"].mirrored
    assert found["a"].superiority > 0.8


def test_who_has_not_played_has_no_strength() -> None:
    play = started(Swiss(1), "abc").play_out()
    (free,) = [name for it in play.tournament.courses.values() if it.pairing.bye for name in it.pairing.entrants]
    assert set(estimates(play.tournament)) == set("abc") - {free}


def test_a_round_that_was_not_yet_played_says_nothing() -> None:
    play = started(RoundRobin(), "abcd").play_out()
    after_one = estimates(play.tournament, until=1)

    assert after_one != estimates(play.tournament)
    assert len({round(abs(it.elo)) for it in after_one.values()}) == 1  # Everybody has won or lost once.


def test_partners_share_what_their_side_did() -> None:
    play = started(Pools(1, 4, ((0, 2), (1, 3))), "abcd")
    (due,) = play.tournament.due()
    play.result(due, Score((1, 2, 1, 2)))
    one, other, partner, _ = due.pairing.entrants

    found = estimates(play.tournament)
    assert found[one].elo == pytest.approx(found[partner].elo)
    assert found[one].elo > found[other].elo


def test_walkovers_say_nothing_about_strength() -> None:
    play = started(RoundRobin(), "abc")
    play.do(Withdraw("a"))
    play.play_out(level)
    assert set(estimates(play.tournament)) == {"b", "c"}
