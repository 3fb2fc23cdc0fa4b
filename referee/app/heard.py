"""One entry of a match, as one viewer hears of it."""

from dataclasses import dataclass

from engines.api import Seat
from referee.core.events import Event
from referee.core.match import Match


@dataclass(frozen=True, slots=True)
class Heard:
    number: int
    at_ms: int
    event: Event | None
    """None: nothing that this viewer may know."""
    match: Match
    """After it. What the viewer may see of it is the game's business: `Position.text`."""
    sealed: bool = False
    """It is a choice that nobody sees before all are made."""
    opened: tuple[tuple[Seat, str], ...] = ()
    """The choices that it opened, as this viewer may see them now."""
