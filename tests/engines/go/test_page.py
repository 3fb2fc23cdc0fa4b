"""The page docs/rules/go.md is true: its positions, counts, options and reasons are those of the engine."""

import inspect
import re
from pathlib import Path

import pytest

from engines.api import REFEREE
from engines.go import GAME, position
from engines.options import Option, written
from engines.walk import perft

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "go.md").read_text(encoding="utf-8")
POSITIONS = re.findall(r"^\| `([^`]+ [wb] \d \d+[^`]*)` \|", PAGE, re.MULTILINE)
COUNTS = re.findall(r"^\| `([^`]+)` \| ([\d |]+) \|$", PAGE, re.MULTILINE)


def test_there_are_positions_and_counts_on_the_page() -> None:
    assert len(POSITIONS) == 4
    assert len(COUNTS) == 4


@pytest.mark.parametrize("text", POSITIONS)
def test_every_position_on_the_page_can_be_parsed(text: str) -> None:
    assert str(GAME.read(text, GAME.settings({"size": text.count("/") + 1}))) == text


@pytest.mark.parametrize(("words", "counts"), COUNTS)
def test_every_count_on_the_page_is_correct(words: str, counts: str) -> None:
    start = GAME.start(GAME.settings(dict(word.split("=") for word in words.split())), b"")
    expected = [int(count) for count in counts.split("|") if count.strip()]
    assert [perft(start, depth) for depth in range(1, len(expected) + 1)] == expected


@pytest.mark.parametrize("option", GAME.options.declared, ids=lambda option: option.name)
def test_every_option_is_in_the_table_with_its_default_first(option: Option) -> None:
    assert re.search(rf"^\| `{option.name}` \| `{written(option.default)}`", PAGE, re.MULTILINE)


def test_the_drawing_on_the_page_is_the_picture_of_its_position() -> None:
    at = GAME.read("9/9/2b3w2/9/9/9/2w3b2/9/9 b 0 4", GAME.settings({"size": 9}))
    assert at.picture(REFEREE).split("\n\n")[0] in PAGE


def test_the_view_on_the_page_is_that_of_its_position() -> None:
    at = GAME.read("5/1bw2/b1bw1/1bw2/5 w 0 9 ko=B3", GAME.settings({"size": 5}))
    assert re.sub(r"\s", "", str(at.view(REFEREE)).replace("'", '"')) in re.sub(r"\s", "", PAGE)


def test_every_reason_on_the_page_is_one_of_the_engine() -> None:
    reasons = re.findall(r"^\| `(\w+)` \| .* \| the areas \|$", PAGE, re.MULTILINE)
    assert len(reasons) == 2
    assert all(f'"{reason}"' in inspect.getsource(position) for reason in reasons)
