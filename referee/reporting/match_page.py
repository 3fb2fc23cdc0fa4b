"""The page of one match: its moves with the clock of the seat that moved, and the board after each of them.

The page has no scripts. The board after a move is shown when the page is opened at its anchor (the CSS pseudo-class
`:target`), so that each position has an address, and the pages work as files.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from engines.api import REFEREE
from referee.live.match_history import MatchStep
from referee.match.events import MovePlayed, MoveSource
from referee.match.state import Match
from referee.records.describe_clock import clock_text, control_text
from referee.records.describe_event import describe, describe_seed, escape_unprintable
from referee.records.record_reader import RecordHistory
from referee.reporting.markup import Markup, tag
from referee.reporting.page import document, heading

MAX_BOARDS = 2_000
"""Boards on one page. A longer match shows the board only after every second, third, … move."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SOURCES = {MoveSource.BOT: "", MoveSource.RANDOM: "at random", MoveSource.DEFAULT: "by default"}


@dataclass(frozen=True, slots=True)
class _Board:
    """A position that the page shows."""

    ply: int
    caption: str
    picture: str


def match_page(history: RecordHistory, title: str, result: str, record: str, index: str) -> str:
    """Return the page as HTML. `record` and `index` are the relative addresses of the record and of the overview."""
    first, last = history.first, history.last
    facts = [
        ("Match", first.setup.match_id),
        ("Game", f"{first.game.title} (version {first.setup.game_version})"),
        ("Result", result),
        ("Created", f"{datetime.fromtimestamp(history.steps[0].entry.at_ms / 1_000, UTC):%Y-%m-%d %H:%M} UTC"),
        *_seats(first, last),
        *([("Seed", seed)] if (seed := describe_seed(last)) else ()),
    ]
    boards = list(_boards(history))
    content = tag(
        "main",
        tag("section", *_figures(boards), class_="boards"),
        tag("section", tag("h2", "Moves"), tag("ol", *_lines(history, {one.ply for one in boards})), class_="moves"),
        class_="match",
    )
    links = tag("nav", tag("a", "All matches", href=index), " · ", tag("a", "Signed record", href=record))
    return document(title, heading("match", title, facts), links, content)


def _seats(first: Match, last: Match) -> Iterator[tuple[str, str]]:
    for seat, (name, player) in enumerate(zip(first.table.seats, last.players, strict=True)):
        who = f"{player.bot} {player.version}".strip() or "nobody"
        yield f"Seat {seat}, {name}", f"{who}; {control_text(first.terms.controls[seat])}"


def _boards(history: RecordHistory) -> Iterator[_Board]:
    step = history.last.ply // MAX_BOARDS + 1
    shown = -1
    for one in history.steps:
        ply = one.state.ply
        if one.state.position and ply > shown and (ply % step == 0 or ply == history.last.ply):
            shown = ply
            yield _Board(ply, _caption(one), one.state.position.picture(REFEREE))


def _caption(step: MatchStep) -> str:
    if isinstance(step.entry.event, MovePlayed):
        return f"{step.state.ply}. {step.state.table.seats[step.entry.event.seat]} {step.entry.event.move}"
    return "The start"


def _figures(boards: list[_Board]) -> Iterator[Markup]:
    """Yield the boards; the last one is shown first."""
    if not boards:
        yield tag("p", "Play did not start.", class_="note")
    last = len(boards) - 1
    for number, board in enumerate(boards):
        near = {"«": 0, "‹": max(0, number - 1), "›": min(last, number + 1), "»": last}
        words = dict(zip(near, ("first", "previous", "next", "last"), strict=True))
        links = (tag("a", sign, href=f"#ply-{boards[to].ply}", aria_label=words[sign]) for sign, to in near.items())
        yield tag(
            "figure",
            tag("nav", *links),
            tag("pre", _plain(board.picture), tabindex="0"),
            tag("figcaption", escape_unprintable(board.caption)),
            id=f"ply-{board.ply}",
            class_="last" if number == last else None,
        )


def _plain(picture: str) -> str:
    """Return a picture without the colours of a terminal, and safe to show."""
    return "\n".join(map(escape_unprintable, COLOUR.sub("", picture).split("\n")))


def _lines(history: RecordHistory, shown: set[int]) -> Iterator[Markup]:
    for step in history.steps[1:]:
        event = step.entry.event
        if not isinstance(event, MovePlayed):
            yield tag("li", escape_unprintable(describe(event)), class_="event")
            continue
        ply, clock = step.state.ply, clock_text(step.state.terms.controls[event.seat], step.state.clocks[event.seat])
        move = f"{ply}. {step.state.table.seats[event.seat]} {escape_unprintable(event.move)}"
        linked = tag("a", move, href=f"#ply-{ply}") if ply in shown else move
        by = tag("span", f" {SOURCES[event.source]}", class_="kind") if SOURCES[event.source] else ""
        yield tag("li", tag("span", linked, by), tag("small", clock))
