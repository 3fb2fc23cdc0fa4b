"""The elements of drawings are short, and escape what they contain."""

import pytest

from engines.drawing import circle, escaped, group, line, number_text, polygon, text


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
