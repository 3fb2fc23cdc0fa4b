"""Boards on a page: a game that cannot draw is shown as a table, and what boards have in common is stored once."""

import re

import pytest

from engines.alquerque import GAME
from engines.api import REFEREE
from engines.testing.svg_checks import parse_svg
from referee.show.boards import MIN_SHARED_CHARS, draw_board, share_parts
from tests.engines.drawn_shapes import texts_of
from tests.third_party_games.third_party_games import NIM

LINES = f'<path d="{"M0,0L1,1" * MIN_SHARED_CHARS}"/>'
PIECES = "".join(f'<g fill="red"><circle cx="{number}" cy="0" r="7.4" stroke="black"/></g>' for number in range(2))


def drawing(*inside: str) -> str:
    return f'<svg viewBox="0 0 1 1" aria-label="{"as long as what is shared " * 3}">{"".join(inside)}</svg>'


def resolved(shared: str, written: str) -> str:
    """Return a drawing with its references replaced by what they refer to."""
    parts = dict(re.findall(r'<g id="(d\d+)">(.*?)</g>(?=<g id="d|</defs>)', shared))
    return re.sub(r'<use href="#(d\d+)"/>', lambda found: parts[found[1]], written)


def test_what_drawings_have_in_common_is_stored_once_and_nothing_is_lost() -> None:
    drawings = [drawing(LINES, PIECES), drawing(LINES, PIECES, "<text>1</text>"), drawing(LINES)]
    shared, written = share_parts(drawings)
    assert [resolved(shared, drawn) for drawn in written] == drawings
    assert (shared + "".join(written)).count(LINES) == 1
    assert re.findall(r'id="(d\d+)"', shared) == ["d0", "d1", "d2"], "in the order of the drawings, each time"


def test_what_occurs_once_or_is_short_stays_in_its_drawing() -> None:
    drawings = [drawing(LINES, "<text>1</text>"), drawing("<text>1</text>")]
    shared, written = share_parts(drawings)
    assert written == drawings
    assert "<g" not in shared


@pytest.mark.parametrize("odd", ["", "no element", "<svg>", f"<svg><g>{LINES}</svg>", f"</g>{LINES}", "<svg/>"])
def test_a_drawing_that_cannot_be_divided_stays_whole(odd: str) -> None:
    assert share_parts([odd, odd])[1] == [odd, odd]


def test_a_sign_in_an_attribute_is_no_end_of_a_tag() -> None:
    odd = drawing(f'<text aria-label="a>b">{LINES}</text>')
    shared, written = share_parts([odd, odd])
    assert [resolved(shared, drawn) for drawn in written] == [odd, odd]
    assert written[0].count("<use") == 1


def test_a_game_that_cannot_draw_a_view_is_shown_as_a_table_of_its_data() -> None:
    settings = GAME.settings()
    start = GAME.start(settings, b"")
    view, text = start.view(REFEREE), start.text(REFEREE)
    assert draw_board(GAME, settings, view, text, None) == GAME.svg(settings, view)
    assert "unlike any board" in draw_board(GAME, settings, {"squares": "unlike any board"}, text, None)


def test_a_game_that_does_not_draw_views_is_shown_by_its_picture() -> None:
    settings = NIM.settings()
    drawn = draw_board(NIM, settings, {"heap": 5, "to_move": 1}, "5 1", "2")
    assert texts_of(parse_svg(drawn)) == ["Nim: last move 2", "|||||"]


@pytest.mark.parametrize("text", ["? 1", ""])
def test_a_position_with_hidden_parts_has_no_picture(text: str) -> None:
    settings, view = NIM.settings(), {"heap": None, "to_move": 1}
    assert draw_board(NIM, settings, view, text, "2") == NIM.svg(settings, view, "2")


def test_a_page_does_not_wait_for_a_slow_game_to_read_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(NIM), "is_slow", True)
    settings, view = NIM.settings(), {"heap": 5, "to_move": 1}
    assert draw_board(NIM, settings, view, "5 1", None) == NIM.svg(settings, view)
