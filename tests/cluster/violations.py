"""What a checker of histories reports: a broken promise, with the evidence for it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Broken(StrEnum):
    """A promise that was broken."""

    MOVE_LOST = "an acknowledged move is not in the log"
    MOVE_RENUMBERED = "an acknowledged move has another number in the log"
    MOVE_CHANGED = "the log has another move than the one that was sent"
    MOVE_TWICE = "a move is in the log twice"
    MOVE_INVENTED = "the log has a move that its bot never sent"
    REFUSED_MOVE_LOGGED = "a move is in the log although each time that it was sent it was rejected"
    HONEST_MOVE_REFUSED = "a legal move that was sent in time was rejected for good"
    TURN_CHANGED = "one turn was sent with two contents"
    TWO_HISTORIES = "two contents were told for one entry"
    ENTRY_NOT_LOGGED = "an entry was told that the log does not have in this form"
    NUMBER_SKIPPED = "a watcher missed entries"
    NUMBER_REPEATED = "a watcher received an entry again"
    WATCH_INCOMPLETE = "a watcher did not receive the end of a log"
    TIME_OVERCHARGED = "a bot was charged more time than it took"
    CHARGE_CHANGED = "a bot was told another clock charge than the log has"
    FALSE_FLAG = "a flag fell although the bot had answered in time"
    UNFINISHED = "a match is not over"
    VOID_WITHOUT_REASON = "a match is void without a stated reason"
    RESULT_CHANGED = "a bot was told another result than the log has"
    END_NOT_TOLD = "a bot was not told that its match is over"
    FORFEIT_WITHOUT_FAULT = "a bot that did nothing wrong lost by forfeit"
    RATING_CHANGED = "a bot was told another rating than the log of the ladder has"
    RATED_TWICE = "a ladder has rated a match twice"
    NOT_RATED = "a ladder has not rated a match that counts"
    RATED_RESULT_CHANGED = "a ladder has rated another result than the match has"
    RATINGS_DIFFER = "the ratings do not follow from the log"


@dataclass(frozen=True, slots=True)
class Violation:
    broken: Broken
    log: str
    """Id of the match, or `ladder/NAME`."""
    evidence: tuple[str, ...] = ()
    """What was told and what is in the log, one sentence each."""

    def __str__(self) -> str:
        return "\n    ".join((f"{self.log}: {self.broken}", *self.evidence))


MAX_SHOWN = 10


def report(violations: Sequence[Violation]) -> str:
    """Return how often each promise was broken, and the first cases with their evidence."""
    counts = [f"{count} x {broken}" for broken, count in Counter(breach.broken for breach in violations).most_common()]
    return "\n".join([*counts, *map(str, violations[:MAX_SHOWN])])
