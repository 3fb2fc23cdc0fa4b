"""What the app needs of the world, in its own words. Adapters stand in rooms of their own.

Each port has one contract suite that every adapter passes, the in-memory one included.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engines.refusals import Refusal
from referee.app.contests.log import Beside
from referee.app.wish import EVERY_MATCH, MatchFilter
from referee.core.clock import Micros
from referee.core.events import Event


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asked for under a name of its own choice, so that the same request again gets the same answer."""

    by: int | str
    """The seat that asks, or the person."""
    id: str
    """Two requests of one asker with the same id are the same one, or the second is a mistake."""
    asked: str
    """What for, in words that differ wherever something else is asked for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event that the log holds."""

    match_id: str
    number: int
    """1, 2, 3, … within its match, without gaps."""
    at_ms: int
    """When it was written, by the wall clock (Unix milliseconds). For people; proofs use match time."""
    event: Event
    request: Request | None = None
    """The request that has its answer here: the last entry of all that followed from it."""


class Conflict(Exception):
    """Somebody else has written to the log of this match, or contest: who gets this no longer knows how it stands."""

    def __init__(self, of: str, after: int, last: int) -> None:
        super().__init__(f"the log of {of} has {last} entries, not {after}")
        self.of = of
        """The match's id, or the contest's."""
        self.after = after
        self.last = last


class LogUnavailable(Exception):
    """The log cannot be written or read now (disk full, read-only, locked). Nothing was changed."""


class MatchArchived(Refusal):
    """The match is over, and its entries have left the log. Nothing can be appended to it."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"match {match_id} is archived: whoever runs this referee keeps its record, {match_id}.jsonl",
            match_id=match_id,
        )


@dataclass(frozen=True, slots=True)
class Summaries:
    """What a list of matches shows."""

    found: list[list[Entry]]
    """For each match: all entries until play began, and its last entry if it is over."""
    stopped_at: str = ""
    """The match at which the search stopped; older ones may be wanted. Empty: it has come to the end."""


class EventLog(Protocol):
    """The log of every match: the truth."""

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        """Write `events` right after entry number `after`, all or none; durable when this returns.

        The last of them answers the `request`. What is to be written `beside` them is written by the same stroke:
        both or neither.
        Raises Conflict if the log has moved on, the match's or the contest's, LogUnavailable if it cannot be written.
        """

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        """The entries after number `after`, in order. Empty if there are none, or no such match.

        Raises MatchArchived if its entries have left the log, or `faults.LogDamaged` if one of them cannot be read.
        """

    async def unfinished(self) -> list[str]:
        """The matches whose last entry is not their end, in the order in which they were opened."""

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        """Return summaries of matches, the newest first, from the first older than the match `before`.

        It may stop before it has found `at_most`. Matches whose summary cannot be read are left out.
        """

    async def close(self) -> None:
        """Write what is waiting, and let go. Nothing can be appended afterwards."""


class Alarm(Protocol):
    """One that was set, and may be taken back."""

    def cancel(self) -> object:
        """It does not ring any more. No harm if it has rung."""


class Time(Protocol):
    """What the hour is, and somebody who rings. Tests move it by hand."""

    def monotonic_us(self) -> Micros:
        """Microseconds since some moment; it never goes back."""

    def wall_ms(self) -> int:
        """Unix milliseconds. For people, and for how long a process was not there."""

    def call_at(self, at_us: Micros, ring: Callable[[], None]) -> Alarm:
        """Call `ring` on the caller's event loop when `monotonic_us` has come to `at_us`, about: it may be early."""
