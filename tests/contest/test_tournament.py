import pytest

from referee.contest import planning
from referee.contest.cross_table import cross_table
from referee.contest.directing import Begin, Cancel, Enter, Record, RecordVoid, Start, Withdraw, pairs_a_round
from referee.contest.duplicate import Duplicate
from referee.contest.encounters import How
from referee.contest.formats import Elimination, Format, Gauntlet, Pools, RoundRobin, Swiss, Trial
from referee.contest.match_events import Began, Scored
from referee.contest.outlook import outlook
from referee.contest.pairing import Score
from referee.contest.refusals import (
    BadScore,
    BadTerms,
    NameTaken,
    NoSuchEntrant,
    NoSuchPairing,
    NotInThisPhase,
    TooLate,
    WrongEntrantCount,
)
from referee.contest.sprt import Sprt
from referee.contest.terms import Seeding, Terms
from referee.contest.tiebreak import TieBreak
from referee.contest.tournament import Phase, replay
from referee.contest.tournament_events import Ended, Entrant, Paired
from tests.contest.plays import Play, better_name_wins, entered, started

FORMATS: list[Format] = [
    RoundRobin(2),
    Swiss(4),
    Elimination(),
    Elimination(twice=True),
    Gauntlet(("a", "b")),
    Pools(4, 3),
    Gauntlet(("g", "a", "c"), 2),
]

formats = pytest.mark.parametrize("form", FORMATS, ids=lambda form: type(form).__name__)


@formats
def test_it_ends_with_the_best_on_top(form: Format) -> None:
    play = started(form, "abcdefg").play_out()
    assert play.log[-1] == Ended()
    assert play.table[0][1] == "a"


@formats
def test_the_log_tells_the_whole_story_after_every_event(form: Format) -> None:
    play = started(form, "abcdefg")
    while play.tournament.phase is Phase.PLAYING:
        assert replay(play.tournament.terms, play.log) == play.tournament
        play.result(due := play.tournament.due()[0], better_name_wins(due))


@formats
def test_whoever_resumes_it_after_any_step_comes_to_the_same_end(form: Format) -> None:
    whole = started(form, "abcdefg").play_out()
    scored = [number for number, event in enumerate(whole.log) if isinstance(event, Scored)]
    for number in scored:
        resumed = Play(replay(whole.tournament.terms, whole.log[:number]), whole.log[:number])
        event = whole.log[number]
        assert isinstance(event, Scored)
        resumed.do(Record(event.pairing, event.number, 1, event.score))
        assert resumed.play_out().log == whole.log


@formats
def test_results_in_another_order_make_the_same_table(form: Format) -> None:
    forwards = started(form, "abcdefg").play_out()
    backwards = started(form, "abcdefg")
    while backwards.tournament.phase is Phase.PLAYING:
        backwards.result(due := backwards.tournament.due()[-1], better_name_wins(due))
    assert backwards.table == forwards.table


def test_a_result_counts_once() -> None:
    play = started(RoundRobin(), "abc")
    due = play.tournament.due()[0]
    assert play.result(due, Score((1, 2)))
    assert play.result(due, Score((2, 1))) == []


def test_a_void_match_is_played_again_under_the_same_pairing_and_never_scored() -> None:
    play = started(RoundRobin(), "ab")
    (first,) = play.tournament.due()
    play.void(first)
    (second,) = play.tournament.due()
    assert (second.pairing.id, second.number, second.attempt) == (first.pairing.id, 1, 2)
    assert play.result(first, Score((1, 2))) == []
    assert play.void(first) == []
    assert play.result(second, Score((2, 1))) == [Scored("1.1", 1, Score((2, 1))), Ended()]


def test_the_seats_rotate_within_a_pairing() -> None:
    play = started(Terms(Elimination(matches=2), b""), "ab")
    assert [due.seats for due in play.tournament.due()] == [("a", "b"), ("b", "a")]


def test_no_more_matches_are_due_than_may_be_in_play() -> None:
    play = started(Terms(RoundRobin(), b"", matches_at_once=2), "abcd")
    one, two = play.tournament.due()
    assert play.tournament.due([one.id, two.id]) == []
    assert [due.id for due in play.tournament.due([two.id])] == [one.id]


def test_in_a_round_robin_a_slow_pair_holds_nobody_up() -> None:
    play = started(RoundRobin(), "abcd")
    slow = play.tournament.due()[0]
    while others := play.tournament.due([slow.id]):
        play.result(others[0], better_name_wins(others[0]))
    assert play.tournament.due() == [slow]


@pytest.mark.parametrize("form", [RoundRobin(2), Gauntlet(("g", "a", "c"), 2)], ids=["round robin", "gauntlet"])
def test_a_schedule_that_is_planned_in_parts_ends_as_if_it_were_planned_at_once(
    form: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(ahead: int) -> Play:
        monkeypatch.setattr(planning, "PLANNED_AHEAD", ahead)
        play = started(form, "abcdefg")
        for _ in range(4):
            play.result(due := play.tournament.due()[0], better_name_wins(due))
            unplanned = outlook(play.tournament).pairings - len(play.tournament.courses)
            assert len(play.tournament.open) >= min(ahead, unplanned)
        for name in "bd":
            play.do(Withdraw(name))
        return play.play_out()

    at_once, in_parts = played(1000), played(3)
    assert [sum(isinstance(event, Paired) for event in play.log) > 3 for play in (at_once, in_parts)] == [False, True]
    assert list(in_parts.tournament.courses.values()) == list(at_once.tournament.courses.values())
    assert in_parts.table == at_once.table


def test_a_limit_of_matches_in_play_is_reached_also_where_it_is_higher_than_what_is_planned_ahead() -> None:
    limit = planning.PLANNED_AHEAD + 100
    assert len(started(Terms(RoundRobin(50), b"seed", matches_at_once=limit), "abcdefgh").tournament.due()) == limit


def test_a_swiss_round_waits_for_all_of_the_one_before() -> None:
    play = started(Swiss(2), "abcd")
    one, two = play.tournament.due()
    play.result(one, better_name_wins(one))
    assert play.tournament.round == 1
    assert any(isinstance(event, Paired) for event in play.result(two, better_name_wins(two)))


def test_a_round_is_paired_at_the_start_and_by_the_last_result_of_the_round_before() -> None:
    play = entered(Swiss(2), "abcd")
    assert pairs_a_round(play.tournament, Start())
    play.do(Start())
    first, last = [
        Record(due.pairing.id, due.number, due.attempt, better_name_wins(due)) for due in play.tournament.due()
    ]
    assert not pairs_a_round(play.tournament, first)
    play.do(first)
    assert pairs_a_round(play.tournament, last)


def test_who_withdraws_leaves_its_pairing_to_the_other_and_is_paired_no_more() -> None:
    play = started(Swiss(3), "abcdef")
    play.do(Withdraw("a", "no power"))
    play.play_out()
    rows = play.tournament.table()
    (left,) = [name for name in rows if rows[name][0].how is How.UNOPPOSED]
    assert rows["a"][0].how is How.ABSENT
    assert [encounter.how for encounter in rows["a"][1:]] == [How.MISSED, How.MISSED]
    assert rows[left][0].points == 1


def test_who_withdraws_before_the_start_was_never_there() -> None:
    play = entered(RoundRobin(), "abc")
    play.do(Withdraw("b"))
    play.do(Start())
    assert list(play.tournament.entrants) == ["a", "c"]


def test_who_comes_late_has_lost_the_rounds_before() -> None:
    play = started(Terms(Swiss(3), b"", late_entry_rounds=1), "abcd")
    play.do(Enter(Entrant("e")))
    for due in play.tournament.due():
        play.result(due, better_name_wins(due))
    assert play.tournament.table()["e"][0].how is How.MISSED
    assert "e" in {name for it in play.tournament.courses.values() for name in it.pairing.entrants}
    with pytest.raises(TooLate):
        play.do(Enter(Entrant("f")))


def test_a_bye_gives_the_points_of_a_win() -> None:
    play = started(Swiss(1), "abc").play_out()
    assert sorted(points for _, _, points in play.table) == [0, 1, 1]


def test_the_best_rated_is_number_one_and_the_unrated_come_last() -> None:
    play = entered(Terms(RoundRobin(), b"", seeding=Seeding.RATING), [])
    for name, rating in {"weak": 1000.0, "new": None, "strong": 2000.0}.items():
        play.do(Enter(Entrant(name, rating)))
    play.do(Start())
    assert list(play.tournament.entrants) == ["strong", "weak", "new"]


def test_a_lot_is_the_seeds_own() -> None:
    lots = {
        tuple(started(Terms(RoundRobin(), bytes([seed]), seeding=Seeding.LOT), "abcdef").tournament.entrants)
        for seed in range(20)
    }
    assert len(lots) > 15


def test_called_off_it_takes_no_more_results() -> None:
    play = started(RoundRobin(), "ab")
    (due,) = play.tournament.due()
    play.do(Cancel("the fire brigade came"))
    assert play.tournament.phase is Phase.CANCELLED
    assert play.result(due, Score((1, 2))) == []


def test_what_cannot_be_is_refused() -> None:
    play = entered(Swiss(3), "abc")
    with pytest.raises(NameTaken):
        play.do(Enter(Entrant("a")))
    with pytest.raises(WrongEntrantCount):
        play.do(Start())
    with pytest.raises(NotInThisPhase):
        play.do(Record("1.1", 1, 1, Score((1, 2))))
    play.do(Enter(Entrant("d")))
    play.do(Start())
    with pytest.raises(NoSuchPairing):
        play.do(Record("9.9", 1, 1, Score((1, 2))))
    with pytest.raises(BadScore):
        play.do(Record("1.1", 1, 1, Score((1,))))


def test_the_table_of_an_earlier_round_can_still_be_seen() -> None:
    play = started(Swiss(3), "abcd").play_out()
    assert max(row.points for row in play.tournament.standings(until=1)) == 1


def test_matches_are_counted_one_by_one_also_within_a_pairing() -> None:
    play = started(Terms(Elimination(matches=3, extra=0), b""), "ab")
    for due, ranks in zip(play.tournament.due(), [(1, 2), (1, 1), (2, 1)], strict=True):
        play.result(due, Score(ranks, ("a",) if ranks == (2, 1) else ()))
    row = next(row for row in play.tournament.standings() if row.entrant == "a")
    assert (row.points, row.wins, row.draws, row.losses) == (1.5, 1, 1, 1)
    assert play.tournament.forfeits() == {"a": 1}


def begin(play: Play, match_id: str = "m1") -> None:
    due = play.tournament.due()[0]
    play.do(Begin(due.pairing.id, due.number, due.attempt, match_id))


def test_the_log_tells_which_matches_there_are() -> None:
    play = started(RoundRobin(), "ab")
    begin(play)

    assert play.log[-1] == Began("1.1", 1, 1, "m1")
    assert play.tournament.courses["1.1"].match_ids == {(1, 1): "m1"}
    assert [due.id for due in play.tournament.playing] == ["1.1/1.1"]
    assert play.tournament.due() == []


def test_a_match_begins_once_and_not_after_its_end() -> None:
    play = started(RoundRobin(), "ab")
    begin(play)
    assert play.do(Begin("1.1", 1, 1, "m2")) == []
    play.do(RecordVoid("1.1", 1, 1))
    assert play.tournament.playing == []
    assert play.do(Begin("1.1", 1, 1, "m2")) == []
    assert play.do(Begin("1.1", 1, 2, "m2")) == [Began("1.1", 1, 2, "m2")]
    assert list(play.tournament.courses["1.1"].match_ids.values()) == ["m1", "m2"]
    play.do(Record("1.1", 1, 2, Score((1, 2))))
    assert play.do(Begin("1.1", 1, 2, "m3")) == []
    with pytest.raises(NoSuchPairing):
        play.do(Begin("9.9", 1, 1, "m4"))


def test_matches_in_play_count_towards_the_limit() -> None:
    play = started(Terms(RoundRobin(), b"", matches_at_once=2), "abcd")
    begin(play)
    assert [due.id for due in play.tournament.due()] == ["1.2/1.1"]
    assert play.tournament.due(["1.2/1.1"]) == []


def test_who_withdraws_in_the_middle_of_a_match_still_has_its_result() -> None:
    play = started(RoundRobin(), "abc")
    begin(play)
    (playing,) = play.tournament.playing
    name, other = playing.pairing.entrants
    play.do(Withdraw(name))
    assert play.tournament.phase is Phase.PLAYING
    play.result(playing, Score((1, 2)))

    points = {row.entrant: row.points for row in play.tournament.standings()}
    assert points[name] == 1
    assert points[other] < 1 + len(play.tournament.courses)


def test_a_match_that_becomes_void_after_somebody_left_is_not_played_again() -> None:
    play = started(RoundRobin(), "ab")
    begin(play)
    play.do(Withdraw("a"))
    play.do(RecordVoid("1.1", 1, 1))

    assert play.tournament.phase is Phase.FINISHED
    assert play.table[0] == (1, "b", 1)


def test_of_a_pairing_that_was_left_half_way_the_rest_goes_to_who_stayed() -> None:
    play = started(Terms(RoundRobin(), b"", duplicate=Duplicate()), "ab")
    play.result(play.tournament.due()[0], Score((1, 2)))
    play.do(Withdraw("a"))

    assert {name: points for _, name, points in play.table} == {"a": 1, "b": 1}
    with pytest.raises(NotInThisPhase):
        play.do(Withdraw("a"))


def test_what_was_left_to_who_stayed_is_a_win_against_who_left_though_not_by_playing() -> None:
    play = started(Terms(RoundRobin(), b"", duplicate=Duplicate()), "ab")
    play.result(play.tournament.due()[0], Score((1, 2)))
    play.do(Withdraw("a"))

    rows = play.tournament.standings()
    assert [(row.wins, row.losses) for row in rows] == [(1, 1), (1, 1)]
    assert play.tournament.tie_breaks == (TieBreak.DIRECT_ENCOUNTER, TieBreak.SONNEBORN_BERGER, TieBreak.WINS)
    assert {row.entrant: row.tie_breaks for row in rows} == {"a": (0.5, 1, 1), "b": (0.5, 1, 0)}
    assert cross_table(play.tournament.table(), "ab") == [[None, 1], [1, None]]


def test_of_a_table_that_somebody_leaves_half_way_what_was_played_counts() -> None:
    play = started(Terms(Pools(1, 3), b"", duplicate=Duplicate(3)), "abc")
    play.result(due := play.tournament.due()[0], better_name_wins(due))
    play.do(Withdraw("b"))

    assert {name: points for _, name, points in play.table} == {"a": 1, "b": 0.5, "c": 0}


def test_who_has_left_twice_has_left_once() -> None:
    play = started(RoundRobin(), "abc")
    assert play.do(Withdraw("a"))
    assert play.do(Withdraw("a")) == []
    with pytest.raises(NoSuchEntrant):
        play.do(Withdraw("x"))


def test_who_comes_late_to_a_tournament_seeded_by_rating_has_the_number_that_its_rating_gives() -> None:
    play = entered(Terms(Swiss(3), b"", seeding=Seeding.RATING, late_entry_rounds=1), [])
    for name, rating in {"weak": 1000.0, "new": None, "strong": 2000.0, "other": 900.0}.items():
        play.do(Enter(Entrant(name, rating)))
    play.do(Start())
    play.do(Enter(Entrant("middle", 1500.0)))
    assert list(play.tournament.entrants) == ["strong", "middle", "weak", "other", "new"]


@pytest.mark.parametrize(
    ("form", "most"), [(Trial(Sprt(10)), 2), (RoundRobin(1000), 14), (RoundRobin(), 447), (Swiss(1), 1000)], ids=str
)
def test_there_is_a_most_of_entrants(form: Format, most: int) -> None:
    play = entered(form, (str(number) for number in range(most)))
    with pytest.raises(WrongEntrantCount):
        play.do(Enter(Entrant("one more")))


def test_a_challenger_must_be_there_and_somebody_else_too() -> None:
    with pytest.raises(NoSuchEntrant):
        entered(Gauntlet(("x",)), "ab").do(Start())
    with pytest.raises(BadTerms):
        entered(Gauntlet(("a", "b")), "ab").do(Start())


def test_a_score_of_partners_who_differ_or_with_a_strangers_forfeit_is_refused() -> None:
    play = started(Pools(1, 4, ((0, 2), (1, 3))), "abcd")
    (due,) = play.tournament.due()
    with pytest.raises(BadScore, match="differ within a side"):
        play.result(due, Score((1, 2, 3, 4)))
    with pytest.raises(BadScore, match="not in it"):
        play.result(due, Score((1, 2, 1, 2), ("x",)))


def test_a_swiss_that_can_be_paired_no_further_ends() -> None:
    play = started(Swiss(3), "abcd")
    for due in play.tournament.due():
        play.result(due, better_name_wins(due))
    for name in "abc":
        play.do(Withdraw(name))
    assert play.tournament.phase is Phase.FINISHED


def test_a_round_robin_takes_nobody_after_its_start() -> None:
    with pytest.raises(TooLate):
        started(RoundRobin(), "ab").do(Enter(Entrant("c")))


def test_a_swiss_in_which_everybody_has_met_everybody_ends_before_its_last_round() -> None:
    """Of six, two leave after the second round: in the fourth, somebody of the four would have to meet again."""
    play = started(Swiss(5), "abcdef")
    while play.tournament.round < 3:
        play.result(due := play.tournament.due()[0], better_name_wins(due))
    for name in "ef":
        play.do(Withdraw(name))
    play.play_out()

    assert play.tournament.phase is Phase.FINISHED
    assert play.tournament.round < 5
    met = [frozenset(it.pairing.entrants) for it in play.tournament.courses.values()]
    assert len(set(met)) == len(met)


def test_of_a_table_that_somebody_leaves_before_it_has_begun_nobody_gains() -> None:
    play = started(Pools(1, 3), "abc")
    play.do(Withdraw("b"))

    assert play.tournament.phase is Phase.FINISHED
    assert {encounters[0].how for encounters in play.tournament.table().values()} == {How.MISSED}


def test_both_may_leave_a_knock_out() -> None:
    play = started(Elimination(), "abcd")
    for name in "ad":
        play.do(Withdraw(name))
    play.play_out()
    assert play.table[0][1] == "b"
