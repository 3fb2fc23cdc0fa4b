"""Clocks as a line of text.

    none                      no clock
    60                        sixty seconds for the whole game
    60+1                      Fischer: one second more for each move
    60 delay 2                the clock waits two seconds at each move
    60 bronstein 2            up to two seconds are given back after each move
    60 byoyomi 3x10           then three periods of ten seconds
    60 byoyomi 5/10           then ten seconds for every five moves
    40/300, 20/120, 60+5      forty moves in 300 seconds, twenty in 120, the rest in 60 and 5 more for each move
    5/move                    five seconds for each move
    2 bank 30                 two seconds for each move, and thirty seconds for all that is beyond
    hourglass 60              the time that one seat uses is added to the others
    correspondence 3d         three days for each move

A time is in seconds, or has its unit: `ms`, `s`, `m`, `h`, `d`.
"""

import re
from collections.abc import Callable

import referee_values as values
from referee_values import ClockRule

UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
TIME = r"(\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h|d)?)"
COUNT = r"(\d{1,9})"
PERIOD = re.compile(rf"(?:{COUNT}/)?{TIME}(?:\+{TIME})?")


class BadClock(ValueError):
    """The text is not a clock."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not a clock; write for example 60+1, 60 byoyomi 3x10, 5/move or none")


def clock(text: str) -> ClockRule:
    """Parse a clock. Raises BadClock."""
    text = text.strip()
    for form, rule in FORMS:
        if read := re.fullmatch(form, text):
            return rule(*read.groups())
    return _periods(text)


def ms(time: str) -> int:
    """Return a time that matches TIME in whole milliseconds."""
    number, unit = re.fullmatch(r"([\d.]+)(\w*)", time).groups()  # type: ignore[union-attr]  # TIME guarantees a match.
    return round(float(number) * UNITS_MS[unit or "s"])


def _periods(text: str) -> ClockRule:
    read = [PERIOD.fullmatch(period.strip()) for period in text.split(",")]
    if not all(read):
        raise BadClock(text)
    periods = tuple(_period(*period.groups()) for period in read if period)
    return ClockRule(moves_per_period=values.MovesPerPeriod(periods=periods))


def _period(moves: str | None, time: str, increment: str | None) -> values.Period:
    return values.Period(moves=int(moves or 0), added_ms=ms(time), increment_ms=ms(increment or "0"))


FORMS: tuple[tuple[str, Callable[..., ClockRule]], ...] = (
    ("none", lambda: ClockRule(untimed=values.Untimed())),
    (TIME, lambda main: ClockRule(sudden_death=values.SuddenDeath(main_ms=ms(main)))),
    (
        rf"{TIME}\+{TIME}",
        lambda main, more: ClockRule(fischer=values.Fischer(main_ms=ms(main), increment_ms=ms(more))),
    ),
    (
        f"{TIME} delay {TIME}",
        lambda main, delay: ClockRule(us_delay=values.UsDelay(main_ms=ms(main), delay_ms=ms(delay))),
    ),
    (
        f"{TIME} bronstein {TIME}",
        lambda main, delay: ClockRule(bronstein=values.Bronstein(main_ms=ms(main), delay_ms=ms(delay))),
    ),
    (
        f"{TIME} byoyomi {COUNT}x{TIME}",
        lambda main, periods, period: ClockRule(
            japanese_byo_yomi=values.JapaneseByoYomi(main_ms=ms(main), period_ms=ms(period), periods=int(periods))
        ),
    ),
    (
        f"{TIME} byoyomi {COUNT}/{TIME}",
        lambda main, moves, period: ClockRule(
            canadian_byo_yomi=values.CanadianByoYomi(main_ms=ms(main), period_ms=ms(period), moves=int(moves))
        ),
    ),
    (f"{TIME}/move", lambda move: ClockRule(per_move=values.PerMove(move_ms=ms(move)))),
    (f"{TIME} bank {TIME}", lambda move, bank: ClockRule(bank=values.Bank(move_ms=ms(move), bank_ms=ms(bank)))),
    (f"hourglass {TIME}", lambda main: ClockRule(hourglass=values.Hourglass(main_ms=ms(main)))),
    (f"correspondence {TIME}", lambda move: ClockRule(correspondence=values.Correspondence(move_ms=ms(move)))),
)
"""The order does not matter for forms with a common beginning, because a form must match the whole text."""
