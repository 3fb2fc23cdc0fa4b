"""The page of a match: every board once, what its viewer may see and no more, and no larger than a browser can show."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from engines.alquerque import GAME
from engines.api import REFEREE, SPECTATOR, Json, Viewer
from engines.registry import find
from engines.testing.svg_checks import parse_svg
from referee.cli import main
from referee.match.commands import StartPlay, VoidMatch
from referee.match.result import EndCause
from referee.records.record_reader import RecordHistory, read_record_history
from referee.show import frames
from referee.show import match_page as module
from referee.show.boards import MIN_SHARED_CHARS, draw_board, share_parts
from referee.show.match_page import PageTerms, match_page
from tests.engines.drawn_shapes import texts_of
from tests.records.forgery import record_of
from tests.records.matches import decided_events, find_game, nim_setup, short_match
from tests.show.parsed_page import ParsedPage
from tests.third_party_games.third_party_games import NIM

SEATS = ("red", "blue", "green", "yellow")
TOC = ("toc", "-o", "max_turns=8")


def played(folder: Path, game: str, *options: str) -> RecordHistory:
    file = folder / "record.jsonl"
    result = CliRunner().invoke(main, ["play", game, "--seed", "1", "--record", str(file), *options])
    assert result.exit_code == 0, result.output
    return read_record_history(file, find)


def history_of(folder: Path, record: bytes) -> RecordHistory:
    file = folder / "record.jsonl"
    file.write_bytes(record)
    return read_record_history(file, find_game)


def parsed_page(history: RecordHistory, terms: PageTerms) -> ParsedPage:
    parsed = ParsedPage(match_page(history, terms))
    assert parsed.open == []
    return parsed


def boards_of(history: RecordHistory, terms: PageTerms = PageTerms()) -> list[str]:  # noqa: B008  # It is immutable.
    return [attributes["id"] or "" for tag, attributes in parsed_page(history, terms).tags if tag == "figure"]


def test_every_position_has_a_board(tmp_path: Path) -> None:
    history = played(tmp_path, "alquerque")
    assert boards_of(history) == [f"ply-{ply}" for ply in range(history.last.ply + 1)]
    drawings = [attributes for tag, attributes in parsed_page(history, PageTerms()).tags if tag == "svg"]
    assert sum("Alquerque: " in (attributes.get("aria-label") or "") for attributes in drawings) == history.last.ply + 1


def test_names_are_escaped(tmp_path: Path) -> None:
    setup = nim_setup(match_id="<b onclick=evil()>")
    history = history_of(
        tmp_path, record_of(decided_events(setup, (1, StartPlay()), (2, VoidMatch(EndCause.DECLARED))))
    )
    terms = PageTerms(facts=(("<i>", "<i>"),), links=(("<i>", '"><i>'),))
    html = match_page(history, terms)
    assert "<b onclick" not in html
    assert "<i>" not in html
    assert "<b onclick=evil()>" in ParsedPage(html).texts


def test_a_long_match_shows_fewer_boards_and_always_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = played(tmp_path, "alquerque")
    last = history.last.ply
    assert last > 10
    monkeypatch.setattr(module, "MAX_BOARDS", 10)
    boards = boards_of(history)
    assert len(boards) <= 11
    assert (boards[0], boards[-1]) == ("ply-0", f"ply-{last}")
    targets = [attributes.get("href") or "" for tag, attributes in parsed_page(history, PageTerms()).tags if tag == "a"]
    assert {target.removeprefix("#") for target in targets} == set(boards)


def test_a_page_has_as_many_boards_as_there_is_room_for(tmp_path: Path) -> None:
    history = played(tmp_path, "alquerque")
    last = history.last.ply
    every_second = [f"ply-{ply}" for ply in range(0, last, 2)]
    assert boards_of(history, PageTerms(max_board_chars=20_000)) == [*every_second, f"ply-{last}"]
    assert boards_of(history, PageTerms(max_board_chars=0)) == ["ply-0", f"ply-{last}"]


def test_a_match_that_did_not_start_has_no_board_and_no_script(tmp_path: Path) -> None:
    events = decided_events(nim_setup(), (1, VoidMatch(EndCause.NOT_STARTED)))
    parsed = parsed_page(history_of(tmp_path, record_of(events)), PageTerms())
    assert "Play did not start." in parsed.texts
    assert not {"figure", "script", "button"} & {tag for tag, _ in parsed.tags}


def test_the_page_loads_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    html = match_page(played(tmp_path, "alquerque"), PageTerms())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    (script,) = re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)
    expected = b64encode(sha256(script.encode()).digest()).decode()
    assert policy.split("; ")[0] == "default-src &#x27;none&#x27;"
    assert policy.split("; ")[-1] == f"script-src &#x27;sha256-{expected}&#x27;"
    addresses = [attributes.get(name) for _, attributes in ParsedPage(html).tags for name in ("src", "href")]
    assert {address for address in addresses if address and not address.startswith("#")} == set()


def test_clocks_and_the_time_of_each_move_are_shown(tmp_path: Path) -> None:
    parsed = parsed_page(history_of(tmp_path, record_of(short_match())), PageTerms())
    assert [text for text in parsed.texts if re.fullmatch(r"\d:\d\d", text)][:4] == ["0:10", "0:10", "0:10", "0:10"]
    assert parsed.classes_of("rect").count("c1") == 2
    assert [text for text in parsed.texts if text.startswith("first, 1: ")]


@pytest.mark.parametrize(
    ("viewer", "hidden_from"), [(REFEREE, set()), (2, {"red", "blue", "yellow"}), (SPECTATOR, set(SEATS))]
)
def test_cards_that_others_exchange_are_hidden_from_the_viewer(
    tmp_path: Path, viewer: Viewer, hidden_from: set[str]
) -> None:
    texts = parsed_page(played(tmp_path, *TOC), PageTerms(viewer)).texts
    exchanged = [found.groups() for text in texts if (found := re.fullmatch(r"[1-4]\. (\w+) \(.*\): =(\S+)", text))]
    assert {seat for seat, _ in exchanged} == set(SEATS)
    assert {seat for seat, card in exchanged if card == "?"} == hidden_from
    assert any("could see during the match" in text for text in texts) is (viewer != REFEREE)


def test_boards_are_drawn_from_what_the_viewer_may_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = played(tmp_path, *TOC)
    drawn: list[tuple[Json, str, str | None]] = []

    def draw(_game: object, _settings: object, view: Json, position: str, last_move: str | None) -> str:
        drawn.append((view, position, last_move))
        return "<svg/>"

    monkeypatch.setattr(frames, "draw_board", draw)
    match_page(history, PageTerms(SPECTATOR))
    positions = {step.state.ply: step.state.position for step in history.steps if step.state.position}
    seen = [
        (json.loads(json.dumps(position.view(SPECTATOR))), position.text(SPECTATOR)) for position in positions.values()
    ]
    assert [board[:2] for board in drawn] == seen
    assert [move for *_, move in drawn[:5]] == [None, "=?", "=?", "=?", "=?"]


def test_a_damaged_record_is_shown_up_to_the_damage(tmp_path: Path) -> None:
    record = record_of(short_match()).replace(b'"move":"2"', b'"move":"7"', 1)
    texts = parsed_page(history_of(tmp_path, record), PageTerms()).texts
    assert [text for text in texts if text.startswith("The record ends here: entry 4 makes no sense")]


@pytest.mark.parametrize(("game", "shown"), [(TOC, True), (("alquerque",), False)])
def test_the_page_says_who_chose_the_seed_if_it_matters(tmp_path: Path, game: tuple[str, ...], shown: bool) -> None:
    html = match_page(played(tmp_path, *game), PageTerms())
    assert ("the creator of the match alone chose its seed" in html) is shown


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
