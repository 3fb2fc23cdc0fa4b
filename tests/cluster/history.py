"""What a bot or a watcher was told and did, as lines of JSON in a file of its own.

Recorders flush each line before they act on it, so that the file holds everything that they have ever sent. Times are
microseconds of the monotonic clock of the recorder's process, and are never compared with those of another process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct


class GameResult(Struct, frozen=True):
    """A result in the words of records (docs/records.md)."""

    kind: str
    """`played`, `forfeited` or `void`."""
    cause: str
    ranks: tuple[int, ...] = ()
    forfeits: tuple[tuple[int, str], ...] = ()
    """Seats at fault, each with its fault."""
    reason: str = ""


class Charge(Struct, frozen=True):
    """Time charged for an answer. Times are microseconds of match time."""

    asked_us: int
    arrived_us: int
    credit_us: int
    """Network credit."""
    stall_us: int
    """Referee delay."""
    charged_us: int


class _Line(Struct, frozen=True, kw_only=True, tag_field="line"):
    at_us: int = 0


class SessionOpened(_Line, frozen=True, tag="session"):
    address: str
    session_id: str


class StreamEnded(_Line, frozen=True, tag="stream_ended"):
    """The Play stream or the watch of a log ended, or could not be opened."""

    address: str
    status: str
    detail: str = ""
    log: str = ""
    """Log that was watched; empty for a Play stream."""


class TurnReceived(_Line, frozen=True, tag="turn"):
    match_id: str
    seat: int
    token: str
    ply: int
    position: str
    left_us: int | None = None
    """Time that the bot was told it had left; None: untimed."""
    repeated: bool = False


class MoveSent(_Line, frozen=True, tag="sent"):
    match_id: str
    token: str
    move: str


class VerdictReceived(_Line, frozen=True, tag="verdict"):
    match_id: str
    token: str
    outcome: str
    """`accepted`, `rejected` or `stale`."""
    number: int = 0
    """Number of the last entry after an accepted move."""
    reason: str = ""
    """Reason of a rejection."""
    charge: Charge | None = None
    repeated: bool = False


class MatchEndReceived(_Line, frozen=True, tag="ended"):
    match_id: str
    seat: int
    result: GameResult
    ratings: tuple[tuple[str, float], ...] = ()
    """Ratings after the match, by bot; empty if it was not rated."""


class OwnLag(_Line, frozen=True, tag="lag"):
    """The recorder's own process did not run for this long, up to the time of the line."""

    lag_us: int


class WatchOpened(_Line, frozen=True, tag="watch"):
    """A watch of a log was opened: of a match by its id, of a ladder by `ladder/NAME`."""

    log: str
    address: str
    after: int
    reset: bool = False
    """Whether the watcher has chosen to start from another number than the last that it had received."""


class EntryReceived(_Line, frozen=True, tag="entry"):
    """An entry of a log, as the recorder was told it."""

    log: str
    number: int
    kind: str = ""
    """Field of the entry; empty: hidden from this watcher."""
    written_ms: int = 0
    """When it was written, as told."""
    seat: int | None = None
    move: str = ""
    charge: Charge | None = None
    result: GameResult | None = None
    digest: str = ""
    """Digest of the whole content, without what may change later, such as who is online."""


Line: TypeAlias = (
    SessionOpened
    | StreamEnded
    | TurnReceived
    | MoveSent
    | VerdictReceived
    | MatchEndReceived
    | OwnLag
    | WatchOpened
    | EntryReceived
)

LineKind = TypeVar("LineKind")
_DECODER = msgspec.json.Decoder(Line)


@dataclass(frozen=True, slots=True)
class History:
    """Everything that one bot or watcher has recorded, in order."""

    name: str
    lines: Sequence[Line]

    def of_kind(self, kind: type[LineKind]) -> list[LineKind]:
        return [line for line in self.lines if isinstance(line, kind)]


class HistoryWriter:
    """Appends to the file of one recorder."""

    def __init__(self, file: Path) -> None:
        self._out = file.open("ab")

    def write(self, line: Line) -> None:
        """Append the line, and hand it to the system before returning: it survives the death of this process."""
        self._out.write(msgspec.json.encode(line) + b"\n")
        self._out.flush()

    def close(self) -> None:
        self._out.close()


def read_history(file: Path) -> History:
    """Read a file; a last line that is cut off was not acted upon, and is left out."""
    complete = file.read_bytes().rpartition(b"\n")[0]
    return History(file.stem, [_DECODER.decode(line) for line in complete.splitlines()])
