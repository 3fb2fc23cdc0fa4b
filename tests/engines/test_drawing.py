"""The elements of drawings are short, and escape what they contain."""

import pytest

from engines.api import Position
from engines.drawing import circle, escaped, group, line, number_text, polygon, text
from engines.registry import find
from tests.engines.drawn_shapes import draw, marks_in


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


NOT_MOVES = {
    "alquerque": ("b2-", "b2-c9", "a1-b2-c3", "<b>", "pass"),
    "chess": ("e2-e4", "e9e4"),
    "go": ("pass", "Z9", "b2"),
    "troke": ("pass", "pass!", "Tb1", "Tb1-z9", "Xb1-c2"),
    "trox": ("pass", "+9.9u", "0.0u>9.9d", "NBR@9.9u/9.8d:9.9d", "NBR@0.0u/0.0u:0.0u"),
}


@pytest.mark.parametrize("name", NOT_MOVES)
def test_a_move_that_cannot_be_parsed_or_shown_is_not_marked(name: str) -> None:
    first: Position = find(name).start(find(name).settings(), b"")
    for move in (None, "", "?", *NOT_MOVES[name]):
        assert marks_in(draw(name, first, move)) == []
