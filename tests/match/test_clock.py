"""Every time control: what moves leave on the clock, to the microsecond, and which controls are rejected."""

from collections.abc import Callable

import pytest
import referee_values
from hypothesis import given
from hypothesis import strategies as st
from referee_values import ClockRule, NetworkCredit, SeatOdds

from referee.match import clock
from referee.match.clock import (
    DAY,
    MAX_MOVES_OR_PERIODS,
    MAX_TIME_US,
    MS,
    SECOND,
    UNTIMED,
    Bank,
    Bronstein,
    CanadianByoYomi,
    Clock,
    Correspondence,
    Fischer,
    Hourglass,
    JapaneseByoYomi,
    MovesPerPeriod,
    Period,
    PerMove,
    SuddenDeath,
    TimeControl,
    Untimed,
    UsDelay,
    complete_time,
    control_of,
    controls_of,
    rules_in,
)
from referee.match.match_errors import BadTimeControl
from tests.match.clock_strategies import controls
from tests.match.setups import rule_of, time_control

TOURNAMENT = MovesPerPeriod((Period(2, 100), Period(1, 50, 3), Period(0, 10, 1)))
REPEATING = MovesPerPeriod((Period(2, 100), Period(1, 40)))

# Each line: a control, its clock before the first move, and then the time of each move and the clock after it.
SEQUENCES: list[tuple[TimeControl, Clock, list[tuple[int, Clock]]]] = [
    (Untimed(), Clock(), [(10**15, Clock()), (0, Clock())]),
    (SuddenDeath(100), Clock(100), [(0, Clock(100)), (30, Clock(70)), (70, Clock(0)), (0, Clock(0))]),
    (Fischer(100, 10), Clock(100), [(0, Clock(110)), (110, Clock(10)), (4, Clock(16)), (16, Clock(10))]),
    (Fischer(100), Clock(100), [(40, Clock(60)), (60, Clock(0))]),
    (Bronstein(100, 10), Clock(100), [(9, Clock(100)), (10, Clock(100)), (11, Clock(99)), (99, Clock(10))]),
    (UsDelay(100, 10), Clock(100), [(10, Clock(100)), (11, Clock(99)), (109, Clock(0)), (10, Clock(0))]),
    (UsDelay(0, 10), Clock(0), [(10, Clock(0)), (0, Clock(0))]),
    (PerMove(10), Clock(), [(0, Clock()), (10, Clock())]),
    (Bank(100, 10), Clock(100), [(10, Clock(100)), (60, Clock(50)), (60, Clock(0)), (10, Clock(0))]),
    (Bank(100), Clock(100), [(1, Clock(99))]),
    (Hourglass(100), Clock(100), [(0, Clock(100)), (40, Clock(60)), (60, Clock(0))]),
    (Correspondence(10, 25), Clock(10), [(0, Clock(20)), (0, Clock(25)), (5, Clock(25)), (25, Clock(10))]),
    (Correspondence(10, 10), Clock(10), [(0, Clock(10)), (9, Clock(10)), (10, Clock(10))]),
    (
        # Main time, then three periods. A period is lost only when it is used up; a long move can lose two at once.
        JapaneseByoYomi(100, 10, 3),
        Clock(100, 3),
        [
            (99, Clock(1, 3)),
            (1, Clock(0, 3)),
            (10, Clock(0, 3)),
            (11, Clock(0, 2)),
            (20, Clock(0, 1)),
            (10, Clock(0, 1)),
        ],
    ),
    (JapaneseByoYomi(100, 10, 3), Clock(100, 3), [(101, Clock(0, 3))]),
    (JapaneseByoYomi(100, 10, 3), Clock(100, 3), [(110, Clock(0, 3))]),
    (JapaneseByoYomi(100, 10, 3), Clock(100, 3), [(111, Clock(0, 2))]),
    (JapaneseByoYomi(100, 10, 3), Clock(100, 3), [(130, Clock(0, 1))]),
    (JapaneseByoYomi(0, 10, 1), Clock(0, 1), [(0, Clock(0, 1)), (10, Clock(0, 1))]),
    (
        # Main time, then two moves in each period. Time left in a period after its last move is lost.
        CanadianByoYomi(100, 30, 2),
        Clock(100),
        [(100, Clock(0)), (10, Clock(20, 0, 1)), (15, Clock(30, 0, 2)), (30, Clock(0, 0, 1)), (0, Clock(30, 0, 2))],
    ),
    # The move that uses up the main time is the first of the period.
    (CanadianByoYomi(100, 30, 2), Clock(100), [(101, Clock(29, 0, 1)), (29, Clock(30, 0, 2))]),
    (CanadianByoYomi(100, 30, 1), Clock(100), [(130, Clock(30, 0, 1)), (30, Clock(30, 0, 1))]),
    (CanadianByoYomi(0, 30, 2), Clock(0), [(1, Clock(29, 0, 1))]),
    (
        # Two moves, one move with an increment, and the rest of the game. Time left over is kept.
        TOURNAMENT,
        Clock(100, 0, 2),
        [(30, Clock(70, 0, 1)), (70, Clock(50, 1, 1)), (20, Clock(43, 2)), (44 - 1, Clock(1, 2)), (0, Clock(2, 2))],
    ),
    (
        # The last period counts its moves, so it repeats.
        REPEATING,
        Clock(100, 0, 2),
        [(0, Clock(100, 0, 1)), (0, Clock(140, 1, 1)), (140, Clock(40, 1, 1)), (40, Clock(40, 1, 1))],
    ),
    (MovesPerPeriod((Period(0, 100),)), Clock(100), [(100, Clock(0))]),
]


@pytest.mark.parametrize(("control", "first", "moves"), SEQUENCES, ids=str)
def test_each_move_leaves_the_time_of_the_rule(
    control: TimeControl, first: Clock, moves: list[tuple[int, Clock]]
) -> None:
    clock = control.initial_clock()
    assert clock == first
    for thought, after in moves:
        limit = control.limit_us(clock)
        assert limit is None or thought <= limit
        clock = control.after(clock, thought)
        assert clock == after


# Each line: a control, a clock, and the exact limit for the next move.
LIMITS: list[tuple[TimeControl, Clock, int | None]] = [
    (Untimed(), Clock(), None),
    (SuddenDeath(100), Clock(70), 70),
    (Fischer(100, 10), Clock(70), 70),  # The increment comes after the move, too late to save it.
    (Bronstein(100, 10), Clock(70), 70),
    (UsDelay(100, 10), Clock(70), 80),
    (UsDelay(100, 10), Clock(0), 10),
    (PerMove(10), Clock(), 10),
    (Bank(100, 10), Clock(70), 80),
    (Hourglass(100), Clock(70), 70),
    (Correspondence(10, 25), Clock(25), 25),
    (JapaneseByoYomi(100, 10, 3), Clock(70, 3), 100),
    (JapaneseByoYomi(100, 10, 3), Clock(0, 1), 10),
    (CanadianByoYomi(100, 30, 2), Clock(70), 100),
    (CanadianByoYomi(100, 30, 2), Clock(12, 0, 1), 12),  # The next period would begin only after this move.
    (TOURNAMENT, Clock(70, 0, 1), 70),  # As above.
    (REPEATING, Clock(7, 1, 1), 7),
]


@pytest.mark.parametrize(("control", "clock", "limit"), LIMITS, ids=str)
def test_the_next_period_or_increment_never_makes_a_late_move_timely(
    control: TimeControl, clock: Clock, limit: int | None
) -> None:
    assert control.limit_us(clock) == limit


INVALID: list[tuple[Callable[[], TimeControl], str, str]] = [
    (lambda: SuddenDeath(0), "main_us", "must be greater than 0"),
    (lambda: SuddenDeath(-1), "main_us", "must be from 0 to ten years"),
    (lambda: SuddenDeath(MAX_TIME_US + 1), "main_us", "must be from 0 to ten years"),
    (lambda: Fischer(0, 1), "main_us", "must be greater than 0"),
    (lambda: Fischer(1, -1), "increment_us", "must be from 0 to ten years"),
    (lambda: Bronstein(0, 5), "main_us", "must be greater than 0"),
    (lambda: UsDelay(0, 0), "main_us", "must be greater than 0 if there is no delay"),
    (lambda: PerMove(0), "move_us", "must be greater than 0"),
    (lambda: Bank(0, 5), "bank_us", "must be greater than 0"),
    (lambda: Hourglass(0), "main_us", "must be greater than 0"),
    (lambda: Correspondence(0, 5), "move_us", "must be greater than 0"),
    (lambda: Correspondence(5, 4), "max_us", "must be at least the time for one move"),
    (lambda: JapaneseByoYomi(5, 0, 1), "period_us", "must be greater than 0"),
    (lambda: JapaneseByoYomi(5, 1, 0), "periods", "must be greater than 0"),
    (lambda: CanadianByoYomi(5, 0, 1), "period_us", "must be greater than 0"),
    (lambda: CanadianByoYomi(5, 1, 0), "moves", "must be greater than 0"),
    (lambda: JapaneseByoYomi(5, 1, 10_001), "periods", "must be from 0 to 10000"),
    (lambda: CanadianByoYomi(5, 1, -1), "moves", "must be from 0 to 10000"),
    (lambda: MovesPerPeriod((Period(10_001, 1),)), "periods", "must each have at most 10000 moves"),
    (lambda: MovesPerPeriod(()), "periods", "must contain at least one period"),
    (
        lambda: MovesPerPeriod((Period(0, 1), Period(0, 1))),
        "periods",
        "must each have a number of moves, except the last",
    ),
    (lambda: MovesPerPeriod((Period(-1, 1),)), "periods", "must each have a number of moves, except the last"),
    (lambda: MovesPerPeriod((Period(1, 0),)), "periods", "must each add more than 0 and at most ten years"),
    (
        lambda: MovesPerPeriod((Period(1, MAX_TIME_US + 1),)),
        "periods",
        "must each add more than 0 and at most ten years",
    ),
    (lambda: MovesPerPeriod((Period(1, 1, -1),)), "periods", "must each add more than 0 and at most ten years"),
]


@pytest.mark.parametrize(("make", "field", "why"), INVALID)
def test_the_error_for_an_invalid_clock_says_what_is_valid(
    make: Callable[[], TimeControl], field: str, why: str
) -> None:
    with pytest.raises(BadTimeControl) as caught:
        make()
    assert caught.value.details == {"field": field, "wrong": why}
    assert str(caught.value) == f"invalid time control: {field} {why}"


def test_the_longest_and_the_shortest_clocks_are_allowed() -> None:
    assert SuddenDeath(MAX_TIME_US).initial_clock() == Clock(MAX_TIME_US)
    assert SuddenDeath(1).limit_us(Clock(1)) == 1
    assert Fischer(1, MAX_TIME_US).after(Clock(1), 1) == Clock(MAX_TIME_US)
    assert UsDelay(0, 1).initial_clock() == Clock(0)
    assert MovesPerPeriod((Period(1, MAX_TIME_US, MAX_TIME_US),)).initial_clock() == Clock(MAX_TIME_US, 0, 1)
    assert MovesPerPeriod((Period(MAX_MOVES_OR_PERIODS, 1),)).initial_clock() == Clock(1, 0, MAX_MOVES_OR_PERIODS)


def test_the_units_of_time_are_correct() -> None:
    assert (MS, SECOND, DAY, MAX_TIME_US) == (1_000, 1_000_000, 86_400_000_000, 3_660 * 86_400_000_000)


def awarded_us(control: TimeControl, moves: int) -> int:
    """Return the most time that a seat can have used by the end of its move of that number."""
    match control:
        case Fischer(main, given_back) | Bronstein(main, given_back):
            most = main + (moves - 1) * given_back  # An increment after the last move comes too late for that move.
        case UsDelay(main, free) | Bank(main, free):
            most = main + moves * free
        case SuddenDeath(main) | Hourglass(main):
            most = main
        case PerMove(each) | Correspondence(each):
            most = moves * each
        case JapaneseByoYomi(main, period, periods):
            most = main + (periods - 1 + moves) * period  # Each but the last is lost once, and each move has one.
        case CanadianByoYomi(main, period, moves_each):
            most = main + -(-moves // moves_each) * period
        case MovesPerPeriod(listed):
            most = awarded_in_periods(listed, moves)
        case _:
            raise AssertionError(control)
    return most


def awarded_in_periods(listed: tuple[Period, ...], moves: int) -> int:
    """Return the times of the periods that have begun by that move, and the increments before it."""
    awarded, number, made = listed[0].added_us, 0, 0
    for _ in range(moves - 1):
        made += 1
        awarded += listed[number].increment_us
        if made == listed[number].moves:
            number, made = min(number + 1, len(listed) - 1), 0
            awarded += listed[number].added_us
    return awarded


thoughts = st.lists(st.one_of(st.just(1.0), st.just(0.0), st.floats(0, 1)), min_size=1, max_size=12)


@given(controls(timed=True), thoughts)
def test_time_is_added_only_by_the_rule(control: TimeControl, shares: list[float]) -> None:
    """Each move takes a share of its limit; 1.0 uses it up, to the microsecond."""
    clock, used = control.initial_clock(), 0
    for number, share in enumerate(shares, 1):
        limit = limited_us(control, clock)
        thought = min(limit, int(share * limit))
        used += thought
        clock = control.after(clock, thought)
        assert clock.left_us >= 0
        assert clock.periods >= 0
        assert clock.moves >= 0
        assert used <= awarded_us(control, number)


def limited_us(control: TimeControl, clock: Clock) -> int:
    limit = control.limit_us(clock)
    assert limit is not None
    return limit


@given(controls(timed=True), thoughts, st.data())
def test_a_longer_thought_never_leaves_more_time(
    control: TimeControl, shares: list[float], data: st.DataObject
) -> None:
    clock = control.initial_clock()
    for share in shares:
        limit = limited_us(control, clock)
        longer = min(limit, int(share * limit))
        after_shorter = control.after(clock, data.draw(st.integers(0, longer)))
        clock = control.after(clock, longer)
        assert limited_us(control, clock) <= limited_us(control, after_shorter)


CONTROLS: list[TimeControl] = [
    SuddenDeath(60 * SECOND),
    Hourglass(60 * SECOND),
    Fischer(60 * SECOND, SECOND),
    Bronstein(60 * SECOND, SECOND),
    UsDelay(60 * SECOND, SECOND),
    JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3),
    CanadianByoYomi(60 * SECOND, 10 * SECOND, 5),
    MovesPerPeriod((Period(40, 60 * SECOND), Period(0, 30 * SECOND, SECOND))),
    PerMove(5 * SECOND),
    Bank(60 * SECOND, SECOND),
    Correspondence(3 * DAY, 10 * DAY),
    Untimed(),
]


def test_every_rule_of_the_contract_has_a_control() -> None:
    assert sorted(clock.CONTROLS) == sorted(ClockRule.__struct_fields__)
    assert {type(control) for control in CONTROLS} == set(clock.CONTROLS.values())


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: type(control).__name__)
def test_a_rule_in_milliseconds_is_a_control_in_microseconds(control: TimeControl) -> None:
    assert control_of(rule_of(control)) == control


def test_odds_give_a_seat_another_control() -> None:
    controls = (CONTROLS[0], CONTROLS[2], CONTROLS[0])
    assert controls_of(time_control(controls), 3) == controls


def test_the_rules_of_a_time_control_are_the_common_one_and_those_of_odds() -> None:
    fast, slow = ClockRule(per_move=referee_values.PerMove(move_ms=5)), UNTIMED
    assert rules_in(referee_values.TimeControl(rule=fast, odds=(SeatOdds(seat=1, rule=slow),))) == (fast, slow)


@pytest.mark.parametrize(("seats", "wrong"), [([2], "seats are 0 to 1"), ([1, 1], "name a seat twice")])
def test_odds_for_an_unknown_or_repeated_seat_are_rejected(seats: list[int], wrong: str) -> None:
    odds = tuple(SeatOdds(seat=seat) for seat in seats)
    with pytest.raises(BadTimeControl, match=wrong):
        controls_of(referee_values.TimeControl(odds=odds), 2)


def test_defaults_of_a_time_control_are_no_clock_and_the_credit_of_the_server() -> None:
    credit, other = NetworkCredit(per_move_ms=1), NetworkCredit(per_move_ms=2)
    complete = referee_values.TimeControl(rule=UNTIMED, network_credit=credit)
    assert complete_time(referee_values.TimeControl(), credit) == complete
    assert complete_time(complete, other) == complete
    odds = referee_values.TimeControl(odds=(SeatOdds(seat=1),))
    assert complete_time(odds, credit).odds == (SeatOdds(seat=1, rule=UNTIMED),)


def test_by_default_correspondence_saves_no_days() -> None:
    assert control_of(ClockRule(correspondence=referee_values.Correspondence(move_ms=5))) == Correspondence(
        5_000, 5_000
    )


def test_a_rule_of_two_kinds_is_rejected() -> None:
    two = ClockRule(untimed=referee_values.Untimed(), per_move=referee_values.PerMove(move_ms=5))
    with pytest.raises(BadTimeControl, match="rule must be one of untimed and per_move"):
        control_of(two)
