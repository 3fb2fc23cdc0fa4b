"""The log of every contest: the truth, as the log of its matches is.

A contest is its entries, numbered 1, 2, 3, … without gaps; `(contest, number)` is unique. Whoever writes says
after which entry, and is refused if the log has moved on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from referee.app.contests.events import ContestEvent

LADDER = "ladder"
TOURNAMENT = "tournament"
"""Kinds of contests."""


def contest_id(kind: str, name: str) -> str:
    """Under which a contest stands in the log."""
    return f"{kind}/{name}"


@dataclass(frozen=True, slots=True)
class ContestEntry:
    """An event that the log of a contest holds."""

    contest: str
    """Its kind and its name: `ladder/main`."""
    number: int
    at_ms: int
    """When it was written, by the wall clock (Unix milliseconds)."""
    event: ContestEvent


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Instead of an entry that this release cannot read. Whoever reads the contest's log is told why."""

    contest: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What is written to a contest's log by the same stroke as to a match's."""

    contest: str
    after: int
    """The number of the entry behind which it comes."""
    events: tuple[ContestEvent, ...]

    def entries(self, at_ms: int) -> list[ContestEntry]:
        """As the log holds them, once they are written."""
        return [
            ContestEntry(self.contest, number, at_ms, event) for number, event in enumerate(self.events, self.after + 1)
        ]


class ContestLog(Protocol):
    """Every method raises LogUnavailable if the log cannot be used now; then nothing was changed.

    Of many contests one that cannot be read does not hide the others.
    """

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        """Write `events` right after entry number `after`, all or none; durable when this returns.

        Raises Conflict if the log has moved on.
        """

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        """The entries after number `after`, in order. Empty if there are none, or no such contest."""

    async def contests(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        """The first entry of each contest of that kind, in the order in which they were made."""

    async def lasts(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        """The last entry of each, in the same order: it tells which are over."""
