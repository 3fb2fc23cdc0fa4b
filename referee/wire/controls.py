"""Converts time controls, time odds and network credit."""

from collections.abc import Callable, Sequence
from typing import Any

from referee_api.v1 import clock_pb2

from referee.match import clock as core
from referee.match.clock import MS, Micros, TimeControl
from referee.match.clock_charge import NetworkCredit
from referee.match.match_errors import BadTimeControl
from referee.wire.basic_types import ms_down

Kind = Any
"""One of the messages of the oneof `ClockRule.kind`."""


def _japanese(kind: Kind) -> TimeControl:
    return core.JapaneseByoYomi(_us(kind.main_ms), _us(kind.period_ms), kind.periods)


def _canadian(kind: Kind) -> TimeControl:
    return core.CanadianByoYomi(_us(kind.main_ms), _us(kind.period_ms), kind.moves)


def _moves_per_period(kind: Kind) -> TimeControl:
    periods = (core.Period(one.moves, _us(one.added_ms), _us(one.increment_ms)) for one in kind.periods)
    return core.MovesPerPeriod(tuple(periods))


READ: dict[str, Callable[[Kind], TimeControl]] = {
    "sudden_death": lambda kind: core.SuddenDeath(_us(kind.main_ms)),
    "fischer": lambda kind: core.Fischer(_us(kind.main_ms), _us(kind.increment_ms)),
    "bronstein": lambda kind: core.Bronstein(_us(kind.main_ms), _us(kind.delay_ms)),
    "us_delay": lambda kind: core.UsDelay(_us(kind.main_ms), _us(kind.delay_ms)),
    "japanese_byo_yomi": _japanese,
    "canadian_byo_yomi": _canadian,
    "moves_per_period": _moves_per_period,
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
    return READ[kind](getattr(rule, kind)) if kind else core.Untimed()


def read_controls(time: clock_pb2.TimeControl, seats: int) -> tuple[TimeControl, ...]:
    """Return the control of each seat. Raises BadTimeControl."""
    odds = {one.seat: read_rule(one.rule) for one in time.odds}
    if beyond := [seat for seat in odds if seat >= seats]:
        raise BadTimeControl("odds", f"name seat {beyond[0]}; seats are 0 to {seats - 1}")
    if len(odds) < len(time.odds):
        raise BadTimeControl("odds", "name a seat twice")
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
    return WRITERS[type(control)](control)


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
    days = clock_pb2.Correspondence(move_ms=ms_down(control.move_us), max_ms=ms_down(control.most_us))
    return clock_pb2.ClockRule(correspondence=days)


WRITERS: dict[type[TimeControl], Callable[[Any], clock_pb2.ClockRule]] = {
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
