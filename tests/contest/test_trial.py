"""Two meet, set after set, until a test knows: sets count in the order planned, whatever the order they end in."""

from collections.abc import Iterator

import pytest

from referee.contest.directing import Begin, Withdraw
from referee.contest.duplicate import Duplicate
from referee.contest.elo import expected
from referee.contest.estimates import estimates
from referee.contest.formats import Model, Trial
from referee.contest.pairing import Due, Score
from referee.contest.sprt import Sprt, Verdict, judged
from referee.contest.tally import Tally
from referee.contest.terms import Terms
from referee.contest.tournament import Phase, replay
from referee.contest.tournament_events import Ended
from referee.contest.trial import State
from tests.contest.luck import luck
from tests.contest.plays import Play, level, started

SPRT = Sprt(elo1=100)
PARTNERS = ((0, 2), (1, 3))


def trial(model: Model = Model.PENTANOMIAL, at_once: int = 4, test: Sprt = SPRT) -> Play:
    return started(Terms(Trial(test, model), b"seed", matches_at_once=at_once), "ab")


def state_of(play: Play) -> State:
    assert play.tournament.test
    return play.tournament.test


def wins(name: str, due: Due) -> Score:
    """Whoever sits where, every seat of that name comes in before all others."""
    return Score(tuple(1 if entrant == name else 2 for entrant in due.pairing.entrants))


def by_lot(draws: Iterator[float], lead: float) -> dict[str, Score]:
    """The result of every match, fixed beforehand."""
    won = {True: Score((1, 2)), False: Score((2, 1))}
    return {
        f"{number}.1/{match}.1": won[(next(draws) < expected(lead)) == (match == 1)]
        for number in range(1, 400)
        for match in (1, 2)
    }


def test_the_better_one_passes_and_the_test_stops_as_soon_as_it_knows() -> None:
    play = trial().play_out(lambda due: wins("a", due))

    state = state_of(play)
    assert state.verdict is Verdict.PASSED
    assert state.llr is not None
    assert state.llr >= state.upper
    assert state.counts == (0, 0, 0, 0, state.matches // 2)
    assert state.matches_to_go == 0
    assert play.log[-1] == Ended()
    assert play.table[0] == (1, "a", state.matches)


def test_it_is_the_first_entrant_that_is_tested() -> None:
    assert state_of(trial().play_out(lambda due: wins("b", due))).verdict is Verdict.FAILED


def test_a_set_counts_whole_and_with_the_seats_exchanged() -> None:
    play = trial(at_once=1)
    one, other = play.tournament.due() + play.tournament.due(["1.1/1.1"])[:1], play.tournament.courses["1.1"].due

    assert [due.seats for due in other] == [("a", "b"), ("b", "a")]
    play.result(one[0], wins("a", one[0]))
    assert state_of(play).matches == 0
    (second,) = play.tournament.due()
    play.result(second, Score((2, 1)))
    assert state_of(play).counts == (0, 0, 1, 0, 0)


def test_single_matches_count_one_by_one_and_the_first_seat_alternates() -> None:
    play = trial(Model.TRINOMIAL, at_once=2)
    one, two = play.tournament.due()

    assert (one.seats, two.seats) == (("a", "b"), ("b", "a"))
    play.result(one, wins("a", one))
    play.result(two, wins("b", two))
    assert state_of(play).counts == (1, 0, 1)


def test_three_outcomes_can_be_counted_in_sets_too() -> None:
    terms = Terms(Trial(SPRT, Model.TRINOMIAL), b"seed", duplicate=Duplicate(openings=3), matches_at_once=2)
    play = started(terms, "ab")
    one, two = play.tournament.due()

    assert play.tournament.start_of(one) == play.tournament.start_of(two)
    play.result(two, wins("b", two))
    assert state_of(play).matches == 0
    play.result(one, wins("a", one))
    assert state_of(play).counts == (1, 0, 1)


def test_a_set_that_ends_early_waits_for_those_planned_before_it() -> None:
    play = trial(at_once=4)
    first, again, *later = play.tournament.due()
    for due in later:
        play.result(due, wins("b", due))

    assert state_of(play).matches == 0
    play.result(first, wins("a", first))
    play.result(again, wins("a", again))
    assert state_of(play).counts == (1, 0, 0, 0, 1)


@pytest.mark.parametrize("lead", [0.0, 100.0])
def test_the_order_in_which_matches_end_changes_neither_verdict_nor_counts(lead: float) -> None:
    results = by_lot(luck(f"order, {lead}"), lead)
    one_by_one = trial(at_once=1).play_out(lambda due: results[due.id])
    quick_wins = trial(at_once=8)
    while quick_wins.tournament.phase is Phase.PLAYING:
        due = min(quick_wins.tournament.due(), key=lambda it: results[it.id] != wins("a", it))
        quick_wins.result(due, results[due.id])

    assert state_of(quick_wins) == state_of(one_by_one)
    assert quick_wins.table == one_by_one.table
    assert len(quick_wins.tournament.courses) > quick_wins.tournament.progress.sets  # Some were played for nothing.


def test_what_was_played_beyond_the_set_that_decided_does_not_count() -> None:
    play = trial(at_once=8)
    slow = play.tournament.due()[0]
    while others := play.tournament.due([slow.id]):
        play.result(others[0], wins("a", others[0]))
    played = sum(len(course.scores) for course in play.tournament.courses.values())
    play.result(slow, wins("a", slow))

    state = state_of(play)
    assert state.verdict is Verdict.PASSED
    assert state.counts == (0, 0, 0, 0, state.matches // 2)
    assert played > state.matches
    assert play.table[0] == (1, "a", state.matches)


def test_one_slow_set_does_not_make_the_others_run_away() -> None:
    play = trial(at_once=2)
    slow = play.tournament.due()[0]
    played = 0
    while others := play.tournament.due([slow.id]):
        play.result(others[0], wins("b", others[0]))
        played += 1

    assert state_of(play).matches == 0
    assert played < 20
    play.result(slow, wins("b", slow))
    assert state_of(play).matches >= 10


def test_the_matches_used_up_leave_it_undecided() -> None:
    play = trial(test=Sprt(elo1=5, matches_at_most=11)).play_out(level)

    state = state_of(play)
    assert (state.verdict, state.matches, state.matches_to_go) == (Verdict.UNDECIDED, 10, 0)
    assert play.tournament.phase is Phase.FINISHED


def test_who_withdraws_leaves_it_undecided() -> None:
    play = trial(at_once=2)
    for due in play.tournament.due():
        play.result(due, wins("a", due))
    play.do(Withdraw("b"))

    assert play.tournament.phase is Phase.FINISHED
    assert (state_of(play).verdict, state_of(play).matches) == (Verdict.UNDECIDED, 2)


def test_how_it_stands_is_what_the_sequential_test_says_of_its_counts() -> None:
    play = trial(at_once=2)
    for number in range(12):
        due = play.tournament.due()[0]
        play.result(due, wins("a" if number % 3 else "b", due))

    state = state_of(play)
    said = judged(SPRT, Tally(state.counts))
    assert (state.verdict, state.llr, state.estimate) == (said.verdict, said.llr, said.estimate)
    assert (state.lower, state.upper, state.matches_to_go) == (SPRT.lower, SPRT.upper, said.matches_to_go)
    assert estimates(play.tournament) == {"a": said.estimate, "b": said.estimate.mirrored}


def test_nothing_counted_says_nothing() -> None:
    assert state_of(trial()).counts == (0, 0, 0, 0, 0)
    assert estimates(trial().tournament) == {}
    assert started(Terms(Trial(Sprt(1.0, matches_at_most=9), at_a_table=3), b""), "ab").tournament.test == State(
        Verdict.OPEN, None, SPRT.lower, SPRT.upper, (), state_of(trial()).estimate, 0, 9
    )


@pytest.mark.parametrize(
    ("at_a_table", "sides", "first", "second"),
    [
        (3, (), "abb", "bba"),
        (4, (), "abbb", "bbba"),
        (4, PARTNERS, "abab", "baba"),
    ],
)
def test_the_first_holds_one_side_and_the_second_all_others(
    at_a_table: int, sides: tuple[tuple[int, ...], ...], first: str, second: str
) -> None:
    form = Trial(Sprt(elo1=50, matches_at_most=60), at_a_table=at_a_table, sides=sides)
    play = started(Terms(form, b"", matches_at_once=4), "ab")

    seats = ["".join(due.seats) for due in play.tournament.courses["1.1"].due]
    assert seats[:2] == [first, second]
    assert len(set(seats)) == len(seats) == form.many_sides
    play.play_out(lambda due: wins("a", due))
    state = state_of(play)
    assert state.estimate.low > 0
    assert (state.llr is not None) == form.decides
    assert state.verdict is (Verdict.PASSED if form.decides else Verdict.UNDECIDED)
    rank, name, points = play.table[0]
    assert (rank, name, points) == (1, "a", state.matches)


def test_of_more_than_two_sides_each_set_gives_the_share_that_the_first_left_behind() -> None:
    form = Trial(Sprt(elo1=50, matches_at_most=3), at_a_table=3)
    play = started(Terms(form, b"", matches_at_once=3), "ab")
    for due, ranks in zip(play.tournament.due(), [(1, 2, 3), (2, 1, 3), (1, 1, 3)], strict=True):
        play.result(due, Score(ranks))

    (share,) = play.tournament.progress.shares
    assert share == pytest.approx((1 + 0.5 + 0.75) / 3, abs=1e-6)
    rows = {row.entrant: row for row in play.tournament.standings()}
    assert [(rows[name].points, rows[name].wins, rows[name].draws, rows[name].losses) for name in "ab"] == [
        (2.25, 1, 1, 1),
        (0.75, 1, 1, 1),
    ]


def test_the_log_tells_the_whole_story_and_a_match_made_void_is_played_again() -> None:
    play = trial(at_once=2)
    first = play.tournament.due()[0]
    play.do(Begin(first.pairing.id, first.number, first.attempt, "m1"))
    play.void(first)

    play.play_out(lambda due: wins("a", due))
    assert replay(play.tournament.terms, play.log) == play.tournament
    assert state_of(play).verdict is Verdict.PASSED


def test_single_matches_of_a_set_count_no_further_than_the_one_that_decides() -> None:
    terms = Terms(Trial(SPRT, Model.TRINOMIAL), b"seed", duplicate=Duplicate(), matches_at_once=2)
    plays = [started(terms, "ab") for _ in range(2)]
    for number, play in enumerate(plays):
        if number:  # A draw shifts the match that decides to the other place in its set.
            play.result(due := play.tournament.due()[0], level(due))
        play.play_out(lambda due: wins("a", due))

    counted = [state_of(play).matches for play in plays]
    assert any(many % 2 for many in counted)
    assert all(sum(len(it.scores) for it in play.tournament.courses.values()) % 2 == 0 for play in plays)
