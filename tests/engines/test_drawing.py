"""Parts of drawings, and views as tables."""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import REFEREE, SPECTATOR, Position
from engines.drawing import BLANK, circle, escaped, group, line, number_text, polygon, text
from engines.options import Value
from engines.registry import find
from engines.testing.svg_checks import parse_svg
from engines.view_table import MAX_DEPTH, MAX_PICTURE_LETTERS, MAX_PICTURE_ROWS, MAX_ROWS, picture_drawing, view_table
from tests.engines.drawn_shapes import draw, marks_in, texts_of
from tests.engines.toc.positions import position_text
from tests.engines.trox import positions as trox
from tests.engines.trox.test_rules import FIGURE_5
from tests.third_party_games.third_party_games import FINGERS, NIM


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (-0.001, "0"), (100, "100"), (2.5, "2.5"), (1 / 3, "0.33"), (-1.999, "-2"), (0.1 + 0.2, "0.3")],
)
def test_a_number_has_two_decimals_at_most_and_none_without_need(value: float, written: str) -> None:
    assert number_text(value) == written


def test_shapes_are_elements_with_rounded_places() -> None:
    assert circle((1, 2), 1 / 3, fill="#fff") == '<circle cx="1" cy="2" r="0.33" fill="#fff"/>'
    assert line((0, 1), (2, 3), stroke_width=2) == '<line x1="0" y1="1" x2="2" y2="3" stroke-width="2"/>'
    assert polygon([(0, 0), (1, 0), (0.5, 1)], fill="none") == '<polygon points="0,0 1,0 0.5,1" fill="none"/>'


def test_a_text_is_centred_on_its_height() -> None:
    assert text((1, 2), 10, "a<b") == '<text x="1" y="5.5" font-size="10">a&lt;b</text>'


def test_what_is_not_printable_is_replaced() -> None:
    assert escaped("a\x00\n\ud800\u202eb") == "a\ufffd\ufffd\ufffd\ufffdb"
    assert escaped("<\"'&>") == "&lt;&quot;&#x27;&amp;&gt;"


def test_a_group_without_elements_is_left_out() -> None:
    assert group("", "", fill="#000") == ""
    assert group("", line((0, 0), (1, 1)), fill="#000").startswith('<g fill="#000"><line ')


FIGURE_5_TEXT = str(trox.played(trox.start(), *FIGURE_5))
LABELS: list[tuple[str, dict[str, Value], str, str]] = [
    ("alquerque", {}, "4b/5/5/5/ww3 b 0", "Alquerque: black to move, 2 white and 1 black men"),
    (
        "chess",
        {},
        "4k3/8/8/8/8/8/4R3/K7 b - - 0 1",
        "Chess: black to move, in check, 2 white and 1 black pieces",
    ),
    ("go", {"size": 5}, "4w/5/5/1b3/b4 b 0 3", "Go: black to move, 2 black and 1 white stones"),
    ("toc", {}, "", "Toc: seats 0 and 1 and 2 and 3 to give a card, 0 turns; pawns home: 0, 0, 0, 0"),
    ("toc", {}, position_text("5,H2,H4///7", "2S", 1), "Toc: seat 1 to play, 0 turns; pawns home: 2, 0, 0, 0"),
    (
        "toc",
        {},
        position_text("H1,H2,H3,H4//H1,H2,H3,H4/", "2S"),
        "Toc: the game is over, 0 turns; pawns home: 4, 0, 4, 0",
    ),
    (
        "troke",
        {"seats": 3},
        "b1:TrWrMr,d9:TwWwMw b 9/-3/30 0/0/0 5",
        "Troke: blue to move after 5 plies; red 9 chips 0 castles, blue -3 chips 0 castles, white 30 chips 0 castles",
    ),
    ("trox", {}, FIGURE_5_TEXT, "Trox: square to move, placing; 3 pieces, pawns: 3 round, 1 square, 1 neutral"),
]


def position_of(name: str, text: str, options: Mapping[str, Value] | None = None) -> Position:
    """Return the position of a text, or the first one."""
    game = find(name)
    settings = game.settings(options)
    return game.read(text, settings) if text else game.start(settings, b"")


@pytest.mark.parametrize(("name", "options", "text", "label"), LABELS)
def test_the_label_says_whose_turn_it_is_and_what_is_on_the_board(
    name: str, options: dict[str, Value], text: str, label: str
) -> None:
    assert draw(name, position_of(name, text, options)).get("aria-label") == label


WAY = "polyline circle circle"
TOC_TEXT = position_text("10,H3/20,H4/H4/", "2S")
MARKS: list[tuple[str, str, str, str]] = [
    ("alquerque", "", "b2-c3", WAY),
    ("alquerque", "", "d4xb2", f"{WAY} circle path"),
    ("alquerque", "", "e3xc1xc3", f"{WAY} circle circle path path"),
    ("alquerque", "", "!c3", "circle path"),
    ("alquerque", "", "a1xe5", WAY),  # There is no line between them.
    ("toc", TOC_TEXT, "5S:5>10", WAY),
    ("toc", TOC_TEXT, "4S:5>1", WAY),
    ("toc", TOC_TEXT, "KS:R>18", "circle circle"),
    ("toc", TOC_TEXT, "6S:68>H2", WAY),
    ("toc", TOC_TEXT, "2S:H1>H3", WAY),
    ("toc", TOC_TEXT, "JS:5<>40", WAY),
    ("toc", TOC_TEXT, "7S:5>8,70>H2", f"{WAY} {WAY}"),
    ("toc", TOC_TEXT, "7S:5>12x7x9", f"{WAY} path path"),
    ("troke", "", "Tb1-c2", WAY),
    ("troke", "", "Tb1-c2!", WAY),
    ("troke", "", "Td9xe8xf7-g6", f"{WAY} g circle circle"),
    ("troke", "", "Td9xe8", WAY),
    ("trox", FIGURE_5_TEXT, "BRN@0.1u/0.0d:0.1d", "path circle"),
    ("trox", FIGURE_5_TEXT, "+-1.1d", "circle"),
    ("trox", FIGURE_5_TEXT, "0.0u>0.1u", WAY),
]


@pytest.mark.parametrize(("name", "text", "move", "marks"), MARKS)
def test_the_last_move_is_marked(name: str, text: str, move: str, marks: str) -> None:
    assert " ".join(marks_in(draw(name, position_of(name, text), move, REFEREE))) == marks


NOT_MOVES = {
    "alquerque": ("b2-", "b2-c9", "a1-b2-c3", "<b>", "pass"),
    "chess": ("e2-e4", "e9e4"),
    "go": ("pass", "Z9", "b2"),
    "toc": ("KS:R>19", "2S:H2>H4", "2S:H4>5", "-3S", "=3S", "=?", "3S:R>"),
    "troke": ("pass", "pass!", "Tb1", "Tb1-z9", "Xb1-c2"),
    "trox": ("pass", "+9.9u", "0.0u>9.9d", "NBR@9.9u/9.8d:9.9d", "NBR@0.0u/0.0u:0.0u"),
}


@pytest.mark.parametrize("name", NOT_MOVES)
def test_a_move_that_cannot_be_parsed_or_shown_is_not_marked(name: str) -> None:
    position = position_of(name, {"toc": TOC_TEXT, "trox": FIGURE_5_TEXT}.get(name, ""))
    for move in (None, "", "?", *NOT_MOVES[name]):
        assert marks_in(draw(name, position, move, REFEREE)) == []


HOSTILE = [
    "</text><script>alert(1)</script>",
    '" onload="alert(1)',
    "' style='x",
    "]]><!--",
    "&lt;&#0;&",
    "\x00\x08\x1b\ufffe\ud800",
    "\u202eleft\u2028\n\t",
    "é漢💥",
    "x" * 100_000,
    " " * 100_000,
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(HOSTILE) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(HOSTILE) | st.text(), inner),
    max_leaves=60,
)


def rows(view: object, last_move: str | None = None) -> list[str]:
    """Return the texts of a drawing after its title, keys first."""
    return texts_of(parse_svg(view_table("Title", view, last_move)))[1:]


def test_a_game_that_does_not_draw_itself_has_its_view_drawn() -> None:
    settings = NIM.settings({"heap": 9})
    position = NIM.start(settings, b"").play(0, "2")
    root = parse_svg(NIM.svg(settings, position.view(SPECTATOR), "2"))
    assert root.get("aria-label") == "Nim: last move 2, heap 7, to move 1"
    assert texts_of(root) == ["Nim", "last move", "heap", "to move", "2", "7", "1"]


def test_a_game_of_another_distribution_can_draw_itself() -> None:
    settings = FINGERS.settings()
    root = parse_svg(FINGERS.svg(settings, FINGERS.start(settings, b"").view(SPECTATOR)))
    assert root.get("aria-label") == "Fingers: round 0, scores 0, 0, 0"
    assert texts_of(root) == ["player0", "player1", "player2", "0", "0", "0"]


def test_tuples_and_lists_are_drawn_alike() -> None:
    assert view_table("T", {"a": (1, (2, 3))}, None) == view_table("T", {"a": [1, [2, 3]]}, None)


def test_nested_data_is_indented() -> None:
    root = parse_svg(view_table("T", {"outer": {"inner": {"innermost": 1}}}, None))
    starts = {text.text: float(text.get("x", "")) for text in root.iter() if text.text}
    assert starts["T"] == starts["outer"] < starts["inner"] < starts["innermost"] < starts["1"]


def test_lists_of_simple_values_take_one_row_and_others_one_for_each_element() -> None:
    assert rows({"a": [1, None, True, "x"], "b": [[2], 3]}) == ["a", "b", "0", "1", "1, –, yes, x", "2", "3"]


@pytest.mark.parametrize(
    ("view", "value"), [(None, "–"), ({}, "–"), ([], "–"), ("", "–"), (False, "no"), (0, "0"), ([1, 2], "1, 2")]
)
def test_data_without_keys_has_one_row(view: object, value: str) -> None:
    assert rows(view) == ["view", value]


def test_long_values_continue_on_more_rows_and_are_cut() -> None:
    assert rows({"key": "word " * 15}) == ["key", "word word word word word word word word word", "word " * 5 + "word"]
    cut = rows({"key": "x" * 1_000})
    assert len(cut) == 7
    assert cut[-1].endswith("…")


def test_long_keys_and_titles_are_cut() -> None:
    assert rows({"k" * 100: 1}) == ["k" * 23 + "…", "1"]
    assert texts_of(parse_svg(view_table("t" * 1_000, {}, None)))[0] == "t" * 59 + "…"


def test_many_rows_are_cut() -> None:
    found = rows({f"key{number}": "-" for number in range(MAX_ROWS + 1)})
    assert found[MAX_ROWS : MAX_ROWS + 1] == ["…"]
    assert len(rows({f"key{number}": "-" for number in range(MAX_ROWS)})) == 2 * MAX_ROWS


def test_what_is_nested_too_deeply_is_cut() -> None:
    view: Any = 1
    for _ in range(5_000):
        view = {"in": view}
    assert rows(view) == ["in"] * MAX_DEPTH + ["…"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    for view in ({text: text}, [text, {text: [text] * 1_000}], text):
        parse_svg(view_table(text, view, text))


@given(VALUES, st.text())
def test_any_data_is_drawn_within_the_limits(view: object, title: str) -> None:
    root = parse_svg(view_table(title or "-", view, None))
    assert isinstance(root, ElementTree.Element)


def test_the_largest_table_is_within_the_limit_of_size() -> None:
    drawn = view_table("&" * 99, {f"{number}" + "'" * 99: "'" * 48 for number in range(99)}, None)
    parse_svg(drawn)
    assert len(drawn) > 15_000


def test_a_picture_keeps_its_blanks_and_loses_its_colours() -> None:
    root = parse_svg(picture_drawing("Title", "\x1b[1;31m  o\x1b[0m x\n\n x\n", "b2"))
    assert [text.replace(BLANK, " ") for text in texts_of(root)] == ["Title: last move b2", "  o x", " x"]
    assert root.get("aria-label") == "Title: last move b2"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_picture_stays_text_within_the_limits(text: str) -> None:
    parse_svg(picture_drawing(text, f"{text}\n" * 1_000, text))


def test_the_largest_picture_is_within_the_limit_of_size() -> None:
    drawn = picture_drawing("T", ("'" * (MAX_PICTURE_LETTERS + 1) + "\n") * (MAX_PICTURE_ROWS + 1), None)
    assert len(texts_of(parse_svg(drawn))) == 1 + MAX_PICTURE_ROWS
