"""SPRT trials: sets are counted in the order of planning, whatever the order in which they end."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from referee_values import SprtModel

from referee.contests.pairing import DueMatch, DuplicateSets, MatchScore, Sides
from referee.contests.strength.elo import OutcomeCounts, estimate_from_counts, expected_score, no_outcomes
from referee.contests.strength.sprt_evaluation import SprtParameters, evaluate_sprt
from referee.contests.tournament.events import TournamentEnded
from referee.contests.tournament.sprt_trial import TrialState
from referee.contests.tournament.tournament_export import estimate_strengths
from referee.contests.tournament.tournament_terms import SprtTrial
from tests.contests.simulated_matches import random_numbers
from tests.contests.tournament_harness import Referee, TournamentHarness, level, replay, started

SPRT = SprtParameters(elo1=100)


def trial(
    model: SprtModel = "pentanomial", at_once: int = 4, test: SprtParameters = SPRT, **fields: Any
) -> TournamentHarness:
    return started(SprtTrial(test, model), "ab", max_concurrent_matches=at_once, **fields)


def at_tables(at_a_table: int, sides: Sides = (), most: int = 60) -> TournamentHarness:
    form = SprtTrial(SprtParameters(elo1=50, max_matches=most), at_a_table=at_a_table, sides=sides)
    return started(form, "ab", max_concurrent_matches=4)


def state_of(play: TournamentHarness) -> TrialState:
    assert play.tournament.trial_state
    return play.tournament.trial_state


def wins(name: str) -> Referee:
    """Return a referee by whom all seats of this entrant precede all others."""
    return lambda due: MatchScore(tuple(1 if entrant == name else 2 for entrant in due.pairing.entrants))


def give(play: TournamentHarness, name: str, *dues: DueMatch) -> None:
    """Let this entrant win these matches."""
    for due in dues:
        play.result(due, wins(name)(due))


def random_results(draws: Iterator[float], lead: float) -> dict[str, MatchScore]:
    """Return a random result for each match, fixed in advance."""
    won = {True: MatchScore((1, 2)), False: MatchScore((2, 1))}
    return {
        f"{number}.1/{match}.1": won[(next(draws) < expected_score(lead)) == (match == 1)]
        for number in range(1, 400)
        for match in (1, 2)
    }


def test_the_better_entrant_passes_and_the_test_stops() -> None:
    play = trial().play_out(wins("a"))
    state = state_of(play)
    assert (state.verdict, state.matches_to_go, state.first_seat) == ("passed", 0, 0)
    assert state.llr is not None
    assert state.estimate.low > 0
    assert state.counts == (0, 0, 0, 0, state.matches // 2)
    assert play.log[-1] == TournamentEnded()
    assert play.table[0] == (1, "a", state.matches)


def test_what_the_first_seat_is_worth_is_estimated_and_taken_into_account() -> None:
    play = trial(test=replace(SPRT, max_matches=40)).play_out(
        lambda due: wins(due.seats[0] if due.pairing.round % 6 else "a")(due)
    )
    state = state_of(play)
    assert state.first_seat > 200
    alone = evaluate_sprt(replace(SPRT, max_matches=40), OutcomeCounts(state.counts))
    assert state.estimate.elo > 1.5 * alone.estimate.elo
    assert state.llr != alone.llr


def test_the_first_entrant_is_tested() -> None:
    assert state_of(trial().play_out(wins("b"))).verdict == "failed"


def test_a_set_counts_whole_and_with_the_seats_exchanged() -> None:
    play = trial(at_once=1)
    first, second = play.tournament.pairings["1.1"].due_matches
    assert (first.seats, second.seats) == (("a", "b"), ("b", "a"))
    assert play.tournament.due_matches() == [first]
    give(play, "a", first)
    assert state_of(play).matches == 0
    assert play.tournament.due_matches() == [second]
    give(play, "b", second)
    assert state_of(play).counts == (0, 0, 1, 0, 0)


def test_single_matches_count_one_by_one_and_the_first_seat_alternates() -> None:
    play = trial("trinomial", at_once=2)
    first, second = play.tournament.due_matches()
    assert (first.seats, second.seats) == (("a", "b"), ("b", "a"))
    give(play, "a", first)
    give(play, "b", second)
    assert state_of(play).counts == (1, 0, 1)


def test_three_outcomes_can_be_counted_in_sets_too() -> None:
    play = trial("trinomial", at_once=2, duplicate=DuplicateSets(openings=3))
    first, second = play.tournament.due_matches()
    assert play.tournament.set_start(first) == play.tournament.set_start(second)
    give(play, "b", second)
    assert state_of(play).matches == 0
    give(play, "a", first)
    assert state_of(play).counts == (1, 0, 1)


@pytest.mark.parametrize("lead", [0.0, 100.0])
def test_the_order_in_which_matches_end_changes_neither_verdict_nor_counts(lead: float) -> None:
    results = random_results(random_numbers(f"order, {lead}"), lead)
    one_by_one = trial(at_once=1).play_out(lambda due: results[due.id])
    quick_wins = trial(at_once=8)
    while quick_wins.tournament.phase == "playing":
        due = min(quick_wins.tournament.due_matches(), key=lambda match: results[match.id] != wins("a")(match))
        quick_wins.result(due, results[due.id])
    assert state_of(quick_wins) == state_of(one_by_one)
    assert quick_wins.table == one_by_one.table
    assert len(quick_wins.tournament.pairings) > quick_wins.tournament.trial_progress.sets  # Some were played in vain.


def test_sets_after_the_deciding_one_do_not_count() -> None:
    play = trial(at_once=8)
    slow = play.tournament.due_matches()[0]
    while others := play.tournament.due_matches([slow.id]):
        give(play, "a", others[0])
    played = sum(len(progress.scores) for progress in play.tournament.pairings.values())
    give(play, "a", slow)
    state = state_of(play)
    assert state.verdict == "passed"
    assert state.counts == (0, 0, 0, 0, state.matches // 2)
    assert played > state.matches
    assert play.table[0] == (1, "a", state.matches)


def test_a_slow_set_limits_how_far_others_are_planned_ahead() -> None:
    play = trial(at_once=2)
    slow = play.tournament.due_matches()[0]
    played = 0
    while others := play.tournament.due_matches([slow.id]):
        give(play, "b", others[0])
        played += 1
    assert state_of(play).matches == 0
    assert played < 20
    give(play, "b", slow)
    assert state_of(play).matches >= 10


def test_a_trial_without_matches_left_is_undecided() -> None:
    play = trial(test=SprtParameters(elo1=5, max_matches=11)).play_out(level)
    state = state_of(play)
    assert (state.verdict, state.matches, state.matches_to_go) == ("undecided", 10, 0)
    assert play.tournament.phase == "finished"


def test_a_withdrawal_leaves_the_trial_undecided() -> None:
    play = trial(at_once=2)
    play.play_due(wins("a"))
    play.withdraw("b")
    assert play.tournament.phase == "finished"
    assert (state_of(play).verdict, state_of(play).matches) == ("undecided", 2)


def test_the_state_is_that_of_the_sequential_test() -> None:
    play = trial(at_once=2)
    for number in range(12):
        play.play_out_one(wins("a" if number % 3 else "b"))
    state = state_of(play)
    expected = evaluate_sprt(SPRT, OutcomeCounts(state.counts), state.first_seat)
    assert (state.verdict, state.llr, state.estimate) == (expected.verdict, expected.llr, expected.estimate)
    assert (state.lower, state.upper, state.matches_to_go) == (SPRT.lower, SPRT.upper, expected.matches_to_go)
    assert estimate_strengths(play.tournament) == {"a": expected.estimate, "b": expected.estimate.mirrored}


def test_without_counted_sets_the_estimate_is_uncertain() -> None:
    assert state_of(trial()).counts == (0, 0, 0, 0, 0)
    assert estimate_strengths(trial().tournament) == {}
    uncertain = TrialState("open", None, SPRT.lower, SPRT.upper, (), estimate_from_counts(no_outcomes(3)), 0, 9)
    assert state_of(at_tables(3, most=9)) == uncertain


@pytest.mark.parametrize(
    ("at_a_table", "sides", "first", "second"),
    [(3, (), "abb", "bba"), (4, (), "abbb", "bbba"), (4, ((0, 2), (1, 3)), "abab", "baba")],
)
def test_the_first_entrant_has_one_side_and_the_second_all_others(
    at_a_table: int, sides: Sides, first: str, second: str
) -> None:
    play = at_tables(at_a_table, sides)
    form = play.tournament.terms.format
    assert isinstance(form, SprtTrial)
    seats = ["".join(due.seats) for due in play.tournament.pairings["1.1"].due_matches]
    assert seats[:2] == [first, second]
    assert len(set(seats)) == len(seats) == form.side_count
    play.play_out(wins("a"))
    state = state_of(play)
    assert state.estimate.low > 0
    assert (state.llr is not None) == form.has_verdict
    assert state.verdict == ("passed" if form.has_verdict else "undecided")
    assert play.table[0] == (1, "a", state.matches)


def test_with_more_than_two_sides_each_set_gives_the_first_entrants_score() -> None:
    play = at_tables(3, most=3)
    for due, ranks in zip(play.tournament.due_matches(), [(1, 2, 3), (2, 1, 3), (1, 1, 3)], strict=True):
        play.result(due, MatchScore(ranks))
    (share,) = play.tournament.trial_progress.set_scores
    assert share == pytest.approx((1 + 0.5 + 0.75) / 3, abs=1e-6)
    rows = {row.entrant: row for row in play.tournament.standings()}
    assert [(rows[name].points, rows[name].wins, rows[name].draws, rows[name].losses) for name in "ab"] == [
        (2.25, 1, 1, 1),
        (0.75, 1, 1, 1),
    ]


def repeating(names: str, openings: int) -> Referee:
    """Return a referee of bots that play one game for each opening and seat."""

    def referee(due: DueMatch) -> MatchScore:
        opening = due.pairing.round % openings
        return replace(wins(names[opening % len(names)])(due), moves=str(opening))

    return referee


@pytest.mark.parametrize(("openings", "matches", "repeated"), [(1, 2, 20), (8, 16, 20), (15, 30, 30)])
def test_repeated_games_do_not_count_and_end_the_test(openings: int, matches: int, repeated: int) -> None:
    play = trial(test=SprtParameters(elo1=5)).play_out(repeating("ab", openings))
    state = state_of(play)
    assert (state.verdict, state.matches, state.repeated) == ("undecided", matches, repeated)
    assert (sum(state.counts), state.matches_to_go) == (matches // 2, 0)


def test_single_matches_and_tables_of_several_sides_count_repeated_games_once() -> None:
    singles = trial("trinomial", test=SprtParameters(elo1=5)).play_out(repeating("a", 6))
    assert (state_of(singles).matches, state_of(singles).repeated) == (6, 20)
    table = state_of(at_tables(3).play_out(repeating("a", 2)))
    assert (table.verdict, table.matches, table.repeated) == ("undecided", 6, 21)


def test_replaying_the_log_gives_the_same_trial_and_void_matches_are_repeated() -> None:
    play = trial(at_once=2)
    play.void(play.start())
    play.play_out(wins("a"))
    assert replay(play.tournament.terms, play.log) == play.tournament
    assert state_of(play).verdict == "passed"


def test_matches_of_a_set_after_the_deciding_one_do_not_count() -> None:
    plays = [trial("trinomial", at_once=2, duplicate=DuplicateSets()) for _ in range(2)]
    plays[1].play_out_one(level)  # A draw shifts the match that decides to the other place in its set.
    for play in plays:
        play.play_out(wins("a"))
    counted = [state_of(play).matches for play in plays]
    assert any(many % 2 for many in counted)
    assert all(sum(len(progress.scores) for progress in play.tournament.pairings.values()) % 2 == 0 for play in plays)
