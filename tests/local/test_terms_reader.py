"""Clocks in plans, and as text on the command line, and plans without a game."""

import pytest
from referee_values import ClockRule

from referee.local.terms_reader import local_terms
from referee.local.toml_validation import BadPlan, read
from referee.match.clock import (
    MS,
    SECOND,
    Fischer,
    JapaneseByoYomi,
    PerMove,
    SuddenDeath,
    TimeControl,
    Untimed,
    control_of,
)


@pytest.mark.parametrize(
    ("value", "control"),
    [
        ("60", SuddenDeath(60 * SECOND)),
        (60, SuddenDeath(60 * SECOND)),
        ("60+1", Fischer(60 * SECOND, 1 * SECOND)),
        ("0.5+0.05", Fischer(500 * MS, 50 * MS)),
        ("2/move", PerMove(2 * SECOND)),
        ("none", Untimed()),
        ("10 byoyomi 3x1", JapaneseByoYomi(10 * SECOND, 1 * SECOND, 3)),
        (
            {"japanese_byo_yomi": {"main_ms": 60_000, "period_ms": 5_000, "periods": 3}},
            JapaneseByoYomi(60 * SECOND, 5 * SECOND, 3),
        ),
    ],
)
def test_a_clock_is_given_as_text_or_as_a_table_of_the_contract(value: object, control: TimeControl) -> None:
    assert control_of(read("clock", value, ClockRule)) == control


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("3 minutes", "60\\+1"),
        ("0", "'0' is invalid: main_us must be greater than 0"),
        ("9" * 40, "60\\+1"),
        ("60 byoyomi 99999999999x1", "60\\+1"),
        ("999999999", "ten years"),
        ({"sudden_death": {"main_s": 60}}, "clock.sudden_death: unknown key 'main_s'; known: main_ms"),
        ({"sudden_death": {"main_ms": True}}, "clock.sudden_death.main_ms: expected an integer from -"),
        ({"moves_per_period": {"periods": 40}}, "clock.moves_per_period.periods: expected a list, not '40'"),
        ({"fischer": {}, "untimed": True}, "clock.untimed: only one of fischer and untimed can be given"),
        (True, 'clock: expected "60\\+1" or a table with sudden_death, fischer'),
        ({"chess": {}}, "clock: unknown key 'chess'; known: sudden_death, fischer"),
    ],
)
def test_an_invalid_clock_is_rejected_with_a_hint(value: object, hint: str) -> None:
    with pytest.raises(BadPlan, match=hint):
        read("clock", value, ClockRule)


def test_a_plan_without_a_game_is_rejected_as_one_without_another_key() -> None:
    with pytest.raises(BadPlan, match=r"^`game` is missing$"):
        local_terms({"clock": "60+1"})
