"""Clocks as they stand, and the rows that prove them."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import clock_pb2

from engines.api import Seat
from referee.app.turns import SeatClock
from referee.core import clock as core
from referee.core.clock import Clock, Micros, TimeControl
from referee.core.row import ClockRow


def clock_of(at: SeatClock) -> clock_pb2.Clock:
    told = clock_pb2.Clock()
    tell_clock(told, at)
    return told


def tell_clock(told: clock_pb2.Clock, at: SeatClock) -> None:
    """A seat's clock at one moment."""
    limit_us = at.control.limit_us(at.clock)
    still_us = None if limit_us is None else max(0, limit_us - at.used_us)
    _tell_parts(told, at.seat, at.control, at.clock, still_us)
    told.running = at.running
    told.network_credit_left_us = at.credit_left_us
    if at.left_us is not None:
        told.left_us = at.left_us


def row_of(row: ClockRow, seat: Seat, control: TimeControl) -> clock_pb2.ClockRow:
    told = clock_pb2.ClockRow()
    tell_row(told, row, seat, control)
    return told


def tell_row(told: clock_pb2.ClockRow, row: ClockRow, seat: Seat, control: TimeControl) -> None:
    told.asked_us = row.asked_us
    told.arrived_us = row.arrived_us
    told.network_us = row.network_us
    told.network_credit_us = row.network_credit_us
    told.stall_us = row.stall_us
    told.charged_us = row.charged_us
    _tell_parts(told.before, seat, control, row.before, control.limit_us(row.before))
    _tell_parts(told.after, seat, control, row.after, control.limit_us(row.after))
    told.late = row.late


def _tell_parts(told: clock_pb2.Clock, seat: Seat, control: TimeControl, clock: Clock, left_us: Micros | None) -> None:
    """What `left_us` consists of, for a seat that had `clock` when its turn began."""
    told.seat = seat
    if left_us is None:
        return
    told.left_us = left_us
    PARTS.get(type(control), _main)(told, control, clock, left_us)


def _main(told: clock_pb2.Clock, _: TimeControl, clock: Clock, left_us: Micros) -> None:
    told.main_us = left_us
    told.moves_left = clock.moves


def _per_move(told: clock_pb2.Clock, _: core.PerMove, _clock: Clock, left_us: Micros) -> None:
    told.period_us = left_us


def _free_first(told: clock_pb2.Clock, _: core.UsDelay | core.Bank, clock: Clock, left_us: Micros) -> None:
    """What is free is used up first."""
    told.main_us = min(left_us, clock.left_us)
    told.period_us = left_us - told.main_us


def _japanese(told: clock_pb2.Clock, control: core.JapaneseByoYomi, clock: Clock, left_us: Micros) -> None:
    told.main_us = max(0, left_us - clock.periods * control.period_us)
    in_periods_us = left_us - told.main_us
    told.periods_left = -(-in_periods_us // control.period_us)
    if not told.main_us and told.periods_left:
        told.period_us = in_periods_us - (told.periods_left - 1) * control.period_us


def _canadian(told: clock_pb2.Clock, control: core.CanadianByoYomi, clock: Clock, left_us: Micros) -> None:
    if not clock.moves:
        told.main_us = max(0, left_us - control.period_us)
    if not told.main_us:
        told.period_us = left_us
        told.moves_left = clock.moves or control.moves


PARTS: dict[type[TimeControl], Callable[[clock_pb2.Clock, Any, Clock, Micros], None]] = {
    core.PerMove: _per_move,
    core.UsDelay: _free_first,
    core.Bank: _free_first,
    core.JapaneseByoYomi: _japanese,
    core.CanadianByoYomi: _canadian,
}
"""Of all others, the main time is all there is."""
