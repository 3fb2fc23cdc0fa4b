"""Properties of each rules page and each picture of a board."""

import random
import re
from itertools import islice
from pathlib import Path

import pytest

from engines.api import REFEREE, Game
from engines.options import written
from engines.registry import find, own_games
from engines.testing.random_games import game_path, settings_of

HERE = Path(__file__).parent
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
def test_every_option_is_on_the_page_with_all_its_values(game: Game) -> None:
    for option in game.options.declared:
        rows = re.findall(rf"^\| `{option.name}` \| (.*?) \| ", page(game), re.MULTILINE)
        counted = "minimum" in option.schema() and len(option.examples) < 3
        values = [option.default] if counted else option.examples
        assert any(all(written(value) in row for value in values) for row in rows), option.name


@every_page
def test_the_tests_named_in_the_table_of_sentences_exist(game: Game) -> None:
    tables = page(game).split("sentence by sentence\n")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in tables.splitlines() if line.startswith("| ") and "---" not in line]
    sentences = [row for row in rows if "test" not in row[-1].split("`")[0]]
    assert len(sentences) > 10
    tests = "".join(file.read_text(encoding="utf-8") for file in (HERE / game.name).glob("test_*.py"))
    for row in sentences:
        for name in re.findall(r"`(\w+)`", row[-1]):
            assert f"def {name}(" in tests, name
    assert sum("`" in row[-1] for row in sentences) >= len(sentences) - 2


@every_page
def test_no_drawing_has_blanks_at_the_end_of_a_line(game: Game) -> None:
    assert not re.search(r"[ \t]$", page(game), re.MULTILINE)
    rng = random.Random(game.name)
    for settings in settings_of(game, 3, rng):
        for position in islice(game_path(game, settings, rng), 0, 40, 13):
            for viewer in (0, REFEREE):
                lines = ANSI.sub("", position.picture(viewer)).split("\n")
                assert [line for line in lines if line != line.rstrip()] == []
