"""Helpers for tests of contest logs."""

from referee.contests.pairing import ContestMatchStarted
from referee.hosting.contest_log import ContestEvent, ContestLog

LADDER = "ladder/main"


def match_started(number: int) -> ContestEvent:
    """Return a distinguishable event."""
    return ContestMatchStarted("main/1", number, 1, f"match {number}")


def matches_started(first: int, last: int) -> list[ContestEvent]:
    return [match_started(number) for number in range(first, last + 1)]


async def contest_events(log: ContestLog, contest: str = LADDER) -> list[ContestEvent]:
    return [entry.event for entry in await log.read(contest)]
