"""What a page shows of each entry of a match: its text, the board after it, and the clocks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import entry_pb2, game_pb2, match_pb2

from engines.api import Game, Json, Viewer
from engines.game_errors import GameError
from engines.view_table import view_table
from referee.live.match_history import MatchStatus, WatchedEntry
from referee.match.events import redact
from referee.records.describe_event import escape_unprintable
from referee.records.record_reader import RecordHistory
from referee.show.boards import draw_board
from referee.show.words import SOURCES, clock_text, entry_text, seat_text
from referee.transport.wire.entries import ViewerContext, entry_of
from referee.transport.wire.matches import MatchContext, match_of


@dataclass(frozen=True, slots=True)
class ShownClock:
    seat: int
    left_ms: int | None
    """None: the seat has no limit."""
    running: bool
    moves: int = 0
    """Moves to make before the next period starts, if the time control counts them."""
    periods: int = 0
    """Byo-yomi periods that are left."""

    @property
    def text(self) -> str:
        return "" if self.left_ms is None else clock_text(1_000 * self.left_ms, self.moves, self.periods)


@dataclass(frozen=True, slots=True)
class Frame:
    """The match after one entry of its log, as far as the viewer can see it."""

    number: int
    """Number of the entry."""
    at_ms: int
    """Wall time of the entry in milliseconds since 1970."""
    kind: str
    """Name of the event in the contract; empty: the viewer must not see it."""
    text: str
    """Description of what happened; of a move, the move. Empty: nothing to show."""
    seat: int | None
    """The seat that moved or made a hidden choice, or None."""
    note: str
    """Why a move was not chosen by the bot, and which hidden choices it revealed; usually empty."""
    charged_ms: float | None
    """Time charged for the move."""
    ply: int
    view: str
    """The view after the entry as JSON; empty before play."""
    position: str
    """The position after the entry in the game's notation, as far as the viewer can see it."""
    to_move: tuple[int, ...]
    clocks: tuple[ShownClock, ...]

    def caption(self, match: match_pb2.Match) -> str:
        """Return what the board after it shows; empty before play."""
        if self.kind == "move_played" and self.seat is not None:
            return f"{self.ply}. {seat_text(match, self.seat)}: {self.text}"
        return "The start" if self.view else ""


BEFORE_PLAY = Frame(0, 0, "", "", None, "", None, 0, "", "", (), ())


def next_frame(match: match_pb2.Match, last: Frame, entry: entry_pb2.Entry) -> Frame:
    """Return the frame after an entry."""
    kind = entry.WhichOneof("event") or ""
    new = replace(
        last,
        number=entry.number,
        at_ms=milliseconds(entry.create_time),
        kind=kind,
        text=entry_text(match, entry),
        seat=None,
        note="",
        charged_ms=None,
    )
    if kind == "play_ended":
        return replace(new, to_move=(), clocks=tuple(replace(clock, running=False) for clock in last.clocks))
    event = getattr(entry, kind) if kind else None
    if event is None or not hasattr(event, "state"):
        return new
    new = frame_of_state(new, event.state)
    if kind == "choice_sealed":
        return replace(new, seat=event.seat, charged_ms=_charged_ms(event))
    if kind != "move_played":
        return new
    return replace(
        new, text=event.played.move, seat=event.played.seat, charged_ms=_charged_ms(event), note=_note(match, event)
    )


def frame_of_state(frame: Frame, state: match_pb2.MatchState) -> Frame:
    clocks = tuple(
        ShownClock(
            clock.seat,
            clock.time_left_us // 1000 if clock.HasField("time_left_us") else None,
            clock.running,
            clock.moves_left,
            clock.periods_left,
        )
        for clock in state.clocks
    )
    return replace(
        frame,
        ply=state.ply,
        view=state.view_json,
        position=state.position,
        to_move=tuple(state.seats_to_move),
        clocks=clocks or frame.clocks,
    )


def milliseconds(time: Timestamp) -> int:
    return time.seconds * 1000 + time.nanos // 1_000_000


def record_frames(history: RecordHistory, viewer: Viewer) -> tuple[match_pb2.Match, list[Frame]]:
    """Return the match of a record, and its frames as the viewer could see them during the match.

    Frame n is entry n + 1, since the first entry creates the match.
    """
    known = MatchContext(lambda _: True)
    context = ViewerContext(viewer, known, with_view=True)
    opened_ms = history.steps[0].entry.at_ms
    match = match_of(MatchStatus(history.last, opened_ms, None, None), known, viewer)
    for number, seat in enumerate(match.seats):
        seat.bot = history.last.players[number].bot
    frames = [BEFORE_PLAY]
    for step in history.steps[1:]:
        before = step.before.position if step.before else None
        event = redact(step.entry.event, before, viewer)
        watched = WatchedEntry(step.entry.number, step.entry.at_ms, event, step.state)
        frame = next_frame(match, frames[-1], entry_of(watched, context))
        frames.append(replace(frame, text=escape_unprintable(frame.text)))
    return match, frames


def _charged_ms(event: entry_pb2.MovePlayed | entry_pb2.ChoiceSealed) -> float | None:
    return event.clock_charge.charged_us / 1000 if event.HasField("clock_charge") else None


def _note(match: match_pb2.Match, event: entry_pb2.MovePlayed) -> str:
    revealed = [f"{seat_text(match, move.seat)} had chosen {move.move}" for move in event.revealed]
    return "; ".join([*([SOURCES[event.source]] if event.source in SOURCES else []), *revealed])


class BoardPainter:
    """Draws the boards of one match."""

    def __init__(self, rules: game_pb2.Rules, games: Mapping[str, Game]) -> None:
        """A game that is not known here, or not with these options, is drawn as a table of its data."""
        self._name = rules.game
        self._game = games.get(rules.game)
        try:
            self._settings = self._game.settings(dict(rules.options)) if self._game else None
        except GameError:
            self._settings = None

    def svg(self, frame: Frame) -> str:
        """Return the board after an entry; empty if play has not begun."""
        if not frame.view:
            return ""
        view: Json = json.loads(frame.view)
        last_move = frame.text if frame.kind == "move_played" else None
        if self._game and self._settings:
            return draw_board(self._game, self._settings, view, frame.position, last_move)
        return view_table(self._name, view, last_move)
