"""Properties of each rules page and each picture of a board."""

import json
import random
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from engines.api import REFEREE, Game, Position
from engines.options import written
from engines.registry import find, own_games
from engines.testing.random_games import game_path
from engines.testing.random_games import settings_of as some_settings
from engines.toc.notation import MOVE_GRAMMAR, move_text, read_move
from tests.engines.golden import perft_lines, settings_of
from tests.engines.troke import positions as troke
from tests.engines.trox import positions as trox
from tests.engines.trox.test_rules import FIGURE_5

HERE = Path(__file__).parent
ENGINES = Path(__file__).parents[2] / "engines"
PAGES = Path(__file__).parents[2] / "docs" / "rules"
ANSI = re.compile(r"\x1b\[[0-9;]*m")
every_page = pytest.mark.parametrize("game", list(map(find, own_games())), ids=lambda game: game.name)


def page(game: Game) -> str:
    return (PAGES / f"{game.name}.md").read_text(encoding="utf-8")


@every_page
def test_every_name_in_a_grammar_is_defined_on_the_page(game: Game) -> None:
    grammar = "\n".join(re.findall(r"```ebnf\n(.*?)```", page(game), re.DOTALL))
    rules = dict(re.findall(r"^(\w+) *= (.*?) ;$", grammar, re.DOTALL | re.MULTILINE))
    assert len(rules) > 10
    used = {name for right in rules.values() for name in re.findall(r"[a-z]\w*", re.sub(r'"[^"]*"', "", right))}
    assert used <= set(rules)
    assert set(rules) - used == {"move", "position"}


@every_page
def test_every_preset_and_option_is_on_the_page_with_all_its_values_and_the_default_first(game: Game) -> None:
    for option in game.options.declared:
        rows = re.findall(rf"^\| `{option.name}` \| (.*?) \| ", page(game), re.MULTILINE)
        counted = "minimum" in option.schema() and len(option.examples) < 3
        values = [option.default] if counted else option.examples
        first = f"`{written(option.default)}`" if written(option.default) else ""
        assert any(row.startswith(first) and all(written(value) in row for value in values) for row in rows), option
    for preset in game.options.presets:
        assert f"`{preset.name}`" in page(game)


@every_page
def test_every_count_on_the_page_is_in_the_golden_file(game: Game) -> None:
    lines = sorted((line for line in perft_lines() if line.game == game.name), key=lambda line: len(line.counts))
    counted = {(str(settings_of(game, line.options).texts()), line.start): line for line in lines}
    rows = re.findall(
        r"^\| (defaults|the first position|`[^`]+`) \| (\d+(?: \|[\d |]*)?) \|$", page(game), re.MULTILINE
    )
    assert len(rows) == COUNTS[game.name]
    for cell, counts in rows:
        words = cell.strip("`")
        is_position = " " in words and "=" not in words and words != "the first position"
        options = words if "=" in words else "-"
        line = counted[str(settings_of(game, options).texts()), words if is_position else "start"]
        numbers = tuple(int(count) for count in counts.split("|") if count.strip())
        assert line.counts[: len(numbers)] == numbers


COUNTS = {"alquerque": 5, "chess": 3, "go": 4, "toc": 2, "troke": 6, "trox": 5}
"""Rows of counts on each page."""


@pytest.mark.parametrize(
    ("name", "pattern", "many"),
    [
        ("alquerque", r"[wb1-5/]+ [wb] \d+", 3),
        ("chess", r"[^`]+ [wb] \S+ \S+ \d+ \d+", 5),
        ("go", r"[^`]+ [wb] \d \d+[^`]*", 4),
        ("trox", r"\S+ \S+ \S+ \S+ \S+ (?:round|square) \d+ \d", 3),
    ],
)
def test_every_position_in_the_table_can_be_parsed(name: str, pattern: str, many: int) -> None:
    game = find(name)
    texts = re.findall(rf"^\| `({pattern})` \|", page(game), re.MULTILINE)
    assert len(texts) == many
    for text in texts:
        settings = game.settings({"size": text.count("/") + 1} if name == "go" else {})
        assert str(game.read(text, settings)) == text


DRAWN: dict[str, Callable[[], Position]] = {
    "alquerque": lambda: first("alquerque"),
    "chess": lambda: first("chess"),
    "go": lambda: find("go").read("9/9/2b3w2/9/9/9/2w3b2/9/9 b 0 4", find("go").settings({"size": 9})),
    "toc": lambda: first("toc"),
    "troke": lambda: troke.start(seats=4),
    "trox": lambda: trox.played(trox.start(), *FIGURE_5),
}
"""The position in the drawing on each page."""


def first(name: str) -> Position:
    return find(name).start(find(name).settings(), b"")


@every_page
def test_the_drawing_on_the_page_is_the_picture_of_its_position(game: Game) -> None:
    picture = ANSI.sub("", DRAWN[game.name]().picture(REFEREE)).split("\n\n")[0].splitlines()
    assert len(picture) > 4
    assert [line for line in picture if line.rstrip() not in page(game)] == []


SHOWN: dict[str, Callable[[], object]] = {
    "go": lambda: find("go").read("5/1bw2/b1bw1/1bw2/5 w 0 9 ko=B3", find("go").settings({"size": 5})).view(REFEREE),
    "toc": lambda: find("toc").read(blocks("toc", "position")[1].split("\n")[0], find("toc").settings()).view(0),
    "troke": lambda: troke.read("f3:Mw,f5:Tr w 12/12 0/0 1 back=Tf5-d5").view(0),
    "trox": lambda: trox.played(trox.start(), *FIGURE_5).view(0),
}
"""The view in the first block of JSON of a page; where it is long, the page shows parts of it."""


def blocks(name: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", page(find(name)), re.DOTALL | re.MULTILINE)


def is_part(shown: object, whole: object) -> bool:
    if isinstance(shown, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in shown.items())
    if isinstance(shown, list) and isinstance(whole, list):
        return whole[: len(shown)] == shown
    return shown == whole


@pytest.mark.parametrize("name", SHOWN)
def test_the_view_on_the_page_is_that_of_its_position(name: str) -> None:
    shown = json.loads(blocks(name, "json")[0])
    whole = json.loads(json.dumps(SHOWN[name]()))
    assert shown.keys() == whole.keys()
    assert is_part(shown, whole)


@pytest.mark.parametrize("name", ["toc", "troke", "trox"])
def test_the_search_on_the_page_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(blocks(name, "python")[0], names)
    assert len(capsys.readouterr().out.splitlines()) == {"toc": 1, "troke": 30, "trox": 0}[name]
    assert name != "toc" or names["world"].over  # type: ignore[attr-defined]  # The example's own variable.


@every_page
def test_every_rule_and_every_reason_is_on_the_page_and_in_the_game(game: Game) -> None:
    reasons = re.findall(r"^\| `(\w+)` \|", page(game).split("| reason |")[1].split("\n\n")[0], re.MULTILINE)
    source = "".join(file.read_text() for file in (ENGINES / game.name).glob("*.py"))
    assert len(reasons) > 1
    assert all(f'"{reason}"' in source for reason in reasons)
    numbers = re.findall(r"^([A-Z]{2}-\d+) ", game.rules, re.MULTILINE)
    assert all(f"**{number}**" in page(game) for number in numbers)


def test_the_moves_on_the_pages_are_moves() -> None:
    for text in ("=5H", "KD:R>18", "9C:68>5", "6C:68>H2", "4H:0>68", "7D:30>33,50>54", "JH:5<>40", "-3C"):
        assert f"| `{text}` |" in page(find("toc"))
        assert text in MOVE_GRAMMAR
        assert move_text(read_move(text)) == text
    laid, put, _ = re.findall(r"^\| `(\S+)` \| (?:lay|put|move) ", page(find("trox")), re.MULTILINE)
    assert laid in trox.moves(trox.start())
    assert put in trox.moves(trox.played(trox.start(), *FIGURE_5[:3]))
    at = troke.played(troke.start(), "Tb1-c2 Md9-e8 Wb1xc2-d3 Wf9-f7 Md1xd3-d5-d7")
    full = troke.read("g8:Mr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMw,h9:TrWr r", clear_goal="on_demand")
    for text in ("Tb1-c2", "Wb1xc2-d3", "Md1xd3-d5-d7", "Td9xe8xf7-g6", "pass", "Mg8-h9!"):
        assert f"| `{text}` |" in page(find("troke"))
    assert "Td9xe8xf7-g6" in at.moves(1)
    assert {"Mg8-h9", "Mg8-h9!"} <= set(full.moves(0))


def test_the_positions_on_the_page_of_toc_look_as_shown() -> None:
    toc = find("toc")
    for block in blocks("toc", "position"):
        whole, seen = block.splitlines()
        position = toc.read(whole, toc.settings())
        assert (str(position), position.text(0)) == (whole, seen)
    assert str(toc.start(toc.settings(), b"\x00\xff")) == blocks("toc", "position")[0].splitlines()[0]


@every_page
def test_the_tests_named_in_the_table_of_sentences_exist(game: Game) -> None:
    tables = page(game).split("sentence by sentence\n")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in tables.splitlines() if line.startswith("| ") and "---" not in line]
    sentences = [row for row in rows if "test" not in row[-1].split("`")[0]]
    assert len(sentences) > 10
    tests = "".join(file.read_text(encoding="utf-8") for file in (HERE / game.name).glob("test_*.py"))
    for row in sentences:
        for name in re.findall(r"`(\w+)`", row[-1]):
            assert f"def {name}(" in tests or f'"{name.removeprefix("test_")}": [' in tests, name
    assert sum("`" in row[-1] for row in sentences) >= len(sentences) - 2


@every_page
def test_no_drawing_has_blanks_at_the_end_of_a_line(game: Game) -> None:
    assert not re.search(r"[ \t]$", page(game), re.MULTILINE)
    rng = random.Random(game.name)
    for settings in some_settings(game, 3, rng):
        for position in islice(game_path(game, settings, rng), 0, 40, 13):
            for viewer in (0, REFEREE):
                lines = ANSI.sub("", position.picture(viewer)).split("\n")
                assert [line for line in lines if line != line.rstrip()] == []
