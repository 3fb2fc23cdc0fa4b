"""Private log of a bot: faults, rejected requests, lost sessions and notices, readable by its author.

It is a help for debugging and not authoritative: each bot keeps a bounded number of lines, and the oldest go first.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr
from referee_values import NoticeKind

from engines.api import Seat
from referee.match.clock import TimeControl
from referee.match.clock_charge import ClockCharge
from referee.match.result import Forfeit

MOVE_CHARS = 1000

Details: TypeAlias = tuple[tuple[str, str], ...]
"""Variables of a message, as pairs of name and value."""


class RefusedNote(Struct, frozen=True, gc=False, tag_field="kind", tag="refused"):
    """Something that the bot sent was rejected."""

    reason: str
    message: str
    details: Details = ()
    move: str = ""
    """The move that the bot sent, if it was one; truncated if it is long."""

    def __post_init__(self) -> None:
        force_setattr(self, "move", self.move[:MOVE_CHARS])


class LateMoveNote(Struct, frozen=True, gc=False, tag_field="kind", tag="late"):
    """The flag of the bot fell; `row` proves it."""

    row: ClockCharge
    control: TimeControl
    """The time control of the clock."""


class ForfeitNote(Struct, frozen=True, gc=False, tag_field="kind", tag="forfeited"):
    """The bot forfeited a match."""

    forfeit: Forfeit


class SessionLostNote(Struct, frozen=True, gc=False, tag_field="kind", tag="session_lost"):
    """A session of the bot ended without its request."""

    session_id: str
    reason: str


class NoticeNote(Struct, frozen=True, gc=False, tag_field="kind", tag="noticed"):
    """A notice was sent to the bot."""

    about: NoticeKind
    message: str
    details: Details = ()


NoteKind: TypeAlias = RefusedNote | LateMoveNote | ForfeitNote | SessionLostNote | NoticeNote


class Note(Struct, frozen=True, gc=False):
    """One event in a bot log, with its time, and the version and match that it concerns."""

    at_ms: int
    """Unix milliseconds."""
    version: str
    """The version that it concerns."""
    what: NoteKind
    match_id: str = ""
    """Empty: it concerns no match."""
    seat: Seat | None = None
    ply: int | None = None


class NumberedNote(Struct, frozen=True, gc=False):
    """A note as stored in the log."""

    number: int
    """1, 2, 3, … within the log of the bot; never reused, even if the line is deleted."""
    note: Note


class LineFilter(Struct, frozen=True, gc=False):
    """Which lines to read. All given fields must match."""

    version: str = ""
    match_id: str = ""


ALL_LINES = LineFilter()


class BotLog(Protocol):
    """Private logs of all bots. Every method raises StoreUnavailable if they cannot be used now."""

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        """Append the notes, all or none, and delete the oldest lines beyond the limit."""

    async def read(
        self, bot: str, wanted: LineFilter = ALL_LINES, after: int = 0, limit: int | None = None
    ) -> list[NumberedNote]:
        """Return lines after number `after`, the oldest first; empty if there are none, or no such bot."""
