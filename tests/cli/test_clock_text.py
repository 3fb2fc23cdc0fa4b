"""Formatting of clocks."""

import pytest

from referee.cli._shared.clock_text import clock_text, control_text, time_text
from referee.match.clock import (
    CanadianByoYomi,
    Clock,
    Fischer,
    JapaneseByoYomi,
    MovesPerPeriod,
    Period,
    PerMove,
    SuddenDeath,
    TimeControl,
    Untimed,
)


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0, "0:00.000"),
        (999, "0:00.000"),
        (59_999_999, "0:59.999"),
        (60_000_000, "1:00.000"),
        (3_661_001_000, "1:01:01.001"),
    ],
)
def test_times_are_rounded_down_to_a_thousandth(time_us: int, text: str) -> None:
    assert time_text(time_us) == text


@pytest.mark.parametrize(
    ("control", "clock", "text"),
    [
        (SuddenDeath(1), Clock(5_000_000), "0:05.000"),
        (Untimed(), Clock(), "-"),
        (PerMove(5), Clock(), "-"),
        (CanadianByoYomi(0, 5, 3), Clock(2_000_000, 0, 2), "0:02.000 for 2 moves"),
        (JapaneseByoYomi(0, 5, 3), Clock(0, 2), "0:00.000 and 2 periods"),
        (JapaneseByoYomi(0, 5, 3), Clock(0, 1), "0:00.000 and 1 period"),
        (MovesPerPeriod((Period(0, 5),)), Clock(5_000_000, 0, 0), "0:05.000"),
    ],
)
def test_a_clock_says_what_is_left(control: TimeControl, clock: Clock, text: str) -> None:
    assert clock_text(control, clock) == text


@pytest.mark.parametrize(
    ("control", "text"),
    [
        (Untimed(), "untimed"),
        (Fischer(180_000_000, 2_500_000), "fischer, main 180 s, increment 2.5 s"),
        (JapaneseByoYomi(0, 30_000_000, 3), "japanese byo yomi, main 0 s, period 30 s, 3 periods"),
        (
            MovesPerPeriod((Period(40, 60_000_000), Period(0, 5_000_000))),
            "moves per period, period, 40 moves, added 60 s, increment 0 s, period, 0 moves, added 5 s, increment 0 s",
        ),
    ],
)
def test_a_rule_of_time_is_named_with_its_figures(control: TimeControl, text: str) -> None:
    assert control_text(control) == text
