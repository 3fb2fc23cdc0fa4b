"""Time controls, policies and visibility survive the round trip through messages."""

import pytest
from referee_api.v1 import clock_pb2, policy_pb2

from referee.accounts.account_errors import BadField
from referee.live.turns import SeatClock
from referee.match import clock as core
from referee.match.clock import SECOND, Clock, TimeControl
from referee.match.clock_charge import NetworkCredit
from referee.match.match_errors import BadTimeControl
from referee.match.match_terms import (
    DisconnectPolicy,
    DropoutPolicy,
    IllegalMovePolicy,
    LatePolicy,
    Policies,
    Visibility,
    VisibilityMode,
)
from referee.wire.clocks import RULE_READERS, clock_of, read_controls, read_credit, read_rule, rule_of, time_control_of
from referee.wire.terms import policies_of, read_policies, read_visibility, visibility_of

CONTROLS: list[TimeControl] = [
    core.SuddenDeath(60 * SECOND),
    core.Hourglass(60 * SECOND),
    core.Fischer(60 * SECOND, SECOND),
    core.Bronstein(60 * SECOND, SECOND),
    core.UsDelay(60 * SECOND, SECOND),
    core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3),
    core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5),
    core.MovesPerPeriod((core.Period(40, 60 * SECOND), core.Period(0, 30 * SECOND, SECOND))),
    core.PerMove(5 * SECOND),
    core.Bank(60 * SECOND, SECOND),
    core.Correspondence(3 * core.DAY, 10 * core.DAY),
    core.Untimed(),
]


def test_every_kind_of_clock_can_be_written() -> None:
    assert len(CONTROLS) == len(RULE_READERS) == len(clock_pb2.ClockRule.DESCRIPTOR.oneofs_by_name["kind"].fields)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: type(control).__name__)
def test_a_clock_rule_is_read_as_it_was_written(control: TimeControl) -> None:
    assert read_rule(rule_of(control)) == control


def test_odds_and_credit_are_read_as_they_were_written() -> None:
    controls = (CONTROLS[0], CONTROLS[2], CONTROLS[0])
    credit = NetworkCredit(SECOND, 10 * SECOND)
    time = time_control_of(controls, credit)
    assert read_controls(time, 3) == controls
    assert read_credit(time, NetworkCredit()) == credit


@pytest.mark.parametrize(("seats", "wrong"), [([2], "seats are 0 to 1"), ([1, 1], "name a seat twice")])
def test_odds_for_an_unknown_or_repeated_seat_are_rejected(seats: list[int], wrong: str) -> None:
    time = clock_pb2.TimeControl(odds=[clock_pb2.SeatOdds(seat=seat) for seat in seats])
    with pytest.raises(BadTimeControl, match=wrong):
        read_controls(time, 2)


def test_missing_fields_have_defaults() -> None:
    assert read_policies(policy_pb2.Policies()) == Policies()
    assert read_visibility(policy_pb2.Visibility()) == Visibility()
    assert read_controls(clock_pb2.TimeControl(), 2) == (core.Untimed(),) * 2


def test_policies_and_visibility_are_read_as_they_were_written() -> None:
    for illegal in IllegalMovePolicy:
        for late in LatePolicy:
            for dropout in DropoutPolicy:
                policies = Policies(illegal, 2, late, DisconnectPolicy.FORFEIT_AFTER_GRACE_PERIOD, SECOND, dropout)
                assert read_policies(policies_of(policies)) == policies
    for shown in VisibilityMode:
        assert read_visibility(visibility_of(Visibility(shown, 3))) == Visibility(shown, 3)


def test_an_unknown_enum_value_is_rejected() -> None:
    with pytest.raises(BadField):
        read_policies(policy_pb2.Policies(timeout=policy_pb2.TimeoutAction.ValueType(99)))


@pytest.mark.parametrize(
    ("control", "clock", "used_s", "main_s", "period_s", "periods", "moves"),
    [
        (core.Fischer(60 * SECOND, SECOND), Clock(20 * SECOND), 5, 15, 0, 0, 0),
        (core.UsDelay(60 * SECOND, 3 * SECOND), Clock(20 * SECOND), 1, 20, 2, 0, 0),
        (core.UsDelay(60 * SECOND, 3 * SECOND), Clock(20 * SECOND), 5, 18, 0, 0, 0),
        (core.PerMove(5 * SECOND), Clock(), 1, 0, 4, 0, 0),
        (core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3), Clock(5 * SECOND, 3), 1, 4, 0, 3, 0),
        (core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3), Clock(5 * SECOND, 3), 17, 0, 8, 2, 0),
        (core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5), Clock(5 * SECOND), 1, 4, 0, 0, 0),
        (core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5), Clock(8 * SECOND, 0, 3), 1, 0, 7, 0, 3),
    ],
)
def test_the_clocks_of_running_turns_are_converted_with_all_parts(
    control: TimeControl, clock: Clock, used_s: int, main_s: int, period_s: int, periods: int, moves: int
) -> None:
    limit_us = control.limit_us(clock)
    assert limit_us is not None
    message = clock_of(SeatClock(0, control, clock, limit_us, used_s * SECOND, limit_us - used_s * SECOND, True, 0))
    parts = (message.main_us // SECOND, message.period_us // SECOND, message.periods_left, message.moves_left)
    assert parts == (main_s, period_s, periods, moves)
    assert message.time_left_us == limit_us - used_s * SECOND
