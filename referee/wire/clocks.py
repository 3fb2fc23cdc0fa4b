"""Converts clocks, and the clock charges that account for every change of them."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import clock_pb2

from engines.api import Seat
from referee.live.turn_view import SeatClock
from referee.match import clock as core
from referee.match.clock import Clock, Micros, TimeControl
from referee.match.clock_charge import ClockCharge


def clock_of(at: SeatClock) -> clock_pb2.Clock:
    message = clock_pb2.Clock()
    write_clock(message, at)
    return message


def write_clock(message: clock_pb2.Clock, at: SeatClock) -> None:
    """Fill in the clock of a seat at one moment."""
    limit_us = at.control.limit_us(at.clock)
    still_us = None if limit_us is None else max(0, limit_us - at.used_us)
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
    PARTS.get(type(control), _main)(message, control, clock, left_us)


def _main(message: clock_pb2.Clock, _: TimeControl, clock: Clock, left_us: Micros) -> None:
    message.main_us = left_us
    message.moves_left = clock.moves


def _per_move(message: clock_pb2.Clock, _: core.PerMove, _clock: Clock, left_us: Micros) -> None:
    message.period_us = left_us


def _period_first(message: clock_pb2.Clock, _: core.UsDelay | core.Bank, clock: Clock, left_us: Micros) -> None:
    """The delay, or the time of the move, is used before the main time."""
    message.main_us = min(left_us, clock.left_us)
    message.period_us = left_us - message.main_us


def _japanese(message: clock_pb2.Clock, control: core.JapaneseByoYomi, clock: Clock, left_us: Micros) -> None:
    message.main_us = max(0, left_us - clock.periods * control.period_us)
    in_periods_us = left_us - message.main_us
    message.periods_left = -(-in_periods_us // control.period_us)
    if not message.main_us and message.periods_left:
        message.period_us = in_periods_us - (message.periods_left - 1) * control.period_us


def _canadian(message: clock_pb2.Clock, control: core.CanadianByoYomi, clock: Clock, left_us: Micros) -> None:
    if not clock.moves:
        message.main_us = max(0, left_us - control.period_us)
    if not message.main_us:
        message.period_us = left_us
        message.moves_left = clock.moves or control.moves


PARTS: dict[type[TimeControl], Callable[[clock_pb2.Clock, Any, Clock, Micros], None]] = {
    core.PerMove: _per_move,
    core.UsDelay: _period_first,
    core.Bank: _period_first,
    core.JapaneseByoYomi: _japanese,
    core.CanadianByoYomi: _canadian,
}
"""All other controls have only main time."""
