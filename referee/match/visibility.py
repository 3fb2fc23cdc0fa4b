"""Visibility: the one place that decides what a viewer may see of an event.

The seed is hidden until the end. The game decides how much of a move is visible. A rejected attempt is visible to its
own seat only. The text of an opening is removed because it may contain hidden information; the position after
`PlayStarted` shows the visible part.
"""

from dataclasses import replace

from engines.api import REFEREE, Viewer
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveRefused
from referee.match.state import Match


def redact(before: Match | None, event: Event, viewer: Viewer) -> Event | None:
    """Return `event`, which was applied to `before`, as `viewer` may see it; None if it is hidden completely."""
    if viewer == REFEREE:
        return event
    if isinstance(event, MatchCreated):
        return replace(event, setup=replace(event.setup, seed=b"", opening=""))
    if isinstance(event, MoveRefused):
        return event if event.seat == viewer else None
    if isinstance(event, MovePlayed):
        assert before is not None
        move = redact_move(before, event, viewer)
        return replace(event, move=move, request_id=event.request_id if event.seat == viewer else "")
    if isinstance(event, FlagFell) and event.seat != viewer:
        return replace(event, move="", request_id="")
    return event


def redact_move(before: Match, event: MovePlayed, viewer: Viewer) -> str:
    """Return the move of `event` as `viewer` may see it."""
    return before.require_position().told(event.seat, event.move, viewer)
