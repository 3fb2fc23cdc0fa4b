"""The page of one match as a single file: its moves with the clocks, the board after each of them, and the time used.

The board after a move is shown when the page is opened at its anchor (the CSS pseudo-class `:target`), so that each
position has an address and its links work without scripts. A short script adds keys and a button that plays the match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from referee_api.v1 import match_pb2

from engines.api import REFEREE, SPECTATOR, Game, Viewer
from referee.records.describe_event import describe_seed, escape_unprintable, player_text
from referee.records.record_reader import RecordHistory
from referee.show.boards import share_parts
from referee.show.formatting import moment, time_text
from referee.show.frames import BoardPainter, Frame, record_frames
from referee.show.markup import Markup, joined, tag
from referee.show.page import document, heading
from referee.show.time_chart import seat_class, time_chart
from referee.show.words import result_text, seat_control_text

MAX_BOARDS = 2_000
"""Boards on one page. A longer match shows the board only after every second, third, … move."""
MAX_BOARD_CHARS = 6_000_000
"""Maximum length of all boards of a page; there are fewer of them if they are longer."""
STEPS = (("|◀", "first board"), ("◀", "previous board"), ("▶", "next board"), ("▶|", "last board"))
NO_BOARDS = tag("p", "Play did not start.", class_="note")
CONTROLS = joined(
    tag("button", "Play", type="button", id="play", hidden=""), tag("p", id="said", class_="spoken", role="status")
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
class _Board:
    frame: Frame
    drawing: Markup


def match_page(history: RecordHistory, terms: PageTerms) -> str:
    """Return the page as HTML."""
    match, frames = record_frames(history, terms.viewer)
    shared, boards = _boards(history.first.game, match, frames, terms)
    drawn = {board.frame.ply for board in boards}
    moves = [
        move_item(match, frame, f"#ply-{frame.ply}" if frame.ply in drawn else None) for frame in frames if frame.text
    ]
    if history.broke_off:
        moves.append(tag("li", f"The record ends here: {escape_unprintable(history.broke_off)}", class_="event"))
    content = tag(
        "div",
        tag("section", shared, *((*_figures(match, boards), CONTROLS) if boards else [NO_BOARDS]), class_="boards"),
        tag("section", tag("h2", "Moves"), tag("ol", *moves, tabindex="0"), class_="moves"),
        class_="match",
    )
    links = [tag("li", tag("a", text, href=address)) for text, address in terms.links]
    bots = [seat.bot for seat in match.seats]
    title = " – ".join(bot or "nobody" for bot in bots) if any(bots) else match.id  # An en dash.
    return document(
        title,
        heading("match", title, _facts(history, match, terms)),
        tag("nav", tag("ul", *links)) if links else joined(),
        tag("main", content, *_times(frames, match.seat_layout.seat_names)),
        script=files("referee.show").joinpath("replay.js").read_text(encoding="utf-8") if boards else "",
    )


def move_item(match: match_pb2.Match, frame: Frame, href: str | None, *, is_current: bool = False) -> Markup:
    """Return an entry of the list of moves; `href`: address of the board after it, if it has one."""
    if frame.kind != "move_played":
        return tag("li", frame.text, class_="event", data_number=frame.number)
    names, current = match.seat_layout.seat_names, "step" if is_current else None
    seat = frame.seat or 0
    return tag(
        "li",
        tag("span", f"{frame.ply}.", class_="ply"),
        tag("i", "", class_=f"key {seat_class(names, seat)}", title=names[seat]),
        tag("a", frame.text, href=href, data_ply=frame.ply, aria_current=current) if href else tag("span", frame.text),
        tag("small", time_text(1_000 * frame.charged_ms)) if frame.charged_ms is not None else "",
        tag("span", frame.note, class_="note") if frame.note else "",
        data_number=frame.number,
    )


def _facts(history: RecordHistory, match: match_pb2.Match, terms: PageTerms) -> Iterator[tuple[str, str]]:
    first, last = history.first, history.last
    yield "Match", match.id
    yield "Game", f"{first.game.title} (version {first.setup.game_version})"
    if match.HasField("result"):
        yield "Result", result_text(match, match.result)
    yield "Created", moment(history.steps[0].entry.at_ms)
    for seat, name in enumerate(match.seat_layout.seat_names):
        yield f"Seat {seat}, {name}", f"{player_text(last, seat)}; {seat_control_text(first, seat)}"
    if seed := describe_seed(last):
        yield "Seed", seed
    if terms.viewer != REFEREE:
        seen_by = "spectators" if terms.viewer == SPECTATOR else f"seat {terms.viewer}"
        yield "Shown", f"what {seen_by} could see during the match"
    yield from terms.facts


def _boards(
    game: Game, match: match_pb2.Match, frames: Sequence[Frame], terms: PageTerms
) -> tuple[Markup, list[_Board]]:
    """Return an element with the parts that boards have in common, and the boards."""
    positions: dict[int, Frame] = {}
    for frame in frames:
        if frame.view:
            positions.setdefault(frame.ply, frame)
    if not positions:
        return joined(), []
    last, painter = max(positions), BoardPainter(match.terms.rules, {game.name: game})
    every = last // MAX_BOARDS + 1
    after = [frame for ply, frame in positions.items() if ply % every == 0 or ply == last]
    drawn = [painter.svg(frame) for frame in after]
    step, kept = 1, list(range(len(drawn)))
    shared, boards = share_parts(drawn)
    while step < len(drawn) and len(shared) + sum(map(len, boards)) > terms.max_board_chars:
        step += 1
        kept = [*range(0, len(drawn) - 1, step), len(drawn) - 1]
        shared, boards = share_parts([drawn[number] for number in kept])
    return shared, [_Board(after[number], board) for number, board in zip(kept, boards, strict=True)]


def _figures(match: match_pb2.Match, boards: Sequence[_Board]) -> Iterator[Markup]:
    """Yield the boards; the last one is shown first."""
    last = len(boards) - 1
    for number, board in enumerate(boards):
        targets = (0, max(0, number - 1), min(last, number + 1), last)
        links = (
            tag("a", sign, href=f"#ply-{boards[target].frame.ply}", aria_label=label)
            for (sign, label), target in zip(STEPS, targets, strict=True)
        )
        yield tag(
            "figure",
            tag("nav", *links, aria_label="Boards"),
            board.drawing,
            tag("figcaption", board.frame.caption(match)),
            tag("ul", *_clocks(match, board.frame), class_="clocks"),
            id=f"ply-{board.frame.ply}",
            class_="last" if number == last else None,
        )


def _clocks(match: match_pb2.Match, frame: Frame) -> Iterator[Markup]:
    clocks = {clock.seat: clock.text for clock in frame.clocks}
    for seat, name in enumerate(match.seat_layout.seat_names):
        bot = match.seats[seat].bot
        yield tag(
            "li",
            tag("span", name, class_="kind"),
            tag("b", bot) if bot else "",
            tag("span", clocks.get(seat) or "–", class_="clock"),
            class_="to-move" if seat in frame.to_move else None,
        )


def _times(frames: Sequence[Frame], seat_names: Sequence[str]) -> Iterator[Markup]:
    if chart := time_chart(frames, seat_names):
        keys = (
            tag("li", tag("i", class_=f"seat {seat_class(seat_names, seat)}"), name)
            for seat, name in enumerate(seat_names)
        )
        drawn = tag("div", chart, class_="scrolls", tabindex="0", role="group", aria_label="Time per move")
        yield tag("section", tag("h2", "Time per move"), drawn, tag("ul", *keys, class_="keys"))
