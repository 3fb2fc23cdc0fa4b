"""Time controls: how time is given."""

from collections.abc import Callable, Sequence
from typing import Any

from referee_api.v1 import clock_pb2

from referee.core import clock as core
from referee.core.clock import MS, Micros, TimeControl
from referee.core.errors import BadTimeControl
from referee.core.row import NetworkCredit
from referee.transport.convert.times import ms_down

Kind = Any
"""One of the messages of ClockRule.kind."""


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
    "correspondence": lambda kind: core.Correspondence(_us(kind.move_ms), _us(kind.most_ms or kind.move_ms)),
    "untimed": lambda _: core.Untimed(),
}
"""By the name of the kind; none is untimed."""


def read_rule(rule: clock_pb2.ClockRule) -> TimeControl:
    """Raises BadTimeControl."""
    kind = rule.WhichOneof("kind")
    return READ[kind](getattr(rule, kind)) if kind else core.Untimed()


def read_controls(time: clock_pb2.TimeControl, seats: int) -> tuple[TimeControl, ...]:
    """One a seat. Raises BadTimeControl."""
    odds = {one.seat: read_rule(one.rule) for one in time.odds}
    if beyond := [seat for seat in odds if seat >= seats]:
        raise BadTimeControl("odds", f"name seat {beyond[0]}; seats are 0 to {seats - 1}")
    if len(odds) < len(time.odds):
        raise BadTimeControl("odds", "name a seat twice")
    usual = read_rule(time.rule)
    return tuple(odds.get(seat, usual) for seat in range(seats))


def read_credit(time: clock_pb2.TimeControl, usual: NetworkCredit) -> NetworkCredit:
    """Raises BadTimeControl."""
    if not time.HasField("network_credit"):
        return usual
    given = time.network_credit
    return NetworkCredit(_us(given.per_move_ms), _us(given.per_match_ms))


def rule_of(control: TimeControl) -> clock_pb2.ClockRule:
    """What `read_rule` reads back."""
    return WRITTEN[type(control)](control)


def _written_fischer(control: core.Fischer) -> clock_pb2.ClockRule:
    fischer = clock_pb2.Fischer(main_ms=ms_down(control.main_us), increment_ms=ms_down(control.increment_us))
    return clock_pb2.ClockRule(fischer=fischer)


def _written_bronstein(control: core.Bronstein) -> clock_pb2.ClockRule:
    bronstein = clock_pb2.Bronstein(main_ms=ms_down(control.main_us), delay_ms=ms_down(control.delay_us))
    return clock_pb2.ClockRule(bronstein=bronstein)


def _written_us_delay(control: core.UsDelay) -> clock_pb2.ClockRule:
    delay = clock_pb2.UsDelay(main_ms=ms_down(control.main_us), delay_ms=ms_down(control.delay_us))
    return clock_pb2.ClockRule(us_delay=delay)


def _written_japanese(control: core.JapaneseByoYomi) -> clock_pb2.ClockRule:
    main_ms, period_ms = ms_down(control.main_us), ms_down(control.period_us)
    japanese = clock_pb2.JapaneseByoYomi(main_ms=main_ms, period_ms=period_ms, periods=control.periods)
    return clock_pb2.ClockRule(japanese_byo_yomi=japanese)


def _written_canadian(control: core.CanadianByoYomi) -> clock_pb2.ClockRule:
    main_ms, period_ms = ms_down(control.main_us), ms_down(control.period_us)
    canadian = clock_pb2.CanadianByoYomi(main_ms=main_ms, period_ms=period_ms, moves=control.moves)
    return clock_pb2.ClockRule(canadian_byo_yomi=canadian)


def _written_periods(control: core.MovesPerPeriod) -> clock_pb2.ClockRule:
    periods = [
        clock_pb2.Period(moves=one.moves, added_ms=ms_down(one.added_us), increment_ms=ms_down(one.increment_us))
        for one in control.listed
    ]
    return clock_pb2.ClockRule(moves_per_period=clock_pb2.MovesPerPeriod(periods=periods))


def _written_bank(control: core.Bank) -> clock_pb2.ClockRule:
    bank = clock_pb2.Bank(bank_ms=ms_down(control.bank_us), move_ms=ms_down(control.move_us))
    return clock_pb2.ClockRule(bank=bank)


def _written_correspondence(control: core.Correspondence) -> clock_pb2.ClockRule:
    days = clock_pb2.Correspondence(move_ms=ms_down(control.move_us), most_ms=ms_down(control.most_us))
    return clock_pb2.ClockRule(correspondence=days)


WRITTEN: dict[type[TimeControl], Callable[[Any], clock_pb2.ClockRule]] = {
    core.SuddenDeath: lambda control: clock_pb2.ClockRule(
        sudden_death=clock_pb2.SuddenDeath(main_ms=ms_down(control.main_us))
    ),
    core.Fischer: _written_fischer,
    core.Bronstein: _written_bronstein,
    core.UsDelay: _written_us_delay,
    core.JapaneseByoYomi: _written_japanese,
    core.CanadianByoYomi: _written_canadian,
    core.MovesPerPeriod: _written_periods,
    core.PerMove: lambda control: clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=ms_down(control.move_us))),
    core.Bank: _written_bank,
    core.Hourglass: lambda control: clock_pb2.ClockRule(
        hourglass=clock_pb2.Hourglass(main_ms=ms_down(control.main_us))
    ),
    core.Correspondence: _written_correspondence,
    core.Untimed: lambda _: clock_pb2.ClockRule(untimed=clock_pb2.Untimed()),
}


def time_control_of(controls: Sequence[TimeControl], credit: NetworkCredit) -> clock_pb2.TimeControl:
    """The first seat's rule is everybody's; who has another has odds."""
    odds = [
        clock_pb2.SeatOdds(seat=seat, rule=rule_of(control))
        for seat, control in enumerate(controls)
        if control != controls[0]
    ]
    given = clock_pb2.NetworkCredit(per_move_ms=ms_down(credit.per_move_us), per_match_ms=ms_down(credit.per_match_us))
    return clock_pb2.TimeControl(rule=rule_of(controls[0]), odds=odds, network_credit=given)


def _us(ms: int) -> Micros:
    return ms * MS
