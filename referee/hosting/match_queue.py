"""The match queue of contests: planned matches that have not started, and what each of them waits for.

It is derived from the state of contests and the presence of bots; the workers are not involved.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from referee.hosting.contest_state import ContestState
from referee.hosting.match_factory import MatchFactory


class WaitReason(Enum):
    BOTS = "bots"
    """A bot is offline, or has no room left after the matches before this one."""
    PLACE = "place"
    """The contest has reached its limit of matches in play at the same time."""
    NOTHING = "nothing"
    """It can start, and will soon unless a bot is paused or something is wrong."""


@dataclass(frozen=True, slots=True)
class QueuedMatch:
    waits_for: WaitReason
    age_ms: int
    """Time since its pairing was planned, by the wall clock."""


@dataclass(frozen=True, slots=True)
class MatchQueue:
    """The queue of all contests of one kind."""

    contests: int
    """Number of active contests."""
    waiting: tuple[QueuedMatch, ...]


def queue_of(active: Iterable[ContestState], factory: MatchFactory, now_ms: int) -> MatchQueue:
    """Return the queue of these contests."""
    contests = list(active)
    return MatchQueue(len(contests), tuple(it for contest in contests for it in _queued(contest, factory, now_ms)))


def _queued(contest: ContestState, factory: MatchFactory, now_ms: int) -> Iterator[QueuedMatch]:
    bots, full = contest.bots(), contest.full
    reserved: Counter[str] = Counter()
    """Room of entrants that matches earlier in the queue take."""

    @cache
    def room(name: str, game: str) -> int | None:
        """Return the room of an entrant. None: not all of its bots are online."""
        rooms = [factory.room(player, game) for player in bots[name] if factory.is_online(player, game)]
        return min(rooms) if len(rooms) == len(bots[name]) else None

    for due in contest.waiting:
        names, game = due.pairing.participants, contest.match_terms(due).game
        rooms = {name: room(name, game) for name in names}
        free = all(it is not None and it > reserved[name] for name, it in rooms.items())
        if None not in rooms.values():
            reserved.update(names)
        waits_for = WaitReason.PLACE if full else WaitReason.NOTHING if free else WaitReason.BOTS
        yield QueuedMatch(waits_for, max(0, now_ms - contest.planned_ms[due.pairing.id]))
