"""Clocks as they stand, and the rows that prove them."""

from referee_api.v1 import clock_pb2

from engines.api import Seat
from referee.app.turns import SeatClock
from referee.core import clock as core
from referee.core.clock import Clock, Micros, TimeControl
from referee.core.row import ClockRow


def clock_of(at: SeatClock) -> clock_pb2.Clock:
    """A seat's clock at one moment."""
    limit_us = at.control.limit_us(at.clock)
    still_us = None if limit_us is None else max(0, limit_us - at.used_us)
    told = _parts(at.seat, at.control, at.clock, still_us)
    told.running = at.running
    told.network_credit_left_us = at.credit_left_us
    if at.left_us is not None:
        told.left_us = at.left_us
    return told


def row_of(row: ClockRow, seat: Seat, control: TimeControl) -> clock_pb2.ClockRow:
    return clock_pb2.ClockRow(
        asked_us=row.asked_us,
        arrived_us=row.arrived_us,
        network_us=row.network_us,
        network_credit_us=row.network_credit_us,
        stall_us=row.stall_us,
        charged_us=row.charged_us,
        before=_parts(seat, control, row.before, control.limit_us(row.before)),
        after=_parts(seat, control, row.after, control.limit_us(row.after)),
        late=row.late,
    )


def _parts(seat: Seat, control: TimeControl, clock: Clock, left_us: Micros | None) -> clock_pb2.Clock:
    """What `left_us` consists of, for a seat that had `clock` when its turn began."""
    told = clock_pb2.Clock(seat=seat)
    if left_us is None:
        return told
    told.left_us = left_us
    match control:
        case core.PerMove():
            told.period_us = left_us
        case core.UsDelay() | core.Bank():
            # What is free is used up first.
            told.main_us = min(left_us, clock.left_us)
            told.period_us = left_us - told.main_us
        case core.JapaneseByoYomi():
            _japanese(told, control, clock, left_us)
        case core.CanadianByoYomi():
            _canadian(told, control, clock, left_us)
        case _:
            told.main_us = left_us
            told.moves_left = clock.moves
    return told


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
