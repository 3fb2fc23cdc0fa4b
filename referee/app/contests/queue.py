"""The queue of contests: matches that are planned and have not begun, and what each of them waits for.

Nobody is asked who makes them: what is told is what somebody sees who looks on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Protocol

from referee.app.contests.making import Making
from referee.app.contests.terms import MatchTerms
from referee.contest.pairing import Due
from referee.core.setup import Player


class WaitsFor(Enum):
    BOTS = "bots"
    """Somebody is not there, or has no room but for matches that come first."""
    PLACE = "place"
    """As many matches of its contest are in play as may be at once."""
    NOTHING = "nothing"
    """It could begin. So it does in a moment, unless a bot of it is paused, or something is wrong."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One match that has not begun."""

    waits_for: WaitsFor
    age_ms: int
    """How long ago its pairing was planned, by the wall clock."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Of all contests of one kind."""

    contests: int
    """That are not over."""
    waiting: tuple[Waiting, ...]


class Planned(Protocol):
    """A contest, as it is held here."""

    @property
    def waiting(self) -> list[Due]:
        """Matches that have not begun, and may as far as their contest is concerned."""

    @property
    def full(self) -> bool:
        """Are as many in play as may be at once?"""

    @property
    def planned_ms(self) -> Mapping[str, int]:
        """When each pairing was planned that is not done, by its id: by the wall clock (Unix milliseconds)."""

    def bots(self) -> Mapping[str, tuple[Player, ...]]:
        """Of each entrant."""

    def match_terms(self, due: Due) -> MatchTerms: ...


def queue_of(contests: Iterable[Planned], making: Making, now_ms: int) -> Queue:
    """Of those that are not over."""
    live = list(contests)
    return Queue(len(live), tuple(waiting for contest in live for waiting in _waiting(contest, making, now_ms)))


def _waiting(contest: Planned, making: Making, now_ms: int) -> Iterator[Waiting]:
    bots, full = contest.bots(), contest.full
    kept: Counter[str] = Counter()
    """Room of entrants who are there, that is kept for matches before."""

    @cache
    def room(name: str, game: str) -> int | None:
        """None: not everybody is there."""
        rooms = [making.room(player, game) for player in bots[name] if making.there(player, game)]
        return min(rooms) if len(rooms) == len(bots[name]) else None

    for due in contest.waiting:
        names, game = due.pairing.names, contest.match_terms(due).game
        rooms = {name: room(name, game) for name in names}
        free = all(it is not None and it > kept[name] for name, it in rooms.items())
        if None not in rooms.values():
            kept.update(names)
        waits_for = WaitsFor.PLACE if full else WaitsFor.NOTHING if free else WaitsFor.BOTS
        yield Waiting(waits_for, max(0, now_ms - contest.planned_ms[due.pairing.id]))
