import pytest
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.contest_errors import (
    BadScore,
    BadTerms,
    CommandNotAllowed,
    EntrantCountOutOfRange,
    EntrantNameTaken,
    EntryClosed,
    NoSuchPairing,
    UnknownEntrant,
)
from referee.contests.pairing import ContestMatchScored, ContestMatchStarted, DuplicateSets, MatchScore
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tables.round_result import ResultKind, build_cross_table
from referee.contests.tournament import tournament_pairing as planning
from referee.contests.tournament.commands import (
    CancelTournament,
    EnterTournament,
    QualifyEntrants,
    RecordTournamentScore,
    RecordTournamentVoid,
    StartTournament,
    StartTournamentMatch,
    WithdrawEntrant,
)
from referee.contests.tournament.decide import will_pair_round
from referee.contests.tournament.events import PairingsPlanned, TournamentEnded
from referee.contests.tournament.tournament_pairing import compute_planned_size
from referee.contests.tournament.tournament_terms import Pools, SprtTrial, TournamentFormat
from referee.match.setup import Player
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, play_terms, replay, started

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
def test_the_best_entrant_wins(form: TournamentFormat) -> None:
    play = started(form, "abcdefg").play_out()
    assert play.log[-1] == TournamentEnded()
    assert play.table[0][1] == "a"


@formats
def test_replaying_the_log_gives_the_same_tournament_after_every_event(form: TournamentFormat) -> None:
    play = started(form, "abcdefg")
    while play.tournament.phase == "playing":
        assert replay(play.tournament.terms, play.log) == play.tournament
        play.result(due := play.tournament.due_matches()[0], better_name_wins(due))


@formats
def test_resuming_after_any_event_gives_the_same_end(form: TournamentFormat) -> None:
    whole = started(form, "abcdefg").play_out()
    scored = [number for number, event in enumerate(whole.log) if isinstance(event, ContestMatchScored)]
    for number in scored:
        resumed = TournamentHarness(replay(whole.tournament.terms, whole.log[:number]), whole.log[:number])
        event = whole.log[number]
        assert isinstance(event, ContestMatchScored)
        resumed.do(RecordTournamentScore(event.pairing, event.number, 1, event.score))
        assert resumed.play_out().log == whole.log


@formats
def test_the_order_of_results_does_not_change_the_standings(form: TournamentFormat) -> None:
    forwards = started(form, "abcdefg").play_out()
    backwards = started(form, "abcdefg")
    while backwards.tournament.phase == "playing":
        backwards.result(due := backwards.tournament.due_matches()[-1], better_name_wins(due))
    assert backwards.table == forwards.table


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
    assert play.result(first, MatchScore((1, 2))) == []
    assert play.void(first) == []
    assert play.result(second, MatchScore((2, 1))) == [
        ContestMatchScored("1.1", 1, MatchScore((2, 1))),
        TournamentEnded(),
    ]


def test_the_seats_rotate_within_a_pairing() -> None:
    play = started(play_terms(Elimination(matches_per_pairing=2), b""), "ab")
    assert [due.seats for due in play.tournament.due_matches()] == [("a", "b"), ("b", "a")]


def test_due_matches_respect_the_limit() -> None:
    play = started(play_terms(RoundRobin(), b"", max_concurrent_matches=2), "abcd")
    first, second = play.tournament.due_matches()
    assert play.tournament.due_matches([first.id, second.id]) == []
    assert [due.id for due in play.tournament.due_matches([second.id])] == [first.id]


def test_a_slow_pair_in_a_round_robin_delays_no_others() -> None:
    play = started(RoundRobin(), "abcd")
    slow = play.tournament.due_matches()[0]
    while others := play.tournament.due_matches([slow.id]):
        play.result(others[0], better_name_wins(others[0]))
    assert play.tournament.due_matches() == [slow]


@pytest.mark.parametrize(
    "form", [RoundRobin(cycles=2), Gauntlet(challengers=("g", "a", "c"), cycles=2)], ids=["round robin", "gauntlet"]
)
def test_a_schedule_that_is_planned_in_parts_ends_as_if_it_were_planned_at_once(
    form: TournamentFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(ahead: int) -> TournamentHarness:
        monkeypatch.setattr(planning, "MIN_OPEN_PAIRINGS", ahead)
        play = started(form, "abcdefg")
        for _ in range(4):
            play.result(due := play.tournament.due_matches()[0], better_name_wins(due))
            unplanned = compute_planned_size(play.tournament).pairings - len(play.tournament.pairings)
            assert len(play.tournament.open_pairings) >= min(ahead, unplanned)
        for name in "bd":
            play.do(WithdrawEntrant(name))
        return play.play_out()

    at_once, in_parts = played(1000), played(3)
    assert [sum(isinstance(event, PairingsPlanned) for event in play.log) > 3 for play in (at_once, in_parts)] == [
        False,
        True,
    ]
    assert list(in_parts.tournament.pairings.values()) == list(at_once.tournament.pairings.values())
    assert in_parts.table == at_once.table


def test_a_limit_of_matches_in_play_above_the_planning_horizon_is_reached() -> None:
    limit = planning.MIN_OPEN_PAIRINGS + 100
    assert (
        len(
            started(
                play_terms(RoundRobin(cycles=50), b"seed", max_concurrent_matches=limit), "abcdefgh"
            ).tournament.due_matches()
        )
        == limit
    )


def test_a_swiss_round_waits_for_all_of_the_one_before() -> None:
    play = started(Swiss(rounds=2), "abcd")
    first, second = play.tournament.due_matches()
    play.result(first, better_name_wins(first))
    assert play.tournament.round == 1
    assert any(isinstance(event, PairingsPlanned) for event in play.result(second, better_name_wins(second)))


def test_a_round_is_paired_at_the_start_and_by_the_last_result_of_the_round_before() -> None:
    play = entered(Swiss(rounds=2), "abcd")
    assert will_pair_round(play.tournament, StartTournament())
    play.do(StartTournament())
    first, last = [
        RecordTournamentScore(due.pairing.id, due.number, due.attempt, better_name_wins(due))
        for due in play.tournament.due_matches()
    ]
    assert not will_pair_round(play.tournament, first)
    play.do(first)
    assert will_pair_round(play.tournament, last)


def test_a_withdrawal_gives_the_pairing_to_the_opponent() -> None:
    play = started(Swiss(rounds=3), "abcdef")
    play.do(WithdrawEntrant("a", "no power"))
    play.play_out()
    rows = play.tournament.round_results()
    (left,) = [name for name in rows if rows[name][0].kind is ResultKind.UNOPPOSED]
    assert rows["a"][0].kind is ResultKind.ABSENT
    assert [encounter.kind for encounter in rows["a"][1:]] == [ResultKind.MISSED, ResultKind.MISSED]
    assert rows[left][0].points == 1


def test_an_entrant_is_in_with_its_name_and_bots_until_it_withdraws() -> None:
    play = started(Swiss(rounds=3), "abcd")
    entrant = play.tournament.entrants["a"]
    assert play.tournament.has_entrant(entrant)
    assert not play.tournament.has_entrant(ContestEntrant("e"))
    assert not play.tournament.has_entrant(ContestEntrant("a", bots=(Player("other"),)))
    play.do(WithdrawEntrant("a"))
    assert not play.tournament.has_entrant(entrant)


def test_a_withdrawal_before_the_start_removes_the_entrant() -> None:
    play = entered(RoundRobin(), "abc")
    play.do(WithdrawEntrant("b"))
    play.do(StartTournament())
    assert list(play.tournament.entrants) == ["a", "c"]


def test_a_late_entrant_has_missed_the_rounds_before() -> None:
    play = started(play_terms(Swiss(rounds=3), b"", last_entry_round=1), "abcd")
    play.do(EnterTournament(ContestEntrant("e")))
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    assert play.tournament.round_results()["e"][0].kind is ResultKind.MISSED
    assert "e" in {name for progress in play.tournament.pairings.values() for name in progress.pairing.entrants}
    with pytest.raises(EntryClosed):
        play.do(EnterTournament(ContestEntrant("f")))


def test_a_bye_gives_the_points_of_a_win() -> None:
    play = started(Swiss(rounds=1), "abc").play_out()
    assert sorted(points for _, _, points in play.table) == [0, 1, 1]


def test_the_best_rated_entrant_is_number_one_and_unrated_ones_are_last() -> None:
    play = entered(play_terms(RoundRobin(), b"", seeding="rating"), [])
    for name, rating in {"weak": 1000.0, "new": None, "strong": 2000.0}.items():
        play.do(EnterTournament(ContestEntrant(name, rating=rating)))
    play.do(StartTournament())
    assert list(play.tournament.entrants) == ["strong", "weak", "new"]


def test_a_draw_of_seeds_depends_on_the_seed() -> None:
    lots = {
        tuple(started(play_terms(RoundRobin(), bytes([seed]), seeding="random"), "abcdef").tournament.entrants)
        for seed in range(20)
    }
    assert len(lots) > 15


def test_a_cancelled_tournament_ignores_results() -> None:
    play = started(RoundRobin(), "ab")
    (due,) = play.tournament.due_matches()
    play.do(CancelTournament("the fire brigade came"))
    assert play.tournament.phase == "cancelled"
    assert play.result(due, MatchScore((1, 2))) == []


def test_invalid_commands_are_errors() -> None:
    play = entered(Swiss(rounds=3), "abc")
    with pytest.raises(EntrantNameTaken):
        play.do(EnterTournament(ContestEntrant("a")))
    with pytest.raises(EntrantCountOutOfRange):
        play.do(StartTournament())
    with pytest.raises(CommandNotAllowed):
        play.do(RecordTournamentScore("1.1", 1, 1, MatchScore((1, 2))))
    play.do(EnterTournament(ContestEntrant("d")))
    play.do(StartTournament())
    with pytest.raises(NoSuchPairing):
        play.do(RecordTournamentScore("9.9", 1, 1, MatchScore((1, 2))))
    with pytest.raises(BadScore):
        play.do(RecordTournamentScore("1.1", 1, 1, MatchScore((1,))))


def test_the_table_of_an_earlier_round_can_still_be_seen() -> None:
    play = started(Swiss(rounds=3), "abcd").play_out()
    assert max(row.points for row in play.tournament.standings(until=1)) == 1


def test_matches_are_counted_one_by_one_also_within_a_pairing() -> None:
    play = started(play_terms(Elimination(matches_per_pairing=4), b""), "ab")
    for due, ranks in zip(play.tournament.due_matches(), [(1, 2), (1, 1), (2, 1), (1, 2)], strict=True):
        play.result(due, MatchScore(ranks, ("a",) if ranks == (2, 1) else ()))
    row = next(row for row in play.tournament.standings() if row.entrant == "a")
    assert (row.points, row.wins, row.draws, row.losses) == (2.5, 2, 1, 1)
    assert play.tournament.pairings.forfeit_counts() == {"a": 1}


def begin(play: TournamentHarness, match_id: str = "m1") -> None:
    due = play.tournament.due_matches()[0]
    play.do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, match_id))


def test_the_log_contains_the_ids_of_matches() -> None:
    play = started(RoundRobin(), "ab")
    begin(play)

    assert play.log[-1] == ContestMatchStarted("1.1", 1, 1, "m1")
    assert play.tournament.pairings["1.1"].match_ids == {(1, 1): "m1"}
    assert [due.id for due in play.tournament.matches_in_play] == ["1.1/1.1"]
    assert play.tournament.due_matches() == []


def test_a_match_begins_once_and_not_after_its_end() -> None:
    play = started(RoundRobin(), "ab")
    begin(play)
    assert play.do(StartTournamentMatch("1.1", 1, 1, "m2")) == []
    play.do(RecordTournamentVoid("1.1", 1, 1))
    assert play.tournament.matches_in_play == []
    assert play.do(StartTournamentMatch("1.1", 1, 1, "m2")) == []
    assert play.do(StartTournamentMatch("1.1", 1, 2, "m2")) == [ContestMatchStarted("1.1", 1, 2, "m2")]
    assert list(play.tournament.pairings["1.1"].match_ids.values()) == ["m1", "m2"]
    play.do(RecordTournamentScore("1.1", 1, 2, MatchScore((1, 2))))
    assert play.do(StartTournamentMatch("1.1", 1, 2, "m3")) == []
    with pytest.raises(NoSuchPairing):
        play.do(StartTournamentMatch("9.9", 1, 1, "m4"))


def test_matches_in_play_count_towards_the_limit() -> None:
    play = started(play_terms(RoundRobin(), b"", max_concurrent_matches=2), "abcd")
    begin(play)
    assert [due.id for due in play.tournament.due_matches()] == ["1.2/1.1"]
    assert play.tournament.due_matches(["1.2/1.1"]) == []


def test_a_match_in_play_counts_after_a_withdrawal() -> None:
    play = started(RoundRobin(), "abc")
    begin(play)
    (playing,) = play.tournament.matches_in_play
    name, other = playing.pairing.entrants
    play.do(WithdrawEntrant(name))
    assert play.tournament.phase == "playing"
    play.result(playing, MatchScore((1, 2)))

    points = {row.entrant: row.points for row in play.tournament.standings()}
    assert points[name] == 1
    assert points[other] < 1 + len(play.tournament.pairings)


def test_a_void_match_is_not_repeated_after_a_withdrawal() -> None:
    play = started(RoundRobin(), "ab")
    begin(play)
    play.do(WithdrawEntrant("a"))
    play.do(RecordTournamentVoid("1.1", 1, 1))

    assert play.tournament.phase == "finished"
    assert play.table[0] == (1, "b", 1)


def test_the_rest_of_a_pairing_goes_to_the_entrant_that_stayed() -> None:
    play = started(play_terms(RoundRobin(), b"", duplicate=DuplicateSets()), "ab")
    play.result(play.tournament.due_matches()[0], MatchScore((1, 2)))
    play.do(WithdrawEntrant("a"))

    assert {name: points for _, name, points in play.table} == {"a": 1, "b": 1}
    with pytest.raises(CommandNotAllowed):
        play.do(WithdrawEntrant("a"))


def test_walkovers_count_as_points_against_the_opponent_but_not_as_wins() -> None:
    play = started(play_terms(RoundRobin(), b"", duplicate=DuplicateSets()), "ab")
    play.result(play.tournament.due_matches()[0], MatchScore((1, 2)))
    play.do(WithdrawEntrant("a"))

    rows = play.tournament.standings()
    assert [(row.wins, row.losses) for row in rows] == [(1, 1), (1, 1)]
    assert play.tournament.tie_breaks == ("direct_encounter", "sonneborn_berger", "wins")
    assert {row.entrant: row.tie_breaks for row in rows} == {"a": (0.5, 1, 1), "b": (0.5, 1, 0)}
    assert build_cross_table(play.tournament.round_results(), "ab") == [[None, 1], [1, None]]


def test_played_matches_count_at_a_table_that_an_entrant_left() -> None:
    play = started(play_terms(Pools(1, 3), b"", duplicate=DuplicateSets(3)), "abc")
    play.result(due := play.tournament.due_matches()[0], better_name_wins(due))
    play.do(WithdrawEntrant("b"))

    assert {name: points for _, name, points in play.table} == {"a": 1, "b": 0.5, "c": 0}


def test_a_repeated_withdrawal_changes_nothing() -> None:
    play = started(RoundRobin(), "abc")
    assert play.do(WithdrawEntrant("a"))
    assert play.do(WithdrawEntrant("a")) == []
    with pytest.raises(UnknownEntrant):
        play.do(WithdrawEntrant("x"))


def test_a_late_entrant_is_seeded_by_its_rating() -> None:
    play = entered(play_terms(Swiss(rounds=3), b"", seeding="rating", last_entry_round=1), [])
    for name, rating in {"weak": 1000.0, "new": None, "strong": 2000.0, "other": 900.0}.items():
        play.do(EnterTournament(ContestEntrant(name, rating=rating)))
    play.do(StartTournament())
    play.do(EnterTournament(ContestEntrant("middle", rating=1500.0)))
    assert list(play.tournament.entrants) == ["strong", "middle", "weak", "other", "new"]


@pytest.mark.parametrize(
    ("form", "most"),
    [(SprtTrial(SprtParameters(10)), 2), (RoundRobin(cycles=1000), 14), (RoundRobin(), 447), (Swiss(rounds=1), 1000)],
    ids=str,
)
def test_the_number_of_entrants_is_limited(form: TournamentFormat, most: int) -> None:
    play = entered(form, (str(number) for number in range(most)))
    with pytest.raises(EntrantCountOutOfRange):
        play.do(EnterTournament(ContestEntrant("one more")))


@pytest.mark.parametrize("form", [Swiss(rounds=1), RoundRobin()], ids=str)
def test_the_terms_limit_the_number_of_entrants_and_a_withdrawal_frees_a_place(form: TournamentFormat) -> None:
    play = entered(play_terms(form, max_entrants=3), "abc")
    with pytest.raises(EntrantCountOutOfRange, match="2 to 3"):
        play.do(EnterTournament(ContestEntrant("d")))
    play.do(WithdrawEntrant("a"))
    play.do(EnterTournament(ContestEntrant("d")))
    assert list(play.tournament.entrants) == ["b", "c", "d"]


@pytest.mark.parametrize("most", [3, 1001])
def test_a_maximum_number_of_entrants_must_allow_a_start(most: int) -> None:
    with pytest.raises(BadTerms, match="max_entrants must be from 4 to 1000"):
        play_terms(Swiss(rounds=3), max_entrants=most)


def test_a_gauntlet_needs_its_challengers_and_an_opponent() -> None:
    with pytest.raises(UnknownEntrant):
        entered(Gauntlet(challengers=("x",)), "ab").do(StartTournament())
    with pytest.raises(BadTerms):
        entered(Gauntlet(challengers=("a", "b")), "ab").do(StartTournament())


def test_unequal_scores_of_partners_or_a_forfeit_of_another_player_are_an_error() -> None:
    play = started(Pools(1, 4, ((0, 2), (1, 3))), "abcd")
    (due,) = play.tournament.due_matches()
    with pytest.raises(BadScore, match="differ within a side"):
        play.result(due, MatchScore((1, 2, 3, 4)))
    with pytest.raises(BadScore, match="not in it"):
        play.result(due, MatchScore((1, 2, 1, 2), ("x",)))


def test_a_swiss_without_a_possible_pairing_ends() -> None:
    play = started(Swiss(rounds=3), "abcd")
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    for name in "abc":
        play.do(WithdrawEntrant(name))
    assert play.tournament.phase == "finished"


def test_a_round_robin_does_not_allow_late_entry() -> None:
    with pytest.raises(EntryClosed):
        started(RoundRobin(), "ab").do(EnterTournament(ContestEntrant("c")))


def test_a_swiss_ends_early_when_all_have_met() -> None:
    """Two of six leave after the second round: in the fourth, two of the remaining four would have to meet again."""
    play = started(Swiss(rounds=5), "abcdef")
    while play.tournament.round < 3:
        play.result(due := play.tournament.due_matches()[0], better_name_wins(due))
    for name in "ef":
        play.do(WithdrawEntrant(name))
    play.play_out()

    assert play.tournament.phase == "finished"
    assert play.tournament.round < 5
    met = [frozenset(progress.pairing.entrants) for progress in play.tournament.pairings.values()]
    assert len(set(met)) == len(met)


def test_a_table_left_before_its_start_scores_nothing() -> None:
    play = started(Pools(1, 3), "abc")
    play.do(WithdrawEntrant("b"))

    assert play.tournament.phase == "finished"
    assert {encounters[0].kind for encounters in play.tournament.round_results().values()} == {ResultKind.MISSED}


def test_both_entrants_may_leave_a_knock_out() -> None:
    play = started(Elimination(), "abcd")
    for name in "ad":
        play.do(WithdrawEntrant(name))
    play.play_out()
    assert play.table[0][1] == "b"


def test_qualified_entrants_enter_all_at_once() -> None:
    play = entered(RoundRobin(), [])
    best = (ContestEntrant("b"), ContestEntrant("a"))
    assert play.do(QualifyEntrants(best)) == [EntrantJoined(entrant) for entrant in best]
    assert play.do(QualifyEntrants(best)) == []
