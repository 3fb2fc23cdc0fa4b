"""`referee game check`, as an author of a game types it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import Result

from engines.testing.suite import CHECKS
from engines.testing.svg_checks import NAMESPACE, parse_svg
from tests.cli.runner import refusal_of, run
from tests.third_party_games.third_party_games.nim import NimPosition

NIM = "tests.third_party_games.third_party_games:NIM"


def check(*arguments: str) -> Result:
    return run("game", "check", *arguments)


def test_each_check_of_a_good_game_has_a_line() -> None:
    result = check(NIM)
    assert result.exit_code == 0, result.output
    assert [line.split()[:2] for line in result.output.splitlines()] == [["passed", each.name] for each in CHECKS]


def test_a_second_engine_adds_a_check() -> None:
    planted = "tests.engines.second.test_agreement"
    result = check(NIM, "--only", "agreement", "--against", f"{planted}:RIGHT")
    assert (result.exit_code, result.output.split()[:2]) == (0, ["passed", "agreement"])
    differs = check(NIM, "--only", "agreement", "--against", f"{planted}:WRONG")
    assert differs.exit_code == 1
    assert "the text for the referee is" in differs.output
    assert f"--against {planted}:WRONG" in differs.output
    few = check(NIM, "--only", "agreement", "--against", f"{planted}:CHOOSY").output
    assert re.search(r"\((\d) of (?!\1)\d+ combinations of options\)", few), few
    assert "not a SecondEngine" in check(NIM, "--against", NIM).output


def test_a_game_in_the_registry_is_found_by_its_name() -> None:
    result = check("alquerque", "--only", "description", "--only", "options")
    assert result.exit_code == 0
    assert len(result.output.splitlines()) == 2


def test_a_failure_shows_where_and_the_command_that_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NimPosition, "visible_move", lambda *_: "?")
    result = check(NIM, "--seed", "3")
    assert result.exit_code == 1
    failed = result.output[result.output.index("FAILED  moves") :].splitlines()[1:6]
    wrong, options, position, seat, move = (line.strip() for line in failed)
    assert wrong == "a seat does not see its own move"
    assert options.startswith("options: heap=")
    assert position.startswith("position: ")
    assert seat.startswith("seat: ")
    assert move.startswith("move: ")
    (again,) = (line.split("again: referee game check ")[1] for line in result.output.splitlines() if "again: " in line)
    once_more = check(*again.split())
    assert once_more.exit_code == 1
    assert [line.strip() for line in once_more.output.splitlines()[1:6]] == [wrong, options, position, seat, move]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no_such_game"], "unknown game"),
        (["no_such_module:GAME"], "cannot import no_such_module:GAME"),
        (["engines.toc:NOTHING"], "cannot import engines.toc:NOTHING"),
        (["engines.toc:imagine"], "not a Game"),
        (["toc", "--only", "luck"], "unknown check 'luck'; known: description"),
    ],
)
def test_wrong_arguments_are_named(arguments: list[str], said: str) -> None:
    assert said in refusal_of("game", "check", *arguments)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "engines.testing.suite", None)
    assert "pip install 'referee[kit]'" in refusal_of("game", "check", NIM)


def test_each_command_of_the_page_for_authors_of_games_succeeds(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "game-author.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ *\$ (.*)$", page, re.MULTILINE)
    assert len(commands) == 4
    programs = {"referee": [sys.executable, "-m", "referee"], "python": [sys.executable]}
    folder = tmp_path
    for command in commands:
        first, *rest = shlex.split(command)
        if first == "cd":
            folder /= rest[0]
            continue
        subprocess.run([*programs[first], *rest], cwd=folder, check=True, capture_output=True)


def test_the_drawing_on_the_page_for_authors_of_games_is_a_valid_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "game-author.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^ *```python\n(.*?)^ *```", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"Game": object}
    exec(dedent(example), names)  # It is a page of this repository.
    for last_move in (None, "2", "nonsense"):
        drawn = parse_svg(names["HeapGame"]().svg({}, {"heap": 5, "to_move": 1}, last_move))
        assert len([*drawn.iter(f"{NAMESPACE}circle")]) == (7 if last_move == "2" else 5)


@pytest.mark.parametrize("name", ["Chess", "../x", "class", "toc", ""])
def test_a_new_game_needs_a_free_name_of_a_module(name: str) -> None:
    assert "no free name" in refusal_of("game", "new", name)


def test_a_new_game_overwrites_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pebbles").mkdir()
    assert "cannot write pebbles: File exists" in refusal_of("game", "new", "pebbles")
