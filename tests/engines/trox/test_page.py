"""docs/rules/trox.md is true: its examples can be parsed, its counts are correct, its options are complete."""

import json
import re
from pathlib import Path

import pytest

from engines.options import Option, written
from engines.trox import GAME
from engines.trox.options import OPTIONS
from engines.walk import perft
from tests.engines.trox.positions import at, moves, played, start
from tests.engines.trox.test_rules import FIGURE_5

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "trox.md").read_text(encoding="utf-8")
POSITIONS = re.findall(r"^\| `(\S+ \S+ \S+ \S+ \S+ (?:round|square) \d+ \d)` \|", PAGE, re.MULTILINE)
COUNTS = re.findall(r"^\| (?:defaults|`(\w+)=(\w+)`) \| (\d[\d |]+)\|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("text", POSITIONS)
def test_every_position_on_the_page_can_be_parsed(text: str) -> None:
    assert str(at(text)) == text


def test_there_are_positions_and_counts_on_the_page() -> None:
    assert len(POSITIONS) == 3
    assert len(COUNTS) == 5


@pytest.mark.parametrize(("name", "value", "counts"), COUNTS)
def test_every_count_on_the_page_is_correct(name: str, value: str, counts: str) -> None:
    first = start(**({name: value} if name else {}))
    expected = [int(count) for count in counts.split("|") if count.strip()]
    assert [perft(first, depth) for depth in range(1, len(expected) + 1)] == expected


@pytest.mark.parametrize("option", OPTIONS.declared, ids=lambda option: option.name)
def test_every_option_is_in_the_table_with_its_default_first(option: Option) -> None:
    assert re.search(rf"^\| `{option.name}` \| `{written(option.default)}`", PAGE, re.MULTILINE)


def test_the_drawing_and_the_view_are_those_of_figure_5() -> None:
    position = played(start(), *FIGURE_5)
    drawing = re.sub(r"\x1b\[[0-9;]*m", "", position.picture(0)).split("\n\n")[0]
    assert all(line in PAGE for line in drawing.splitlines())
    (view,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert json.loads(view) == position.view(0)


def test_the_moves_in_the_table_are_moves() -> None:
    examples = re.findall(r"^\| `(\S+)` \| (?:lay|put|move) ", PAGE, re.MULTILINE)
    assert len(examples) == 3
    assert examples[0] in moves(start())
    assert examples[1] in moves(played(start(), *FIGURE_5[:3]))


def test_the_search_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(program, {})
    assert capsys.readouterr().out == ""  # No move wins on the second ply.


def test_every_reason_and_rule_is_on_the_page() -> None:
    for reason in ("triangle", "no_move", "all_neutral", "passes", "repetition", "max_plies"):
        assert f"| `{reason}` |" in PAGE
    assert all(f"**TX-{number}**" in PAGE and f"TX-{number} " in GAME.rules for number in range(1, 15))
