"""What is nobody's doing but ours or the disk's, by the id under which the referee's own log says more.

The rules of a game that break down make their match void, and a log that is damaged is so for good: a match has
one fault at the most, and its id follows from the match's. It is the same for whoever asks, now or after a restart.
"""

from collections.abc import Sequence

from engines.refusals import Refusal
from referee.app.ports import Entry


def fault_id(match_id: str) -> str:
    """Of what went wrong with this match."""
    return f"fault-{match_id}"


def missing(entries: Sequence[Entry]) -> int | None:
    """The number of the first entry that a log lacks which is there from its beginning. None: it is whole."""
    return next((number for number, entry in enumerate(entries, 1) if entry.number != number), None)


MISSING, UNREADABLE = "is missing", "cannot be read"
"""What can be wrong with an entry."""


class LogDamaged(Refusal):
    """The log of a match lacks an entry, or holds what is none: somebody has touched the database, or the disk has."""

    def __init__(self, match_id: str, number: int, wrong: str = MISSING) -> None:
        super().__init__(
            f"the log of match {match_id} is damaged: its entry {number} {wrong}; "
            f"the fault is {fault_id(match_id)} in the referee's log",
            match_id=match_id,
            fault_id=fault_id(match_id),
        )
