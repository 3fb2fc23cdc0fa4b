"""Errors of live matches. A fault of the server has an id under which its log has the details.

The id follows from that of the match, since a match has at most one fault: its game fails, which voids the match,
or its log is damaged.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from engines.refusals import Refusal, quoted, shortened
from referee.live.ports import Entry, Request
from referee.match.clock import Micros
from referee.match.commands import Command
from referee.match.decision import Decision


def fault_id(match_id: str) -> str:
    """Return the id of the fault of this match."""
    return f"fault-{match_id}"


def first_missing(entries: Sequence[Entry]) -> int | None:
    """Return the first missing number in a log that is read from its beginning; None: it is complete."""
    return next((number for number, entry in enumerate(entries, 1) if entry.number != number), None)


MISSING, UNREADABLE = "is missing", "cannot be read"
"""What can be wrong with an entry."""


class LogDamaged(Refusal):
    """The log of a match lacks an entry, or holds one that cannot be read."""

    def __init__(self, match_id: str, number: int, wrong: str = MISSING) -> None:
        super().__init__(
            f"the log of match {match_id} is damaged: its entry {number} {wrong}; "
            f"the fault is {fault_id(match_id)} in the referee's log",
            match_id=match_id,
            fault_id=fault_id(match_id),
        )


class NotRunHere(Exception):
    """The runner has stopped. If the match is not over, another one runs it, now or soon."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not run here any more")
        self.match_id = match_id


class UnknownMatch(Refusal):
    def __init__(self, match_id: str) -> None:
        super().__init__(f"there is no match {quoted(match_id)}", match_id=shortened(match_id))


class QueuedCommand(NamedTuple):
    """A command in the queue of a runner, and the future of its caller."""

    command: Command
    caller: asyncio.Future[Decision]
    request: Request | None = None
    """Stored with the answer, so that a repeated request finds it."""
    holder: str = ""
    """The holder on whose behalf it is decided."""
    since_us: Micros | None = None
    """When the reported event happened, in monotonic time; None: now."""

    def answer(self, decided: Decision) -> None:
        if not self.caller.done():  # It is done if the caller was cancelled.
            self.caller.set_result(decided)

    def refuse(self, error: Exception) -> None:
        if not self.caller.done():
            self.caller.set_exception(error)
