"""Events of contests, and the port of their log, which is the source of truth as the event log is for matches.

The entries of a contest are numbered 1, 2, 3, … without gaps, and `(contest, number)` is unique. An append names the
entry that it follows, and is rejected if the log has grown since.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from referee.contests.ladder import events as ladder
from referee.contests.tournament import events as tournament
from referee.hosting.contest_terms import HostedLadderTerms, HostedTournamentTerms
from referee.live.ports import CoAppend

LADDER = "ladder"
TOURNAMENT = "tournament"
"""Kinds of contests."""


class LadderCreated(Struct, frozen=True, gc=False, tag_field="kind", tag="ladder_created"):
    """The first event of every ladder."""

    name: str
    title: str
    organiser: str
    """Holder of the token with which it was created."""
    request_id: str
    seed: bytes
    """Source of all random choices of the ladder, secret until it is closed."""
    terms: HostedLadderTerms


class TournamentCreated(Struct, frozen=True, gc=False, tag_field="kind", tag="tournament_created"):
    """The first event of every tournament."""

    name: str
    title: str
    organiser: str
    """Holder of the token with which it was created."""
    request_id: str
    terms: HostedTournamentTerms
    entrants: int = 0
    """Number of entrants that it was created with; their entries follow this one."""


ContestEvent = LadderCreated | TournamentCreated | ladder.LadderEvent | tournament.TournamentEvent


def contest_id(kind: str, name: str) -> str:
    """Return the id of a contest in the log, such as `ladder/main`."""
    return f"{kind}/{name}"


class ContestEntry(Struct, frozen=True, gc=False):
    contest: str
    """Id of the contest."""
    number: int
    at_ms: int
    """When it was written (Unix milliseconds)."""
    event: ContestEvent


class UnreadableContest(Struct, frozen=True, gc=False):
    """Takes the place of an entry that this release cannot decode. Reading the contest raises the reason."""

    contest: str


def co_appended(co_append: CoAppend[ContestEvent], at_ms: int) -> list[ContestEntry]:
    """Return the entries that `co_append` becomes when it is written at that moment."""
    numbered = enumerate(co_append.events, co_append.after + 1)
    return [ContestEntry(co_append.contest, number, at_ms, event) for number, event in numbered]


class ContestLog(Protocol):
    """Every method raises StoreUnavailable if the log cannot be used now; then nothing has changed."""

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        """Append `events` after entry number `after`, all or none; they are durable when this returns.

        Raises Conflict if the log has grown.
        """

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        """Return the entries after number `after`, in order. Empty: there are none, or there is no such contest."""

    async def first_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        """Return the first entry of each contest of a kind, in the order of creation."""

    async def last_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        """Return the last entry of each, in the same order; it shows which contests are over."""
