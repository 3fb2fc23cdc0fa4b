"""A bot's private log: what went wrong for it, for the eyes of its author.

It is a help, and no truth: only so many lines of it are kept for each bot, and the oldest go first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engines.api import Seat
from referee.core.clock import TimeControl
from referee.core.result import Forfeit
from referee.core.row import ClockRow

MOVE_CHARS = 1000

Details: TypeAlias = tuple[tuple[str, str], ...]
"""Every variable of a sentence, by name."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Something the bot said was refused."""

    reason: str
    message: str
    details: Details = ()
    move: str = ""
    """What it said, if it was a move; a long one is cut."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "move", self.move[:MOVE_CHARS])


@dataclass(frozen=True, slots=True)
class Late:
    """Its flag fell, and this is the proof."""

    row: ClockRow
    control: TimeControl
    """By which the clock ran."""


@dataclass(frozen=True, slots=True)
class Forfeited:
    """It cost the bot the game."""

    forfeit: Forfeit


@dataclass(frozen=True, slots=True)
class SessionLost:
    """A session of it ended otherwise than by its own wish."""

    session_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """It was sent a notice."""

    about: str
    message: str
    details: Details = ()


What: TypeAlias = Refused | Late | Forfeited | SessionLost | Noticed


@dataclass(frozen=True, slots=True)
class Note:
    """What went wrong, when and where."""

    at_ms: int
    """Unix milliseconds."""
    version: str
    """The version it concerns."""
    what: What
    match_id: str = ""
    """Empty: it concerns no match."""
    seat: Seat | None = None
    ply: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A note as it stands in the log."""

    number: int
    """1, 2, 3, … within the log of its bot; never given twice, even if the line is gone."""
    note: Note


@dataclass(frozen=True, slots=True)
class WantedLines:
    """Which lines to read. What is given must all hold."""

    version: str = ""
    match_id: str = ""


EVERY_LINE = WantedLines()


class BotLog(Protocol):
    """The private logs of all bots. Every method raises LogUnavailable if they cannot be opened now."""

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        """Write them down, all or none, and let go of the oldest where there are too many."""

    async def read(
        self, bot: str, wanted: WantedLines = EVERY_LINE, after: int = 0, at_most: int | None = None
    ) -> list[Line]:
        """Lines after number `after`, the oldest first. Empty if there are none, or no such bot."""
