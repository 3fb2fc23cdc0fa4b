"""Converts clocks: time controls, network credit, the time that is left, and the charges that account for it."""

from collections.abc import Callable, Sequence
from typing import Any

from referee_api.v1 import clock_pb2

from engines.api import Seat
from referee.live.turns import SeatClock
from referee.match import clock as core
from referee.match.clock import MS, Clock, Micros, TimeControl
from referee.match.clock_charge import ClockCharge, NetworkCredit
from referee.match.match_errors import BadTimeControl
from referee.wire.basic_types import ms_down


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


Kind = Any
"""One of the messages of the oneof `ClockRule.kind`."""


def _read_japanese(kind: Kind) -> TimeControl:
    return core.JapaneseByoYomi(_us(kind.main_ms), _us(kind.period_ms), kind.periods)


def _read_canadian(kind: Kind) -> TimeControl:
    return core.CanadianByoYomi(_us(kind.main_ms), _us(kind.period_ms), kind.moves)


def _read_periods(kind: Kind) -> TimeControl:
    periods = (core.Period(one.moves, _us(one.added_ms), _us(one.increment_ms)) for one in kind.periods)
    return core.MovesPerPeriod(tuple(periods))


RULE_READERS: dict[str, Callable[[Kind], TimeControl]] = {
    "sudden_death": lambda kind: core.SuddenDeath(_us(kind.main_ms)),
    "fischer": lambda kind: core.Fischer(_us(kind.main_ms), _us(kind.increment_ms)),
    "bronstein": lambda kind: core.Bronstein(_us(kind.main_ms), _us(kind.delay_ms)),
    "us_delay": lambda kind: core.UsDelay(_us(kind.main_ms), _us(kind.delay_ms)),
    "japanese_byo_yomi": _read_japanese,
    "canadian_byo_yomi": _read_canadian,
    "moves_per_period": _read_periods,
    "per_move": lambda kind: core.PerMove(_us(kind.move_ms)),
    "bank": lambda kind: core.Bank(_us(kind.bank_ms), _us(kind.move_ms)),
    "hourglass": lambda kind: core.Hourglass(_us(kind.main_ms)),
    "correspondence": lambda kind: core.Correspondence(_us(kind.move_ms), _us(kind.max_ms or kind.move_ms)),
    "untimed": lambda _: core.Untimed(),
}
"""Reader of each field of the oneof `ClockRule.kind`. A rule without one is untimed."""


def read_rule(rule: clock_pb2.ClockRule) -> TimeControl:
    """Raises BadTimeControl."""
    kind = rule.WhichOneof("kind")
    return RULE_READERS[kind](getattr(rule, kind)) if kind else core.Untimed()


def read_controls(time: clock_pb2.TimeControl, seats: int) -> tuple[TimeControl, ...]:
    """Return the control of each seat. Raises BadTimeControl."""
    odds = {one.seat: read_rule(one.rule) for one in time.odds}
    if beyond := [seat for seat in odds if seat >= seats]:
        raise BadTimeControl("odds", f"must not name seat {beyond[0]}; seats are 0 to {seats - 1}")
    if len(odds) < len(time.odds):
        raise BadTimeControl("odds", "must not name a seat twice")
    default = read_rule(time.rule)
    return tuple(odds.get(seat, default) for seat in range(seats))


def read_credit(time: clock_pb2.TimeControl, default: NetworkCredit) -> NetworkCredit:
    """Raises BadTimeControl."""
    if not time.HasField("network_credit"):
        return default
    given = time.network_credit
    return NetworkCredit(_us(given.per_move_ms), _us(given.per_match_ms))


def rule_of(control: TimeControl) -> clock_pb2.ClockRule:
    """Convert a control; the inverse of `read_rule`."""
    return RULE_WRITERS[type(control)](control)


def _fischer_rule(control: core.Fischer) -> clock_pb2.ClockRule:
    fischer = clock_pb2.Fischer(main_ms=ms_down(control.main_us), increment_ms=ms_down(control.increment_us))
    return clock_pb2.ClockRule(fischer=fischer)


def _bronstein_rule(control: core.Bronstein) -> clock_pb2.ClockRule:
    bronstein = clock_pb2.Bronstein(main_ms=ms_down(control.main_us), delay_ms=ms_down(control.delay_us))
    return clock_pb2.ClockRule(bronstein=bronstein)


def _us_delay_rule(control: core.UsDelay) -> clock_pb2.ClockRule:
    delay = clock_pb2.UsDelay(main_ms=ms_down(control.main_us), delay_ms=ms_down(control.delay_us))
    return clock_pb2.ClockRule(us_delay=delay)


def _japanese_rule(control: core.JapaneseByoYomi) -> clock_pb2.ClockRule:
    main_ms, period_ms = ms_down(control.main_us), ms_down(control.period_us)
    japanese = clock_pb2.JapaneseByoYomi(main_ms=main_ms, period_ms=period_ms, periods=control.periods)
    return clock_pb2.ClockRule(japanese_byo_yomi=japanese)


def _canadian_rule(control: core.CanadianByoYomi) -> clock_pb2.ClockRule:
    main_ms, period_ms = ms_down(control.main_us), ms_down(control.period_us)
    canadian = clock_pb2.CanadianByoYomi(main_ms=main_ms, period_ms=period_ms, moves=control.moves)
    return clock_pb2.ClockRule(canadian_byo_yomi=canadian)


def _periods_rule(control: core.MovesPerPeriod) -> clock_pb2.ClockRule:
    periods = [
        clock_pb2.Period(moves=one.moves, added_ms=ms_down(one.added_us), increment_ms=ms_down(one.increment_us))
        for one in control.listed
    ]
    return clock_pb2.ClockRule(moves_per_period=clock_pb2.MovesPerPeriod(periods=periods))


def _bank_rule(control: core.Bank) -> clock_pb2.ClockRule:
    bank = clock_pb2.Bank(bank_ms=ms_down(control.bank_us), move_ms=ms_down(control.move_us))
    return clock_pb2.ClockRule(bank=bank)


def _correspondence_rule(control: core.Correspondence) -> clock_pb2.ClockRule:
    days = clock_pb2.Correspondence(move_ms=ms_down(control.move_us), max_ms=ms_down(control.max_us))
    return clock_pb2.ClockRule(correspondence=days)


RULE_WRITERS: dict[type[TimeControl], Callable[[Any], clock_pb2.ClockRule]] = {
    core.SuddenDeath: lambda control: clock_pb2.ClockRule(
        sudden_death=clock_pb2.SuddenDeath(main_ms=ms_down(control.main_us))
    ),
    core.Fischer: _fischer_rule,
    core.Bronstein: _bronstein_rule,
    core.UsDelay: _us_delay_rule,
    core.JapaneseByoYomi: _japanese_rule,
    core.CanadianByoYomi: _canadian_rule,
    core.MovesPerPeriod: _periods_rule,
    core.PerMove: lambda control: clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=ms_down(control.move_us))),
    core.Bank: _bank_rule,
    core.Hourglass: lambda control: clock_pb2.ClockRule(
        hourglass=clock_pb2.Hourglass(main_ms=ms_down(control.main_us))
    ),
    core.Correspondence: _correspondence_rule,
    core.Untimed: lambda _: clock_pb2.ClockRule(untimed=clock_pb2.Untimed()),
}


def time_control_of(controls: Sequence[TimeControl], credit: NetworkCredit) -> clock_pb2.TimeControl:
    """Convert the controls of all seats: the rule of the first seat, and odds for seats that have another."""
    odds = [
        clock_pb2.SeatOdds(seat=seat, rule=rule_of(control))
        for seat, control in enumerate(controls)
        if control != controls[0]
    ]
    given = clock_pb2.NetworkCredit(per_move_ms=ms_down(credit.per_move_us), per_match_ms=ms_down(credit.per_match_us))
    return clock_pb2.TimeControl(rule=rule_of(controls[0]), odds=odds, network_credit=given)


def _us(ms: int) -> Micros:
    return ms * MS
