"""Strengths of entrants, estimated from all results of a tournament, and the export as CSV and JSON."""

import csv
import json

import pytest
from referee_values import RoundRobin, Swiss

from referee.contests.pairing import DueMatch, MatchScore, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.bradley_terry import fit_strengths
from referee.contests.strength.rating import FinishOrder
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.tournament_export import (
    estimate_strengths,
    finish_orders,
    repeated_matches,
    to_csv,
    to_json,
)
from referee.contests.tournament.tournament_terms import Pools, SprtTrial
from tests.contests.tournament_harness import better_name_wins, level, started


def upset(due: DueMatch) -> MatchScore:
    """The better name wins, except that the last beats the first."""
    return MatchScore((1, 2)) if set(due.seats) == {"a", "d"} and due.seats[0] == "d" else better_name_wins(due)


def test_estimates_are_relative_to_the_average_and_to_the_next_entrant() -> None:
    play = started(RoundRobin(cycles=2), "abcd").play_out(upset)
    found = estimate_strengths(play.tournament)
    assert list(found) == [name for _, name, _ in play.table]
    assert sum(estimate.elo for estimate in found.values()) == pytest.approx(0, abs=1e-6)
    games = [
        FinishOrder(tuple((name,) for name in progress.pairing.entrants), score.ranks)
        for progress in play.tournament.pairings.values()
        for score in progress.scores.values()
    ]
    found_elsewhere = fit_strengths(games)
    assert {name: estimate.elo for name, estimate in found.items()} == pytest.approx(found_elsewhere.elo)
    first, second, *_, last = found
    assert found[first].superiority == pytest.approx(found_elsewhere.difference(first, second).superiority)
    assert found[last].superiority == 0


def test_the_side_with_the_first_seat_of_each_match_comes_first() -> None:
    firsts = started(RoundRobin(cycles=6), "abcd").play_out(lambda due: seated(due, (1, 2)))
    level = started(RoundRobin(cycles=6), "abcd").play_out(level_by_cycle)
    for play, advantage in ((firsts, True), (level, False)):
        found = fit_strengths(finish_orders(play.tournament))
        assert (found.first_seat.low > 100) is advantage


def seated(due: DueMatch, ranks: tuple[int, int]) -> MatchScore:
    """Return the score with these ranks in order of seats."""
    by_name = dict(zip(due.seats, ranks, strict=True))
    return MatchScore(tuple(by_name[name] for name in due.pairing.entrants))


def level_by_cycle(due: DueMatch) -> MatchScore:
    return seated(due, (1, 2) if due.pairing.round % 2 else (2, 1))


def test_partners_with_the_first_seat_come_first() -> None:
    pairing = Pairing("1.1", 1, 1, tuple("abcd"), 4, sides=((0, 2), (1, 3)))
    assert [pairing.teams_of_match(number)[0] for number in (1, 2, 3, 4)] == [(0, 2), (1, 3), (0, 2), (1, 3)]


def test_with_two_entrants_each_is_compared_with_the_other() -> None:
    found = estimate_strengths(started(RoundRobin(cycles=4), "ab").play_out(better_name_wins).tournament)
    assert found["a"] == found["b"].mirrored
    assert found["a"].superiority > 0.8


def test_an_entrant_without_matches_has_no_estimate() -> None:
    play = started(Swiss(rounds=1), "abc").play_out()
    (free,) = [name for row in play.tournament.pairings.values() if row.pairing.is_bye for name in row.pairing.entrants]
    assert set(estimate_strengths(play.tournament)) == set("abc") - {free}


def test_an_unplayed_round_gives_no_estimates() -> None:
    play = started(RoundRobin(), "abcd").play_out()
    after_one = estimate_strengths(play.tournament, until=1)
    assert after_one != estimate_strengths(play.tournament)
    assert len({round(abs(estimate.elo)) for estimate in after_one.values()}) == 1  # Each has won or lost once.


def test_partners_share_the_result_of_their_side() -> None:
    play = started(Pools(1, 4, ((0, 2), (1, 3))), "abcd")
    (due,) = play.tournament.due_matches()
    play.result(due, MatchScore((1, 2, 1, 2)))
    name, other, partner, _ = due.pairing.entrants
    found = estimate_strengths(play.tournament)
    assert found[name].elo == pytest.approx(found[partner].elo)
    assert found[name].elo > found[other].elo


def test_a_repeated_game_counts_once() -> None:
    def played(due: DueMatch, moves: str) -> MatchScore:
        return MatchScore(better_name_wins(due).ranks, moves=moves)

    once = started(RoundRobin(cycles=1), "ab").play_out(lambda due: played(due, ""))
    again = started(RoundRobin(cycles=10), "ab").play_out(lambda due: played(due, "same"))
    other = started(RoundRobin(cycles=10), "ab").play_out(lambda due: played(due, due.id))
    assert len(repeated_matches(again.tournament)) == 8  # Of ten games, two differ in their seats.
    assert not repeated_matches(other.tournament)
    assert not repeated_matches(started(RoundRobin(cycles=10), "ab").play_out(better_name_wins).tournament)
    certainties = [estimate_strengths(play.tournament)["a"].superiority for play in (once, again, other)]
    assert certainties[0] < certainties[1] < certainties[2] - 0.01
    document = json.loads(to_json(again.tournament))
    assert document["repeated"] == []  # No match has an id here.
    assert document["standings"][0]["points"] == 10


def test_the_same_game_on_two_boards_of_teams_is_played_by_different_bots() -> None:
    scores = {number: MatchScore((1, 2), moves="same") for number in (1, 3)}
    pairing = Pairing("1.1", 1, 1, ("reds", "blues"), 4)
    on_boards, in_a_pairing = PairingProgress(pairing, scores, boards=4), PairingProgress(pairing, scores)
    assert on_boards.game_key(1) != on_boards.game_key(3)
    assert in_a_pairing.game_key(1) == in_a_pairing.game_key(3) == (("reds", "blues"), "same")


def test_repeated_matches_are_exported_by_their_ids() -> None:
    play = started(RoundRobin(cycles=4), "ab")
    for due in play.tournament.due_matches():
        play.result(play.start(due), MatchScore((1, 2), moves="same"))
    assert json.loads(to_json(play.tournament))["repeated"] == ["m-3.1/1.1", "m-4.1/1.1"]


def test_walkovers_do_not_affect_estimates() -> None:
    play = started(RoundRobin(), "abc")
    play.withdraw("a")
    play.play_out(level)
    assert set(estimate_strengths(play.tournament)) == {"b", "c"}


def test_the_csv_has_a_column_for_each_opponent() -> None:
    rows = list(csv.reader(to_csv(started(RoundRobin(), "abc").play_out().tournament).splitlines()))
    assert rows[0] == ["rank", "entrant", "points", "direct_encounter", "sonneborn_berger", "wins", "a", "b", "c"]
    assert [row[:3] + row[6:] for row in rows[1:]] == [
        ["1", "a", "2", "", "1", "1"],
        ["2", "b", "1", "0", "", "1"],
        ["3", "c", "0", "0", "0", ""],
    ]


def test_the_json_has_standings_cross_table_and_pairings() -> None:
    report = json.loads(to_json(started(Swiss(rounds=1), "abc").play_out().tournament))
    assert report["phase"] == "finished"
    assert [(row["entrant"], row["points"]) for row in report["standings"]] == [("c", 1), ("a", 1), ("b", 0)]
    assert report["cross_table"] == {"a": {"b": 1}, "b": {"a": 0}, "c": {}}
    assert [(sorted(pairing["entrants"]), sorted(pairing["points"])) for pairing in report["pairings"]] == [
        (["a", "b"], [0, 1]),
        (["c"], [1]),
    ]


def test_the_json_has_forfeits_estimates_and_match_ids() -> None:
    play = started(RoundRobin(), "ab")
    due = play.start(match_id="m1")
    assert json.loads(to_json(play.tournament))["standings"][0]["estimate"] is None
    play.result(due, MatchScore((2, 1), ("a",)))
    report = json.loads(to_json(play.tournament))
    best, other = report["standings"]
    assert (best["entrant"], best["forfeits"], other["forfeits"]) == ("b", 0, 1)
    assert best["estimate"]["elo"] == -other["estimate"]["elo"] > 0
    assert report["pairings"][0]["match_ids"] == ["m1"]
    assert report["test"] is None


def test_the_json_of_a_trial_has_the_state_of_the_test() -> None:
    play = started(SprtTrial(SprtParameters(elo1=5, max_matches=4)), "ab").play_out()
    report = json.loads(to_json(play.tournament))["test"]
    assert (report["verdict"], report["counts"], report["matches"]) == ("undecided", [0, 0, 0, 0, 2], 4)
    assert report["lower"] < report["llr"] < report["upper"]
