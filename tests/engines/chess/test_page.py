"""docs/rules/chess.md is true: its positions can be parsed, its counts are correct, its options are complete."""

import inspect
import re
from pathlib import Path

import pytest

from engines.chess import GAME, position
from engines.options import Option, written
from engines.walk import perft

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "chess.md").read_text(encoding="utf-8")
POSITIONS = re.findall(r"^\| `([^`]+ [wb] \S+ \S+ \d+ \d+)` \|", PAGE, re.MULTILINE)
COUNTS = re.findall(r"^\| (the first position|`[^`]+`) \| ([\d |]+) \|$", PAGE, re.MULTILINE)


def test_there_are_positions_and_counts_on_the_page() -> None:
    assert len(POSITIONS) == 5
    assert len(COUNTS) == 3


@pytest.mark.parametrize("text", POSITIONS)
def test_every_position_on_the_page_can_be_parsed(text: str) -> None:
    assert str(GAME.read(text, GAME.settings())) == text


@pytest.mark.parametrize(("words", "counts"), COUNTS)
def test_every_count_on_the_page_is_correct(words: str, counts: str) -> None:
    settings = GAME.settings()
    at = GAME.read(words.strip("`"), settings) if "`" in words else GAME.start(settings, b"")
    expected = list(map(int, counts.split("|")))
    assert [perft(at, depth) for depth in range(1, len(expected) + 1)] == expected


@pytest.mark.parametrize("option", GAME.options.declared, ids=lambda option: option.name)
def test_every_option_is_in_the_table_with_its_default_first(option: Option) -> None:
    assert re.search(rf"^\| `{option.name}` \| `{written(option.default)}`", PAGE, re.MULTILINE)


def test_the_drawing_on_the_page_is_the_picture_of_the_first_position() -> None:
    picture = GAME.start(GAME.settings(), b"").picture(0).split("\n\n")[0]
    assert all(line in PAGE for line in picture.splitlines())


def test_every_reason_on_the_page_is_one_of_the_engine() -> None:
    source = inspect.getsource(position)
    reasons = re.findall(r"^\| `(\w+)` \| .* \| (?:½ each|1 and 0) \|$", PAGE, re.MULTILINE)
    assert len(reasons) == 7
    assert all(f'"{reason}"' in source for reason in reasons)
