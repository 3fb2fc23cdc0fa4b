"""The statements of docs/rules/troke.md are true."""

import json
import re
from pathlib import Path

import pytest

from engines.troke import GAME
from tests.engines.troke.positions import moves, played, read, start

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "troke.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
ANSI = re.compile(r"\x1b\[\d+m")


def rows(heading: str) -> list[list[str]]:
    """Return the table under a heading, cell by cell."""
    section = PAGE.split(f"\n{heading}\n")[1].split("\n#")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def test_the_drawing_on_the_page_is_the_first_position_of_four_seats() -> None:
    drawing = BLOCKS[0][1].rstrip("\n")
    picture = ANSI.sub("", start(seats=4).picture(0))
    assert picture.startswith(drawing + "\n")


def test_every_option_is_in_the_table_with_its_values() -> None:
    listed = {row[0].strip("`"): row[1] for row in rows("### Options") if row[0].startswith("`")}
    for option in GAME.options.declared:
        values = listed[option.name]
        assert values.startswith(f"`{str(option.default).lower()}`") or option.name == "own_board"
        for value in option.examples:
            word = str(value).lower()
            assert word in values or f"{option.schema().get('minimum')} to" in values or not word
    assert {preset.name for preset in GAME.options.presets} <= set(listed)


def test_the_english_preset_on_the_page_is_correct() -> None:
    listed = next(row[1] for row in rows("### Options") if row[0] == "`troke_english`")
    chosen = dict(re.findall(r"`(\w+)=(\w+)`", listed))
    assert GAME.settings(chosen) == GAME.settings({}, "troke_english")


def test_every_move_on_the_page_can_be_parsed() -> None:
    listed = [row[0].strip("`") for row in rows("## Moves")[1:]]
    at = played(start(), "Tb1-c2 Md9-e8 Wb1xc2-d3 Wf9-f7 Md1xd3-d5-d7")
    assert "Td9xe8xf7-g6" in at.moves(1)
    assert set(listed) == {"Tb1-c2", "Wb1xc2-d3", "Md1xd3-d5-d7", "Td9xe8xf7-g6", "pass", "Mg8-h9!"}
    full = read("g8:Mr,b9:TrWrMr,d9:TrWrMr,f9:TrWrMw,h9:TrWr r", clear_goal="on_demand")
    assert {"Mg8-h9", "Mg8-h9!"} <= set(full.moves(0))


def test_every_position_of_the_table_can_be_parsed() -> None:
    first, second, third = (row[0].strip("`") for row in rows("## Positions")[1:])
    assert first == str(start())
    assert "Tf5-d5" not in moves(played(read(second), "Mf3-d3"))
    assert str(played(read("e8:Tr,d9:WwMw r"), "Te8xd9")) == third


def test_the_view_on_the_page_is_that_of_the_second_position() -> None:
    shown = json.loads(next(text for kind, text in BLOCKS if kind == "json"))
    view = read(rows("## Positions")[2][0].strip("`")).view(0)
    assert isinstance(view, dict)
    assert view["circles"].items() >= shown.pop("circles").items()
    assert {name: value for name, value in view.items() if name != "circles"} == shown


def test_the_search_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(next(text for kind, text in BLOCKS if kind == "python"), {})
    assert len(capsys.readouterr().out.splitlines()) == 30


def test_every_reason_of_an_end_is_on_the_page() -> None:
    assert [row[0].strip("`") for row in rows("### How a game ends")[1:]] == [
        "four_castles",
        "no_moves",
        "repetition",
        "max_plies",
    ]


def test_the_counts_on_the_page_are_those_of_the_golden_file() -> None:
    golden = (Path(__file__).parents[1] / "golden" / "troke" / "perft.txt").read_text()
    for options, *counts in rows("## Counts")[1:]:
        words = "-" if options == "defaults" else options.strip("`")
        assert f"{words} ; start ; {' '.join(counts)}\n" in golden


def test_every_rule_is_on_the_page_and_in_the_game() -> None:
    for number in range(1, 25):
        assert f"**TK-{number}**" in PAGE
        assert f"TK-{number} " in GAME.rules
