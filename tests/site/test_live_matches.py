"""Live matches and replays in a browser: a real server, real bots, the real site, Debian's Chromium."""

import json
import re
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from referee_client import Terms
from referee_values import MovePlayed

from engines.api import REFEREE
from engines.registry import find
from engines.toc.card_drawing import SUITS
from engines.toc.cards import NAMES
from referee.records.record_reader import read_record_history
from tests.site.bots import HELD_PLY
from tests.site.browser import Visitor, visit
from tests.site.site_process import BOTS, LIVE_GAMES, World

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

SLOW = "600+1"
VISIBILITIES = {"delayed": "delayed 4", "after_end": "after_end"}


@dataclass
class Watched:
    """A match that is watched from its first moves on."""

    match_id: str
    visitor: Visitor
    first: dict[str, str]
    """What the page showed when it was opened, by selector."""
    responses: list[Any]
    """All that the page received, but for events."""
    has_clocks: bool
    """Whether a clock was shown, and ran."""
    held: dict[str, str] = field(default_factory=dict)
    """What the site served while the match was held, by path."""


@pytest.fixture(scope="module")
def matches(world: World, browser: Browser) -> Iterator[dict[str, Watched]]:
    """One match of each game, and one for each visibility, watched from their first moves on, and played to the end."""
    terms = {game: Terms(game, options, clock=SLOW, start_within="2m") for game, options in LIVE_GAMES.items()}
    terms |= {name: Terms("alquerque", clock=SLOW, visibility=text) for name, text in VISIBILITIES.items()}
    ids = {
        name: world.organiser.create_match(match_terms, BOTS[: 4 if name in {"toc", "troke"} else 2]).id
        for name, match_terms in terms.items()
    }
    for match_id in ids.values():
        world.wait_for_ply(match_id, HELD_PLY)
    with ExitStack() as windows:
        watched = {
            name: watch(windows.enter_context(visit(browser, world.site.url)), match_id)
            for name, match_id in ids.items()
        }
        world.gate.touch()
        yield watched


def watch(visitor: Visitor, match_id: str) -> Watched:
    responses: list[Any] = []
    visitor.page.on("response", lambda response: responses.append(response))  # noqa: PLW0108  # It sets attributes.
    visitor.open(f"/matches/{match_id}")
    visitor.mark()
    # Nobody moves now, so only a clock can change what is shown.
    has_clocks = visitor.count("[data-running]") > 0
    if has_clocks:
        clock = visitor.text("[data-running]")
        visitor.wait_until(lambda: visitor.text("[data-running]") != clock)
    first = {selector: visitor.html(selector) for selector in ("#board", "#moves", "#state", "#caption")}
    paths = (f"/matches/{match_id}", f"/matches/{match_id}/frames?ply=0&count=40", f"/api/v1/matches/{match_id}", "/")
    return Watched(match_id, visitor, first, responses, has_clocks, {path: read(visitor.site + path) for path in paths})


def read(url: str) -> str:
    with urllib.request.urlopen(url) as response:
        text: str = response.read().decode()
    return text


def wait_for_end(watched: Watched) -> None:
    watched.visitor.wait_until(lambda: watched.visitor.page.get_attribute("#match", "data-live") == "false")


@pytest.mark.parametrize("game", LIVE_GAMES)
def test_a_live_match_moves_without_reload(matches: dict[str, Watched], game: str, world: World) -> None:
    watched = matches[game]
    visitor = watched.visitor
    assert watched.has_clocks
    first_moves = watched.first["#moves"].count("data-ply")
    assert 0 < first_moves <= HELD_PLY
    assert watched.first["#state"] == "in play"
    assert visitor.count("[data-clock]") == len(world.organiser.standing(watched.match_id).match.seats)
    wait_for_end(watched)
    assert visitor.html("#board") != watched.first["#board"]
    result = world.organiser.standing(watched.match_id)
    shown = visitor.count("#moves a[data-ply]")
    assert shown > first_moves
    assert visitor.page.get_attribute("#match", "data-ply") == str(result.state.ply)
    assert visitor.text("#state") not in {"", "in play"}
    assert "The match ended" in visitor.text("#moves li:last-child")
    boards = {json.loads(event)["board"] for event in visitor.events}
    assert len(boards) > 3
    assert visitor.is_marked
    assert visitor.problems == []


@pytest.mark.parametrize("name", VISIBILITIES)
def test_a_delayed_match_shows_nothing_early(matches: dict[str, Watched], world: World, name: str) -> None:
    watched = matches[name]
    visible = max(0, HELD_PLY - 4) if name == "delayed" else 0
    assert watched.first["#moves"].count("data-ply") == visible
    assert watched.first["#state"] == "in play"
    assert ("<svg" in watched.first["#board"]) == (name == "delayed")
    moves = [
        entry.event.played.move
        for entry in world.organiser.watch(watched.match_id)
        if isinstance(entry.event, MovePlayed)
    ]
    wait_for_end(watched)
    shown = watched.visitor.page.locator("#moves a[data-ply]").all_inner_texts()
    assert shown == moves
    if name == "after_end":
        assert "its organiser shows it later" in watched.first["#board"]
        for path, body in watched.held.items():
            assert not [move for move in moves[:HELD_PLY] if path != "/" and f">{move}<" in body]
    else:
        frames = json.loads(watched.held[f"/matches/{watched.match_id}/frames?ply=0&count=40"])["frames"]
        assert [frame["ply"] for frame in frames] == list(range(visible + 1))


# Hidden cards


def drawn(card: str, svg: str) -> bool:
    rank = "10" if card[0] == "T" else card[0]
    return f'>{rank}</text><path d="{SUITS[card[1]]}"' in svg


def named(card: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){card}(?![\w.-])", text) is not None


def test_no_hand_of_toc_is_in_what_the_browser_received_before_the_end(
    matches: dict[str, Watched], world: World, tmp_path: Path
) -> None:
    watched = matches["toc"]
    wait_for_end(watched)
    file = tmp_path / "record.jsonl"
    file.write_bytes(world.organiser.record_bytes(watched.match_id))
    hidden: dict[int, set[str]] = {}
    """Cards that nobody but their holders knew, by entry."""
    held_at = 0
    unknown = set(NAMES)
    for step in read_record_history(file, find).steps:
        if step.state.position:
            view: Any = step.state.position.view(REFEREE)
            unknown = set(NAMES) - set(view["played"])
            held_at = step.entry.number if step.state.ply <= HELD_PLY else held_at
        hidden[step.entry.number] = unknown
    last = max(hidden)
    assert 52 - len(hidden[last - 1]) >= 10, "some cards were played"
    assert any(len(cards) > 30 for cards in hidden.values())

    checked = 0
    for event in watched.visitor.events:
        data = json.loads(event)
        number = data["frames"][-1]["number"]
        if number < last:
            assert_hides(hidden[number], event, data["board"])
            checked += 1
    assert checked > 3
    for body in watched.held.values():
        assert_hides(hidden[held_at], body, body)
    for response in watched.responses:
        if "text/event-stream" not in response.headers.get("content-type", ""):
            assert_hides(hidden[held_at], response.text(), response.text())
    texts = "".join(watched.visitor.events)
    assert [card for card in NAMES if named(card, texts)], "this would find names"
    assert any(drawn(card, json.loads(event)["board"]) for event in watched.visitor.events for card in NAMES)
    watched.visitor.open(f"/matches/{watched.match_id}?ply={HELD_PLY}")
    board = watched.visitor.html("#board")
    assert len([card for card in hidden[held_at] if drawn(card, board)]) >= 4, "hands are shown after the end"


def assert_hides(cards: set[str], text: str, board: str) -> None:
    assert not [card for card in cards if named(card, text) or drawn(card, board)]


# Replay


@pytest.fixture
def replay(matches: dict[str, Watched], world: World, browser: Browser) -> Iterator[tuple[Visitor, str, int]]:
    """A visitor of a match that is over, its path, and its number of moves."""
    wait_for_end(matches["alquerque"])
    match_id = matches["alquerque"].match_id
    with visit(browser, world.site.url) as visitor:
        visitor.open(f"/matches/{match_id}")
        visitor.page.wait_for_selector("#play:not([hidden])")
        yield visitor, f"/matches/{match_id}", world.organiser.standing(match_id).state.ply
        assert visitor.problems == []


def step_to(visitor: Visitor, act: Any, ply: int) -> str:
    """Act, wait until the board after `ply` moves is shown, and return it."""
    act()
    visitor.wait_until(lambda: visitor.shown_ply == ply)
    marked = visitor.page.locator("#moves [aria-current]").all_inner_texts()
    assert len(marked) == (ply > 0)
    return visitor.html("#board")


@pytest.mark.parametrize("by", ["buttons", "keyboard"])
def test_a_match_that_is_over_is_replayed_to_the_end_and_back(replay: tuple[Visitor, str, int], by: str) -> None:
    visitor, path, last = replay
    keys = {"first": "Home", "previous": "ArrowLeft", "next": "ArrowRight", "last": "End"}

    def act(step: str) -> Any:
        if by == "keyboard":
            return lambda: visitor.page.keyboard.press(keys[step])
        return lambda: visitor.page.click(f"[data-step={step}]")

    end = visitor.html("#board")
    forwards = [step_to(visitor, act("first"), 0)]
    forwards += [step_to(visitor, act("next"), ply) for ply in range(1, last + 1)]
    assert forwards[-1] == end
    assert len(set(forwards)) > last // 2  # Some may come again.
    assert step_to(visitor, act("next"), last) == end
    backwards = [step_to(visitor, act("previous"), ply) for ply in reversed(range(last))]
    assert [*reversed(backwards), end] == forwards
    assert visitor.page.url.endswith(f"{path}?ply=0")
    assert step_to(visitor, act("last"), last) == end


def test_a_link_to_a_move_shows_it_and_so_does_a_click_in_the_list(replay: tuple[Visitor, str, int]) -> None:
    visitor, path, last = replay
    board = step_to(visitor, lambda: visitor.page.click("#moves a[data-ply='5']"), 5)
    visitor.open(f"{path}?ply=5")
    assert (visitor.shown_ply, visitor.html("#board")) == (5, board)
    assert visitor.text("#caption").startswith("5. ")
    visitor.open(f"{path}?ply=99999")
    assert visitor.shown_ply == last


@pytest.mark.parametrize("how", ["#play", " "])
def test_a_replay_plays_by_itself_to_the_end(replay: tuple[Visitor, str, int], how: str) -> None:
    visitor, path, last = replay
    visitor.open(f"{path}?ply={last - 3}")
    visitor.page.wait_for_selector("#play:not([hidden])")
    visitor.page.click(how) if how == "#play" else visitor.page.keyboard.press(how)
    visitor.wait_until(lambda: visitor.shown_ply == last)
    visitor.wait_until(lambda: visitor.text("#play") == "Play")
    visitor.page.click("#play")
    visitor.wait_until(lambda: visitor.shown_ply in {0, 1})
    assert visitor.text("#play") == "Pause"
    visitor.page.click("#play")
    assert visitor.text("#play") == "Play"
    assert visitor.problems == []


def test_a_match_can_be_stepped_through_without_javascript(
    replay: tuple[Visitor, str, int], world: World, browser: Browser
) -> None:
    _, path, last = replay
    with visit(browser, world.site.url, java_script_enabled=False) as visitor:
        visitor.open(path)
        visitor.page.click("[data-step=first]")
        seen = [visitor.html("#board")]
        for _ in range(last):
            visitor.page.click("[data-step=next]")
            seen.append(visitor.html("#board"))
        assert len(set(seen)) > last // 2  # Some may come again.
        assert visitor.shown_ply == last
        visitor.page.click("[data-step=previous]")
        assert visitor.html("#board") == seen[-2]
        assert not visitor.page.is_visible("#play")
        assert "UTC" in visitor.text(".facts")
