"""docs/rules/alquerque.md is true: its examples can be parsed, its counts are correct, its options are complete."""

import re
from pathlib import Path

import pytest

from engines.alquerque import GAME
from engines.options import Option, written
from engines.walk import perft

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "alquerque.md").read_text(encoding="utf-8")
POSITIONS = re.findall(r"^\| `([wb1-5/]+ [wb] \d+)` \|", PAGE, re.MULTILINE)
COUNTS = re.findall(r"^\| (defaults|`(\w+)=(\w+)`) \| ([\d |]+) \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("text", POSITIONS)
def test_every_position_on_the_page_can_be_parsed(text: str) -> None:
    assert str(GAME.read(text, GAME.settings())) == text


def test_there_are_positions_and_counts_on_the_page() -> None:
    assert len(POSITIONS) == 3
    assert len(COUNTS) == 5


@pytest.mark.parametrize(("words", "name", "value", "counts"), COUNTS)
def test_every_count_on_the_page_is_correct(words: str, name: str, value: str, counts: str) -> None:
    start = GAME.start(GAME.settings({name: value} if name else {}), b"")
    expected = list(map(int, counts.split("|")))
    assert [perft(start, depth) for depth in range(1, len(expected) + 1)] == expected, words


@pytest.mark.parametrize("option", GAME.options.declared, ids=lambda option: option.name)
def test_every_option_is_in_the_table_with_its_default_first(option: Option) -> None:
    assert re.search(rf"^\| `{option.name}` \| `{written(option.default)}`", PAGE, re.MULTILINE)


def test_the_drawing_on_the_page_is_the_picture_of_the_first_position() -> None:
    picture = GAME.start(GAME.settings(), b"").picture(0).split("\n\n")[0]
    assert all(line in PAGE for line in picture.splitlines())
