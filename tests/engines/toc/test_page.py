"""The examples of the rules page are true."""

import json
import re
from pathlib import Path

from jsonschema import Draft202012Validator

from engines.api import REFEREE
from engines.options import written
from engines.toc import GAME
from engines.toc.moves import GIFT
from engines.toc.notation import MOVE_GRAMMAR, move_text, read_move
from engines.walk import perft

PAGE = (Path(__file__).parents[3] / "docs/rules/toc.md").read_text(encoding="utf-8")
SETTINGS = GAME.settings()


def blocks(kind: str) -> list[str]:
    return re.findall(f"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_drawing_on_the_page_is_the_picture_of_the_game() -> None:
    picture = re.sub("\x1b\\[[0-9]+m", "", GAME.start(SETTINGS, b"").picture(REFEREE)).split("\n")[:21]
    assert [line.rstrip() for line in picture] == blocks("drawing")[0].splitlines()


def test_the_positions_on_the_page_parse_and_look_as_shown() -> None:
    for block in blocks("position"):
        whole, seen = block.splitlines()
        position = GAME.read(whole, SETTINGS)
        assert str(position) == whole
        assert position.text(0) == seen
    assert str(GAME.start(SETTINGS, b"\x00\xff")) == blocks("position")[0].splitlines()[0]


def test_the_view_on_the_page_is_that_of_seat_0() -> None:
    shown = json.loads(blocks("json")[0])
    view = GAME.read(blocks("position")[1].splitlines()[0], SETTINGS).view(0)
    assert isinstance(view, dict)
    Draft202012Validator(GAME.view_schema).validate(view)
    assert view | {"pawns": view["pawns"][:2], "deck": view["deck"][:2]} == shown


def test_the_moves_on_the_page_are_legal() -> None:
    for text in ["=5H", "KD:R>18", "9C:68>5", "6C:68>H2", "4H:0>68", "7D:30>33,50>54", "JH:5<>40", "-3C"]:
        assert f"| `{text}` |" in PAGE
        assert text in MOVE_GRAMMAR
        assert move_text(read_move(text)) == text
    assert read_move("=5H") & GIFT


def test_every_option_is_on_the_page_with_its_values() -> None:
    for option in GAME.options.declared:
        row = re.search(rf"^\| `{option.name}` \| (.*?) \|", PAGE, re.MULTILINE)
        assert row, option.name
        assert row[1].startswith(f"`{written(option.default)}`")
        assert all(str(written(value)) in row[1] for value in option.examples)
    for name, value in GAME.options.presets[0].chosen.items():
        assert f"`{name}={written(value)}`" in PAGE


def test_the_counts_on_the_page_are_correct() -> None:
    start = GAME.start(SETTINGS, b"")
    assert [perft(start, depth) for depth in range(1, 6)] == [5, 25, 125, 625, 1125]
    later = GAME.read(blocks("position")[1].splitlines()[0], SETTINGS)
    assert [perft(later, depth) for depth in range(1, 5)] == [23, 92, 184, 368]


def test_the_search_on_the_page_runs() -> None:
    namespace: dict[str, object] = {}
    exec(blocks("python")[0], namespace)
    world = namespace["world"]
    assert world.over  # type: ignore[attr-defined]  # The example's own variable.
