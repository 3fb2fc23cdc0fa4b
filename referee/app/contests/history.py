"""How ratings came to be what they are: read from the log of their ladder, and kept nowhere else."""

from bisect import bisect_right
from collections.abc import AsyncIterator
from dataclasses import dataclass

from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.log import ContestEntry, ContestLog
from referee.contest import ladder_events as climb
from referee.contest.rated import Rated
from referee.core.setup import Player

ENTRIES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the history of a rating."""

    number: int
    """Of the entry that tells it."""
    at_ms: int
    match_id: str
    version: str
    rated: Rated
    """After the match."""
    season: int


async def history(log: ContestLog, held: HeldLadder, player: Player, after: int, at_most: int) -> list[Point]:
    """Of a bot, or of one of its versions; up to so many points from the first entry behind number `after`."""
    names = {player.bot}
    if held.ladder.terms.bots > 1:
        known = held.ladder.known.values()
        names = {entrant.name for entrant in known if player.bot in {bot.bot for bot in entrant.bots}}
    found: list[Point] = []
    async for entry in _entries(log, held.contest, after):
        found += _points(held, entry, names, player.version)
        if len(found) >= at_most:
            break
    return found[:at_most]


async def _entries(log: ContestLog, contest: str, after: int) -> AsyncIterator[ContestEntry]:
    while entries := await log.read(contest, after, ENTRIES_AT_ONCE):
        for entry in entries:
            yield entry
        after = entries[-1].number


def _points(held: HeldLadder, entry: ContestEntry, names: set[str], version: str) -> list[Point]:
    if not isinstance(entry.event, climb.Rated):
        return []
    season = bisect_right([number for number, _ in held.seasons], entry.number)
    return [
        Point(entry.number, entry.at_ms, entry.event.match_id, change.player.version, change.after, season)
        for change in entry.event.changes
        if change.player.bot in names and version in ("", change.player.version)
    ]
