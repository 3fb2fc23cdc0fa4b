"""Tournaments of any format: entry, results, withdrawals, planning and the end."""

import pytest
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests import contest_errors as errors
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, DuplicateSets, MatchScore
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tables.round_result import ResultKind, build_cross_table
from referee.contests.tournament import tournament_pairing as planning
from referee.contests.tournament.commands import (
    CancelTournament,
    QualifyEntrants,
    RecordTournamentScore,
    StartTournament,
    StartTournamentMatch,
)
from referee.contests.tournament.decide import will_pair_round
from referee.contests.tournament.events import PairingsPlanned, TournamentEnded
from referee.contests.tournament.tournament_pairing import PlannedSize, compute_planned_size
from referee.contests.tournament.tournament_terms import Pools, SprtTrial, TournamentFormat
from referee.match.setup import Player
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, replay, started

FORMATS: list[TournamentFormat] = [
    RoundRobin(cycles=2),
    Swiss(rounds=4),
    Elimination(),
    Elimination(double_elimination=True),
    Gauntlet(challengers=("a", "b")),
    Pools(4, 3),
    Gauntlet(challengers=("g", "a", "c"), cycles=2),
]

formats = pytest.mark.parametrize("form", FORMATS, ids=lambda form: type(form).__name__)


@formats
def test_the_best_entrant_wins_and_the_log_gives_the_same_tournament_after_every_event(form: TournamentFormat) -> None:
    play = started(form, "abcdefg")
    while play.tournament.phase == "playing":
        assert replay(play.tournament.terms, play.log) == play.tournament
        play.play_out_one()
    assert play.log[-1] == TournamentEnded()
    assert play.table[0][1] == "a"


@formats
def test_resuming_after_any_event_gives_the_same_end(form: TournamentFormat) -> None:
    whole = started(form, "abcdefg").play_out()
    for number, event in enumerate(whole.log):
        if isinstance(event, ContestMatchScored):
            resumed = TournamentHarness(replay(whole.tournament.terms, whole.log[:number]), whole.log[:number])
            resumed.do(RecordTournamentScore(event.pairing, event.number, 1, event.score))
            assert resumed.play_out().log == whole.log


@formats
def test_the_order_of_results_does_not_change_the_standings(form: TournamentFormat) -> None:
    backwards = started(form, "abcdefg")
    while backwards.tournament.phase == "playing":
        backwards.result(due := backwards.tournament.due_matches()[-1], better_name_wins(due))
    assert backwards.table == started(form, "abcdefg").play_out().table


# Matches


def test_a_result_counts_once() -> None:
    play = started(RoundRobin(), "abc")
    due = play.tournament.due_matches()[0]
    assert play.result(due, MatchScore((1, 2)))
    assert play.result(due, MatchScore((2, 1))) == []


def test_a_void_match_is_played_again_under_the_same_pairing_and_never_scored() -> None:
    play = started(RoundRobin(), "ab")
    (first,) = play.tournament.due_matches()
    play.void(first)
    (second,) = play.tournament.due_matches()
    assert (second.pairing.id, second.number, second.attempt) == (first.pairing.id, 1, 2)
    assert play.result(first, MatchScore((1, 2))) == play.void(first) == []
    assert play.result(second, MatchScore((2, 1))) == [
        ContestMatchScored("1.1", 1, MatchScore((2, 1))),
        TournamentEnded(),
    ]


def test_the_seats_rotate_within_a_pairing() -> None:
    play = started(Elimination(matches_per_pairing=2), "ab")
    assert [due.seats for due in play.tournament.due_matches()] == [("a", "b"), ("b", "a")]


def test_matches_are_counted_one_by_one_also_within_a_pairing() -> None:
    play = started(Elimination(matches_per_pairing=4), "ab")
    for due, ranks in zip(play.tournament.due_matches(), [(1, 2), (1, 1), (2, 1), (1, 2)], strict=True):
        play.result(due, MatchScore(ranks, ("a",) if ranks == (2, 1) else ()))
    row = next(row for row in play.tournament.standings() if row.entrant == "a")
    assert (row.points, row.wins, row.draws, row.losses) == (2.5, 2, 1, 1)
    assert play.tournament.pairings.forfeit_counts() == {"a": 1}


def test_the_log_contains_the_ids_of_matches() -> None:
    play = started(RoundRobin(), "ab")
    play.start(match_id="m1")
    assert play.log[-1] == ContestMatchStarted("1.1", 1, 1, "m1")
    assert play.tournament.pairings["1.1"].match_ids == {(1, 1): "m1"}
    assert [due.id for due in play.tournament.matches_in_play] == ["1.1/1.1"]
    assert play.tournament.due_matches() == []


def test_a_match_begins_once_and_not_after_its_end() -> None:
    play = started(RoundRobin(), "ab")
    first = play.start(match_id="m1")
    assert play.do(StartTournamentMatch("1.1", 1, 1, "m2")) == []
    play.void(first)
    assert play.tournament.matches_in_play == []
    assert play.do(StartTournamentMatch("1.1", 1, 1, "m2")) == []
    second = play.start(match_id="m2")
    assert play.tournament.pairings["1.1"].match_ids == {(1, 1): "m1", (1, 2): "m2"}
    play.result(second, MatchScore((1, 2)))
    assert play.do(StartTournamentMatch("1.1", 1, 2, "m3")) == []
    with pytest.raises(errors.NoSuchPairing):
        play.do(StartTournamentMatch("9.9", 1, 1, "m4"))


def test_matches_in_play_count_towards_the_limit() -> None:
    play = started(RoundRobin(), "abcd", max_concurrent_matches=2)
    first, second = play.tournament.due_matches()
    assert play.tournament.due_matches([first.id, second.id]) == []
    assert play.tournament.due_matches([second.id]) == [first]
    play.start(first)
    assert play.tournament.due_matches() == [second]
    assert play.tournament.due_matches([second.id]) == []


def test_unequal_scores_of_partners_or_a_forfeit_of_another_player_are_an_error() -> None:
    play = started(Pools(1, 4, ((0, 2), (1, 3))), "abcd")
    (due,) = play.tournament.due_matches()
    with pytest.raises(errors.BadScore, match="differ within a side"):
        play.result(due, MatchScore((1, 2, 3, 4)))
    with pytest.raises(errors.BadScore, match="not in it"):
        play.result(due, MatchScore((1, 2, 1, 2), ("x",)))


# Rounds


def test_a_slow_pair_in_a_round_robin_delays_no_others() -> None:
    play = started(RoundRobin(), "abcd")
    slow = play.tournament.due_matches()[0]
    while others := play.tournament.due_matches([slow.id]):
        play.result(others[0], better_name_wins(others[0]))
    assert play.tournament.due_matches() == [slow]


@pytest.mark.parametrize("form", [FORMATS[0], FORMATS[-1]], ids=["round robin", "gauntlet"])
def test_a_schedule_that_is_planned_in_parts_ends_as_if_it_were_planned_at_once(
    form: TournamentFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(ahead: int) -> TournamentHarness:
        monkeypatch.setattr(planning, "MIN_OPEN_PAIRINGS", ahead)
        play = started(form, "abcdefg")
        for _ in range(4):
            play.play_out_one()
            unplanned = compute_planned_size(play.tournament).pairings - len(play.planned)
            assert len(play.tournament.open_pairings) >= min(ahead, unplanned)
        play.withdraw("b", "d")
        return play.play_out()

    at_once, in_parts = played(1000), played(3)
    plannings = [sum(isinstance(event, PairingsPlanned) for event in play.log) for play in (at_once, in_parts)]
    assert plannings[0] <= 3 < plannings[1]
    assert list(in_parts.tournament.pairings.values()) == list(at_once.tournament.pairings.values())
    assert in_parts.table == at_once.table


def test_a_limit_of_matches_in_play_above_the_planning_horizon_is_reached() -> None:
    limit = planning.MIN_OPEN_PAIRINGS + 100
    play = started(RoundRobin(cycles=50), "abcdefgh", max_concurrent_matches=limit)
    assert len(play.tournament.due_matches()) == limit


def test_a_swiss_round_is_paired_at_the_start_and_by_the_last_result_of_the_round_before() -> None:
    play = entered(Swiss(rounds=2), "abcd")
    assert will_pair_round(play.tournament, StartTournament())
    play.do(StartTournament())
    first, last = [
        RecordTournamentScore(due.pairing.id, due.number, due.attempt, better_name_wins(due))
        for due in play.tournament.due_matches()
    ]
    assert not will_pair_round(play.tournament, first)
    play.do(first)
    assert play.tournament.round == 1
    assert will_pair_round(play.tournament, last)
    assert any(isinstance(event, PairingsPlanned) for event in play.do(last))


def test_the_table_of_an_earlier_round_can_still_be_seen() -> None:
    play = started(Swiss(rounds=3), "abcd").play_out()
    assert max(row.points for row in play.tournament.standings(until=1)) == 1


def test_a_swiss_without_a_possible_pairing_ends() -> None:
    play = started(Swiss(rounds=3), "abcd")
    play.play_due()
    play.withdraw(*"abc")
    assert play.tournament.phase == "finished"


def test_a_swiss_ends_early_when_all_have_met() -> None:
    """Two of six leave after the second round: in the fourth, two of the remaining four would have to meet again."""
    play = started(Swiss(rounds=5), "abcdef")
    while play.tournament.round < 3:
        play.play_out_one()
    play.withdraw("e", "f")
    play.play_out()
    assert play.tournament.round < 5
    met = [frozenset(pairing.entrants) for pairing in play.planned]
    assert len(set(met)) == len(met)


# Entrants


def test_entrants_are_seeded_by_rating_also_late_ones_and_unrated_ones_are_last() -> None:
    play = entered(Swiss(rounds=3), "", seeding="rating", last_entry_round=1)
    for name, rating in {"weak": 1000.0, "new": None, "strong": 2000.0, "other": 900.0}.items():
        play.enter(name, rating=rating)
    play.do(StartTournament())
    assert list(play.tournament.entrants) == ["strong", "weak", "other", "new"]
    play.enter("middle", rating=1500.0)
    assert list(play.tournament.entrants) == ["strong", "middle", "weak", "other", "new"]


def test_a_draw_of_seeds_depends_on_the_seed() -> None:
    lots = {
        tuple(started(RoundRobin(), "abcdef", seed=bytes([seed]), seeding="random").tournament.entrants)
        for seed in range(20)
    }
    assert len(lots) > 15


def test_a_late_entrant_has_missed_the_rounds_before() -> None:
    play = started(Swiss(rounds=3), "abcd", last_entry_round=1)
    play.enter("e")
    play.play_due()
    assert play.tournament.round_results()["e"][0].kind is ResultKind.MISSED
    assert any("e" in pairing.entrants for pairing in play.planned)
    with pytest.raises(errors.TournamentStarted):
        play.enter("f")


def test_a_round_robin_does_not_allow_late_entry() -> None:
    with pytest.raises(errors.TournamentStarted):
        started(RoundRobin(), "ab").enter("c")


def test_an_entrant_is_in_with_its_name_and_bots_until_it_withdraws() -> None:
    play = started(Swiss(rounds=3), "abcd")
    entrant = play.tournament.entrants["a"]
    assert play.tournament.has_entrant(entrant)
    assert not play.tournament.has_entrant(ContestEntrant("e"))
    assert not play.tournament.has_entrant(ContestEntrant("a", bots=(Player("other"),)))
    play.withdraw("a")
    assert not play.tournament.has_entrant(entrant)


@pytest.mark.parametrize(
    ("form", "most"),
    [(SprtTrial(SprtParameters(10)), 2), (RoundRobin(cycles=1000), 14), (RoundRobin(), 447), (Swiss(rounds=1), 1000)],
    ids=str,
)
def test_the_number_of_entrants_is_limited(form: TournamentFormat, most: int) -> None:
    play = entered(form, map(str, range(most)))
    with pytest.raises(errors.WrongEntrantCount):
        play.enter("one more")


@pytest.mark.parametrize("form", [Swiss(rounds=1), RoundRobin()], ids=str)
def test_the_terms_limit_the_number_of_entrants_and_a_withdrawal_frees_a_place(form: TournamentFormat) -> None:
    play = entered(form, "abc", max_entrants=3)
    with pytest.raises(errors.WrongEntrantCount, match="2 to 3"):
        play.enter("d")
    play.withdraw("a")
    play.enter("d")
    assert list(play.tournament.entrants) == ["b", "c", "d"]


def test_a_gauntlet_needs_its_challengers_and_an_opponent() -> None:
    with pytest.raises(errors.NotAnEntrant):
        started(Gauntlet(challengers=("x",)), "ab")
    with pytest.raises(errors.BadTerms):
        started(Gauntlet(challengers=("a", "b")), "ab")


def test_qualified_entrants_enter_all_at_once() -> None:
    play = entered(RoundRobin(), "")
    best = (ContestEntrant("b"), ContestEntrant("a"))
    assert play.do(QualifyEntrants(best)) == [EntrantJoined(entrant) for entrant in best]
    assert play.do(QualifyEntrants(best)) == []


def test_invalid_commands_are_errors() -> None:
    play = entered(Swiss(rounds=3), "abc")
    with pytest.raises(errors.EntrantNameTaken):
        play.enter("a")
    with pytest.raises(errors.WrongEntrantCount):
        play.do(StartTournament())
    with pytest.raises(errors.TournamentNotStarted):
        play.do(RecordTournamentScore("1.1", 1, 1, MatchScore((1, 2))))
    play.enter("d")
    play.do(StartTournament())
    with pytest.raises(errors.NoSuchPairing):
        play.do(RecordTournamentScore("9.9", 1, 1, MatchScore((1, 2))))
    with pytest.raises(errors.BadScore):
        play.do(RecordTournamentScore("1.1", 1, 1, MatchScore((1,))))


# Withdrawals and the end


def test_a_withdrawal_gives_the_pairing_to_the_opponent() -> None:
    play = started(Swiss(rounds=3), "abcdef")
    play.withdraw("a")
    play.play_out()
    rows = play.tournament.round_results()
    assert [result.kind for result in rows["a"]] == [ResultKind.ABSENT, ResultKind.MISSED, ResultKind.MISSED]
    (left,) = [name for name in rows if rows[name][0].kind is ResultKind.UNOPPOSED]
    assert rows[left][0].points == 1


def test_a_match_in_play_counts_after_a_withdrawal() -> None:
    play = started(RoundRobin(), "abc")
    playing = play.start()
    name, other = playing.pairing.entrants
    play.withdraw(name)
    assert play.tournament.phase == "playing"
    play.result(playing, MatchScore((1, 2)))
    assert play.points[name] == 1
    assert play.points[other] < 1 + len(play.planned)


def test_a_void_match_is_not_repeated_after_a_withdrawal() -> None:
    play = started(RoundRobin(), "ab")
    playing = play.start()
    play.withdraw("a")
    play.void(playing)
    assert play.tournament.phase == "finished"
    assert play.table[0] == (1, "b", 1)


def test_the_rest_of_a_pairing_goes_to_the_entrant_that_stayed_but_not_as_wins() -> None:
    play = started(RoundRobin(), "ab", duplicate=DuplicateSets())
    play.play_out_one()
    play.withdraw("a")
    rows = play.tournament.standings()
    assert [(row.points, row.wins, row.losses) for row in rows] == [(1, 1, 1), (1, 1, 1)]
    assert play.tournament.tie_breaks == ("direct_encounter", "sonneborn_berger", "wins")
    assert {row.entrant: row.tie_breaks for row in rows} == {"a": (0.5, 1, 1), "b": (0.5, 1, 0)}
    assert build_cross_table(play.tournament.round_results(), "ab") == [[None, 1], [1, None]]
    with pytest.raises(errors.TournamentOver):
        play.withdraw("a")


def test_played_matches_count_at_a_table_that_an_entrant_left() -> None:
    play = started(Pools(1, 3), "abc", duplicate=DuplicateSets(3))
    play.play_out_one()
    play.withdraw("b")
    assert play.points == {"a": 1, "b": 0.5, "c": 0}


def test_a_table_left_before_its_start_scores_nothing() -> None:
    play = started(Pools(1, 3), "abc")
    play.withdraw("b")
    assert play.tournament.phase == "finished"
    assert {results[0].kind for results in play.tournament.round_results().values()} == {ResultKind.MISSED}


def test_a_repeated_withdrawal_changes_nothing() -> None:
    play = started(RoundRobin(), "abc")
    assert play.withdraw("a")
    assert play.withdraw("a") == []
    with pytest.raises(errors.NotAnEntrant):
        play.withdraw("x")


def test_a_cancelled_tournament_ignores_results() -> None:
    play = started(RoundRobin(), "ab")
    (due,) = play.tournament.due_matches()
    play.do(CancelTournament("the fire brigade came"))
    assert (play.tournament.phase, play.tournament.due_matches()) == ("cancelled", [])
    assert play.result(due, MatchScore((1, 2))) == []


# Planned size

UNKNOWN = PlannedSize()


@pytest.mark.parametrize(
    ("form", "names", "before", "after"),
    [
        (RoundRobin(), "abcd", UNKNOWN, PlannedSize(3, 6)),
        (Gauntlet(challengers=("a",)), "abcde", UNKNOWN, PlannedSize(4, 4)),
        (Swiss(rounds=3), "abcde", PlannedSize(3), PlannedSize(3)),
        (Pools(4, 3), "abcde", PlannedSize(4), PlannedSize(4)),
        (Elimination(double_elimination=True), "abcde", UNKNOWN, UNKNOWN),
        (SprtTrial(SprtParameters(10)), "ab", UNKNOWN, UNKNOWN),
    ],
    ids=str,
)
def test_the_size_is_known_as_far_as_it_follows_from_the_format(
    form: TournamentFormat, names: str, before: PlannedSize, after: PlannedSize
) -> None:
    play = entered(form, names)
    assert compute_planned_size(play.tournament) == before
    play.do(StartTournament())
    assert compute_planned_size(play.tournament) == after


def test_a_knock_out_has_one_pairing_less_than_entrants() -> None:
    for names in ("ab", "abc", "abcde", "abcdefgh"):
        play = started(Elimination(third_place_match=True), names)
        ahead = compute_planned_size(play.tournament)
        assert compute_planned_size(play.play_out().tournament) == ahead


def test_the_size_of_other_formats_is_known_at_the_end() -> None:
    play = started(Elimination(double_elimination=True), "abc").play_out()
    assert compute_planned_size(play.tournament) == PlannedSize(play.tournament.round, len(play.planned))


def test_a_cancelled_tournament_has_its_current_size() -> None:
    play = started(Swiss(rounds=3), "abcde")
    play.do(CancelTournament())
    assert compute_planned_size(play.tournament).rounds == 1
