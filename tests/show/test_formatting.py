"""Formatting of numbers."""

import pytest

from referee.show.formatting import counted, end_text, points_text, signed, time_text
from referee.show.report import End


@pytest.mark.parametrize(
    ("points", "text"), [(0, "0"), (0.5, "½"), (2.5, "2½"), (3, "3"), (1 / 3, "0.33"), (100.0, "100")]
)
def test_points_are_written_with_fractions(points: float, text: str) -> None:
    assert points_text(points) == text


@pytest.mark.parametrize(("value", "text"), [(12.4, "+12"), (-12.6, "−13"), (0.4, "0"), (-0.4, "0")])
def test_nonzero_differences_have_a_sign(value: float, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (0, "0 ms"),
        (1_234, "1.2 ms"),
        (56_789, "57 ms"),
        (2_530_000, "2.53 s"),
        (90_000_000, "1.5 min"),
        (5e8, "8.33 min"),
    ],
)
def test_times_have_a_suitable_unit(us: float, text: str) -> None:
    assert time_text(us) == text


def test_ends_are_described_in_words() -> None:
    assert end_text(End("played", "no_men")) == "no men"
    assert end_text(End("forfeited", "time")) == "lost on time"


def test_nouns_are_singular_for_one_and_plural_otherwise() -> None:
    assert [counted(1, "match", "matches"), counted(2, "match", "matches"), counted(2, "move")] == [
        "1 match",
        "2 matches",
        "2 moves",
    ]
