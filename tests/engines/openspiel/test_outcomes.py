"""Chance is drawn with exact weights from the seed: the vectors of docs/openspiel.md."""

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from engines.chance import Chance
from engines.openspiel.outcomes import draw_outcome, exact_weights

PAGE = Path(__file__).parents[3] / "docs" / "openspiel.md"


def test_weights_are_exactly_the_probabilities() -> None:
    probabilities = [0.1, 0.2, 0.3, 1 / 3]
    weights = exact_weights(probabilities)
    assert [Fraction(weight, weights[0]) for weight in weights] == [
        Fraction(probability) / Fraction(0.1) for probability in probabilities
    ]


def test_outcomes_come_as_often_as_their_probabilities_say() -> None:
    chance, counts = Chance(b"seed"), Counter[int]()
    for _ in range(4_000):
        action, chance = draw_outcome([(7, 0.5), (3, 0.0), (1, 0.125), (2, 0.375)], chance)
        counts[action] += 1
    assert counts.keys() == {7, 1, 2}
    for action, expected in ((7, 2_000), (1, 500), (2, 1_500)):
        assert abs(counts[action] - expected) < 120
    assert chance.drawn == 4_000


def test_more_digits_are_read_until_one_outcome_is_left() -> None:
    first, _ = Chance(b"x").below(1 << 32)
    border = (first + 0.5) / (1 << 32)
    action, chance = draw_outcome([(0, border), (1, 1 - border)], Chance(b"x"))
    second, _ = Chance(b"x", 1).below(1 << 32)
    assert chance.drawn == 2
    assert action == (second >= 1 << 31)


@pytest.mark.parametrize(
    ("seed", "weights", "drawn"),
    re.findall(r"^\| `([0-9a-f]*)` \| ([0-9. ]+) \| ([0-9 ]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE),
)
def test_a_vector_of_the_page(seed: str, weights: str, drawn: str) -> None:
    chance, found = Chance(bytes.fromhex(seed)), []
    for _ in drawn.split():
        action, chance = draw_outcome(list(enumerate(map(float, weights.split()))), chance)
        found.append(str(action))
    assert found == drawn.split()
