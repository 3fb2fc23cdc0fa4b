"""The page of one match as a single file: its moves with the clocks, the board after each of them, and the time used.

The board after a move is shown when the page is opened at its anchor (the CSS pseudo-class `:target`), so that each
position has an address and its links work without scripts. A short script adds keys and a button that plays the match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from engines.api import REFEREE, SPECTATOR, Viewer
from referee.live.match_history import MatchStep
from referee.match.events import Event, MovePlayed, MoveSource, redact
from referee.match.state import Match
from referee.records.describe_clock import clock_text, control_text
from referee.records.describe_event import bot_text, describe, describe_seed, escape_unprintable, player_text
from referee.records.record_reader import RecordHistory
from referee.show.boards import draw_board, share_parts
from referee.show.formatting import outcome_text
from referee.show.markup import Markup, joined, tag
from referee.show.page import document, heading
from referee.show.time_chart import seat_class, time_chart

MAX_BOARDS = 2_000
"""Boards on one page. A longer match shows the board only after every second, third, … move."""
MAX_BOARD_CHARS = 6_000_000
"""Maximum length of all boards of a page; there are fewer of them if they are longer."""
SOURCES = {MoveSource.BOT: "", MoveSource.RANDOM: "at random", MoveSource.DEFAULT: "by default"}
US_PER_MS = 1_000
STEPS = (("|◀", "first board"), ("◀", "previous board"), ("▶", "next board"), ("▶|", "last board"))
NO_BOARDS = tag("p", "Play did not start.", class_="note")
CONTROLS = joined(
    tag("button", "Play", type="button", id="play", hidden=""),
    tag("p", id="said", class_="spoken", role="status"),
)
"""For the script."""


@dataclass(frozen=True, slots=True)
class PageTerms:
    """What a page shows besides its match, and how much of the match."""

    viewer: Viewer = REFEREE
    """The page shows what this viewer could see during the match."""
    facts: tuple[tuple[str, str], ...] = ()
    """Labels and values for the head of the page, after those of the match."""
    links: tuple[tuple[str, str], ...] = ()
    """Texts and relative addresses of other files."""
    max_board_chars: int = MAX_BOARD_CHARS


@dataclass(frozen=True, slots=True)
class _Shown:
    """An entry of the match as the viewer may see it."""

    event: Event
    state: Match

    @property
    def ply(self) -> int:
        return self.state.ply

    @property
    def seat(self) -> int | None:
        return self.event.seat if isinstance(self.event, MovePlayed) else None

    @property
    def text(self) -> str:
        return escape_unprintable(self.event.move) if isinstance(self.event, MovePlayed) else describe(self.event)

    @property
    def charged_ms(self) -> float | None:
        row = self.event.row if isinstance(self.event, MovePlayed) else None
        return row.charged_us / US_PER_MS if row else None

    @property
    def caption(self) -> str:
        return "The start" if self.seat is None else f"{self.ply}. {self.state.table.seats[self.seat]} {self.text}"


@dataclass(frozen=True, slots=True)
class _Board:
    entry: _Shown
    drawing: Markup


def match_page(history: RecordHistory, terms: PageTerms) -> str:
    """Return the page as HTML."""
    entries = [shown for step in history.steps[1:] if (shown := _show(step, terms.viewer))]
    shared, boards = _boards(entries, terms)
    content = tag(
        "div",
        tag("section", shared, *((*_figures(boards), CONTROLS) if boards else [NO_BOARDS]), class_="boards"),
        tag("section", tag("h2", "Moves"), tag("ol", *_lines(history, entries, boards), tabindex="0"), class_="moves"),
        class_="match",
    )
    links = [tag("li", tag("a", text, href=address)) for text, address in terms.links]
    title = players_text(history.last)
    return document(
        title,
        heading("match", title, _facts(history, terms)),
        tag("nav", tag("ul", *links)) if links else joined(),
        tag("main", content, *_times(entries, history.first.table.seats)),
        script=files("referee.show").joinpath("replay.js").read_text(encoding="utf-8") if boards else "",
    )


def players_text(match: Match) -> str:
    """Return the bots of a match by seat, or its id if it had none."""
    bots = [bot_text(match, seat) for seat in range(len(match.players))]
    return " – ".join(bot or "nobody" for bot in bots) if any(bots) else match.setup.match_id  # An en dash.


def _facts(history: RecordHistory, terms: PageTerms) -> Iterator[tuple[str, str]]:
    first, last = history.first, history.last
    yield "Match", first.setup.match_id
    yield "Game", f"{first.game.title} (version {first.setup.game_version})"
    if result := last.result:
        yield "Result", outcome_text(result.kind.value, result.reason or result.cause.value, result.scores)
    yield "Created", f"{datetime.fromtimestamp(history.steps[0].entry.at_ms / 1_000, UTC):%Y-%m-%d %H:%M} UTC"
    for seat, name in enumerate(first.table.seats):
        yield f"Seat {seat}, {name}", f"{player_text(last, seat)}; {control_text(first.terms.controls[seat])}"
    if seed := describe_seed(last):
        yield "Seed", seed
    if terms.viewer != REFEREE:
        seen_by = "spectators" if terms.viewer == SPECTATOR else f"seat {terms.viewer}"
        yield "Shown", f"what {seen_by} could see during the match"
    yield from terms.facts


def _show(step: MatchStep, viewer: Viewer) -> _Shown | None:
    """Return an entry as the viewer may see it; None if it is hidden."""
    event = redact(step.entry.event, step.before.position if step.before else None, viewer)
    return _Shown(event, step.state) if event else None


def _boards(entries: Sequence[_Shown], terms: PageTerms) -> tuple[Markup, list[_Board]]:
    """Return an element with the parts that boards have in common, and the boards."""
    positions: dict[int, _Shown] = {}
    for entry in entries:
        if entry.state.position:
            positions.setdefault(entry.ply, entry)
    if not positions:
        return joined(), []
    last = max(positions)
    every = last // MAX_BOARDS + 1
    after = [entry for ply, entry in positions.items() if ply % every == 0 or ply == last]
    drawn = [_draw(entry, terms.viewer) for entry in after]
    step, kept = 1, list(range(len(drawn)))
    shared, boards = share_parts(drawn)
    while step < len(drawn) and len(shared) + sum(map(len, boards)) > terms.max_board_chars:
        step += 1
        kept = [*range(0, len(drawn) - 1, step), len(drawn) - 1]
        shared, boards = share_parts([drawn[number] for number in kept])
    return shared, [_Board(after[number], board) for number, board in zip(kept, boards, strict=True)]


def _draw(entry: _Shown, viewer: Viewer) -> str:
    position = entry.state.require_position()
    last_move = entry.event.move if isinstance(entry.event, MovePlayed) else None
    view, text = position.view(viewer), position.text(viewer)
    return draw_board(entry.state.game, position.settings, view, text, last_move)


def _figures(boards: Sequence[_Board]) -> Iterator[Markup]:
    """Yield the boards; the last one is shown first."""
    last = len(boards) - 1
    for number, board in enumerate(boards):
        targets = (0, max(0, number - 1), min(last, number + 1), last)
        links = (
            tag("a", sign, href=f"#ply-{boards[target].entry.ply}", aria_label=label)
            for (sign, label), target in zip(STEPS, targets, strict=True)
        )
        yield tag(
            "figure",
            tag("nav", *links, aria_label="Boards"),
            board.drawing,
            tag("figcaption", board.entry.caption),
            tag("ul", *_clocks(board.entry.state), class_="clocks"),
            id=f"ply-{board.entry.ply}",
            class_="last" if number == last else None,
        )


def _clocks(match: Match) -> Iterator[Markup]:
    to_move = match.require_position().owing if match.result is None else ()
    for seat, name in enumerate(match.table.seats):
        bot = bot_text(match, seat)
        yield tag(
            "li",
            tag("span", name, class_="kind"),
            tag("b", bot) if bot else "",
            tag("span", clock_text(match.terms.controls[seat], match.clocks[seat]), class_="clock"),
            class_="to-move" if seat in to_move else None,
        )


def _lines(history: RecordHistory, entries: Sequence[_Shown], boards: Sequence[_Board]) -> Iterator[Markup]:
    shown = {board.entry.ply for board in boards}
    for entry in entries:
        event, ply = entry.event, entry.ply
        if not isinstance(event, MovePlayed):
            yield tag("li", entry.text, class_="event")
            continue
        source = SOURCES[event.source]
        yield tag(
            "li",
            tag(
                "span",
                tag("a", entry.caption, href=f"#ply-{ply}") if ply in shown else entry.caption,
                tag("span", f" {source}", class_="kind") if source else "",
            ),
            tag("small", clock_text(entry.state.terms.controls[event.seat], entry.state.clocks[event.seat])),
        )
    if history.broke_off:
        yield tag("li", f"The record ends here: {escape_unprintable(history.broke_off)}", class_="event")


def _times(entries: Sequence[_Shown], seat_names: Sequence[str]) -> Iterator[Markup]:
    if chart := time_chart(entries, seat_names):
        keys = (
            tag("li", tag("i", class_=f"seat {seat_class(seat_names, seat)}"), name)
            for seat, name in enumerate(seat_names)
        )
        drawn = tag("div", chart, class_="scrolls", tabindex="0", role="group", aria_label="Time per move")
        yield tag("section", tag("h2", "Time per move"), drawn, tag("ul", *keys, class_="keys"))
