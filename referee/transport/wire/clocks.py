"""Converts clocks: time controls, network credit, the time that is left, and the charges that account for it."""

from collections.abc import Callable
from typing import Any

import referee_values
from referee_api.conversion import to_message
from referee_api.v1 import clock_pb2

from engines.api import Seat
from referee.live.turns import SeatClock
from referee.match import clock as core
from referee.match.clock import Clock, Micros, TimeControl
from referee.match.clock_charge import ClockCharge


def clock_of(at: SeatClock) -> clock_pb2.Clock:
    message = clock_pb2.Clock()
    write_clock(message, at)
    return message


def write_clock(message: clock_pb2.Clock, at: SeatClock) -> None:
    """Fill in the clock of a seat at one moment."""
    still_us = None if at.limit_us is None else max(0, at.limit_us - at.used_us)
    _write_parts(message, at.seat, at.control, at.clock, still_us)
    message.running = at.running
    message.network_credit_left_us = at.credit_left_us
    if at.left_us is not None:
        message.time_left_us = at.left_us


def clock_charge_of(row: ClockCharge, seat: Seat, control: TimeControl) -> clock_pb2.ClockCharge:
    message = clock_pb2.ClockCharge()
    write_charge(message, row, seat, control)
    return message


def write_charge(message: clock_pb2.ClockCharge, row: ClockCharge, seat: Seat, control: TimeControl) -> None:
    message.asked_us = row.asked_us
    message.arrived_us = row.arrived_us
    message.network_us = row.network_us
    message.network_credit_us = row.network_credit_us
    message.stall_us = row.stall_us
    message.charged_us = row.charged_us
    _write_parts(message.before, seat, control, row.before, control.limit_us(row.before))
    _write_parts(message.after, seat, control, row.after, control.limit_us(row.after))
    message.late = row.late


def _write_parts(
    message: clock_pb2.Clock, seat: Seat, control: TimeControl, clock: Clock, left_us: Micros | None
) -> None:
    """Split `left_us` into main time, periods and moves, for a seat that had `clock` when its turn began."""
    message.seat = seat
    if left_us is None:
        return
    message.time_left_us = left_us
    write_parts = PART_WRITERS.get(type(control))
    if write_parts:
        write_parts(message, control, clock, left_us)
    else:
        message.main_us = left_us
        message.moves_left = clock.moves


def _write_per_move(message: clock_pb2.Clock, _: core.PerMove, _clock: Clock, left_us: Micros) -> None:
    message.period_us = left_us


def _write_period_first(message: clock_pb2.Clock, _: core.UsDelay | core.Bank, clock: Clock, left_us: Micros) -> None:
    """The delay, or the time of the move, is used before the main time."""
    message.main_us = min(left_us, clock.left_us)
    message.period_us = left_us - message.main_us


def _write_japanese(message: clock_pb2.Clock, control: core.JapaneseByoYomi, clock: Clock, left_us: Micros) -> None:
    message.main_us = max(0, left_us - clock.periods * control.period_us)
    in_periods_us = left_us - message.main_us
    message.periods_left = -(-in_periods_us // control.period_us)
    if not message.main_us and message.periods_left:
        message.period_us = in_periods_us - (message.periods_left - 1) * control.period_us


def _write_canadian(message: clock_pb2.Clock, control: core.CanadianByoYomi, clock: Clock, left_us: Micros) -> None:
    if not clock.moves:
        message.main_us = max(0, left_us - control.period_us)
    if not message.main_us:
        message.period_us = left_us
        message.moves_left = clock.moves or control.moves


PART_WRITERS: dict[type[TimeControl], Callable[[clock_pb2.Clock, Any, Clock, Micros], None]] = {
    core.PerMove: _write_per_move,
    core.UsDelay: _write_period_first,
    core.Bank: _write_period_first,
    core.JapaneseByoYomi: _write_japanese,
    core.CanadianByoYomi: _write_canadian,
}
"""All other controls have only main time."""


def time_control_of(time: referee_values.TimeControl) -> clock_pb2.TimeControl:
    return to_message(time, clock_pb2.TimeControl)
