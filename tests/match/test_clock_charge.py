"""The clock charge: what was charged, what was credited, and when the flag falls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referee_values import NetworkCredit

from referee.match.clock import (
    MAX_TIME_US,
    MS,
    Clock,
    Hourglass,
    SuddenDeath,
    TimeControl,
    Untimed,
)
from referee.match.clock_charge import (
    ClockCharge,
    TurnMeasurement,
    charge,
    check_credit,
    flag_falls_at_us,
)
from referee.match.match_errors import BadTimeControl
from tests.match.clock_strategies import controls
from tests.match.games import STONES
from tests.match.match_fixture import MatchFixture, started_match

HUNDRED = SuddenDeath(100)


@pytest.mark.parametrize(
    ("arrived", "network", "stall", "credit_left", "credited", "charged", "late"),
    [
        (1_060, 0, 0, 0, 0, 60, False),
        (1_000, 0, 0, 0, 0, 0, False),
        (1_100, 0, 0, 0, 0, 100, False),  # All that was left, to the microsecond.
        (1_101, 0, 0, 0, 0, 101, True),
        (1_060, 20, 0, 50, 20, 40, False),
        (1_060, 20, 0, 5, 5, 55, False),  # No more network credit than is left.
        (1_060, 80, 0, 90, 60, 0, False),  # No more than the thinking time.
        (1_060, 20, 0, 0, 0, 60, False),
        (1_120, 20, 0, 20, 20, 100, False),  # In time thanks to the network credit.
        (1_121, 20, 0, 20, 20, 101, True),  # Late in spite of it.
        (1_060, 0, 25, 0, 0, 35, False),
        (1_060, 0, 70, 0, 0, 0, False),
        (1_060, 30, 50, 30, 10, 0, False),  # Referee delay is subtracted first, so credit is spent only on the rest.
        (1_125, 0, 25, 0, 0, 100, False),
        (1_126, 0, 25, 0, 0, 101, True),
        (990, 10, 0, 10, 0, 0, False),  # The answer arrived before the turn was sent: no charge and no credit.
    ],
)
def test_the_charge_is_the_elapsed_time_less_referee_delay_and_credit(
    arrived: int, network: int, stall: int, credit_left: int, credited: int, charged: int, late: bool
) -> None:
    row = charge(HUNDRED, Clock(100), 1_000, TurnMeasurement(arrived, network, stall), credit_left)
    after = Clock(0) if late else Clock(100 - charged)
    assert row == ClockCharge(1_000, arrived, network, credited, stall, charged, Clock(100), after, late)
    assert row.measured == TurnMeasurement(arrived, network, stall)


def test_the_details_of_an_error_contain_the_clock_charge() -> None:
    assert charge(HUNDRED, Clock(90), 5, TurnMeasurement(210, 30, 40), 20).texts() == {
        "asked_us": "5",
        "arrived_us": "210",
        "network_us": "30",
        "network_credit_us": "20",
        "stall_us": "40",
        "charged_us": "145",
        "left_before_us": "90",
    }


@given(
    controls(),
    st.integers(0, 2000),
    st.integers(0, 5000),
    st.integers(0, 300),
    st.integers(0, 3000),
    st.integers(0, 300),
)
def test_the_numbers_of_a_clock_charge_are_consistent(
    control: TimeControl, asked: int, elapsed: int, network: int, stall: int, credit: int
) -> None:
    before = control.initial_clock()
    row = charge(control, before, asked, TurnMeasurement(asked + elapsed, network, stall), credit)
    thinking = max(0, elapsed - stall)
    assert row.charged_us == thinking - row.network_credit_us
    assert row.network_credit_us == min(network, credit, thinking)
    limit = control.limit_us(before)
    assert row.late == (limit is not None and row.charged_us > limit)
    used = min(row.charged_us, limit) if limit is not None else row.charged_us
    assert row.after == control.after(before, used)


@given(controls(), st.integers(0, 1000), st.integers(0, 100), st.integers(0, 200))
def test_the_flag_falls_at_the_first_moment_when_every_answer_is_late(
    control: TimeControl, asked: int, credit: int, more_network: int
) -> None:
    falls_at = flag_falls_at_us(control, control.initial_clock(), asked, credit)
    if falls_at is None:
        assert isinstance(control, Untimed)
        return
    slow_network = credit + more_network
    assert not charge(control, control.initial_clock(), asked, TurnMeasurement(falls_at - 1, slow_network), credit).late
    assert charge(control, control.initial_clock(), asked, TurnMeasurement(falls_at, slow_network), credit).late


def total_us(fixture: MatchFixture) -> int:
    return sum(fixture.left_us)


def test_the_time_that_one_seat_uses_of_an_hourglass_goes_to_the_other() -> None:
    fixture = started_match(control=Hourglass(100))
    fixture.move(0, "1", 30)
    assert fixture.left_us == [70, 130]
    fixture.move(1, "1", 130)
    assert fixture.left_us == [200, 0]


def test_three_seats_share_hourglass_time_and_lose_less_than_a_microsecond_each() -> None:
    fixture = started_match(STONES, Hourglass(100))
    fixture.move(0, "1", 31)
    assert fixture.left_us == [69, 115, 115]


def test_partners_get_no_hourglass_time_from_each_other() -> None:
    fixture = started_match(STONES, Hourglass(100), {"seats": 4, "teams": True})
    fixture.move(0, "1", 40)
    assert fixture.left_us == [60, 120, 100, 120]
    fixture.move(1, "1", 21)
    assert fixture.left_us == [70, 99, 110, 120]


def test_a_seat_that_is_late_by_an_hourglass_loses_all_its_time() -> None:
    fixture = started_match(control=Hourglass(100))
    fixture.flag(0, 101)
    assert fixture.left_us == [0, 200]


@given(st.integers(2, 4), st.lists(st.tuples(st.integers(0, 150), st.integers(0, 20)), max_size=12))
def test_an_hourglass_adds_no_time_and_loses_only_by_rounding(seats: int, moves: list[tuple[int, int]]) -> None:
    fixture = started_match(STONES, Hourglass(1000), {"seats": seats}, credit_us=(10, 40))
    for took, network in moves:
        before = total_us(fixture)
        fixture.move(fixture.owing[0], "1", took, network_us=network)
        assert before - (seats - 2) <= total_us(fixture) <= before


@pytest.mark.parametrize("field", ["per_move_ms", "per_match_ms"])
def test_a_network_credit_is_at_most_ten_years(field: str) -> None:
    most = MAX_TIME_US // MS
    check_credit(NetworkCredit(**{field: most}))
    for wrong in (-1, most + 1):
        with pytest.raises(BadTimeControl) as caught:
            check_credit(NetworkCredit(**{field: wrong}))
        assert caught.value.details == {"field": f"network_credit.{field}", "wrong": "must be from 0 to ten years"}
