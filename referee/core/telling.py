"""What a viewer may hear of an event: the one place where secrets of a match are kept.

The referee's seed is told with the end; a move is told as the game's rules tell it; an attempt that
was refused is its seat's own business. An opening is not told as it is written, for its text shows what
lies hidden: the position after `PlayBegan` is what a viewer may see of it.
"""

from dataclasses import replace

from engines.api import REFEREE, Viewer
from referee.core.events import Event, FlagFell, MovePlayed, MoveRefused, Opened
from referee.core.match import Match


def told(before: Match | None, event: Event, viewer: Viewer) -> Event | None:
    """`event`, which happened to the match `before`, as `viewer` may hear of it. None: nothing at all."""
    if viewer == REFEREE:
        return event
    if isinstance(event, Opened):
        return replace(event, setup=replace(event.setup, seed=b"", opening=""))
    if isinstance(event, MoveRefused):
        return event if event.seat == viewer else None
    if isinstance(event, MovePlayed):
        assert before is not None
        move = told_move(before, event, viewer)
        return replace(event, move=move, request_id=event.request_id if event.seat == viewer else "")
    if isinstance(event, FlagFell) and event.seat != viewer:
        return replace(event, move="", request_id="")
    return event


def told_move(before: Match, event: MovePlayed, viewer: Viewer) -> str:
    """The move alone."""
    return before.at_play().told(event.seat, event.move, viewer)
