"""What tests tell the logs of contests."""

from referee.app.contests.events import ContestEvent
from referee.app.contests.log import ContestLog
from referee.contest.match_events import Began

LADDER = "ladder/main"


def began(number: int) -> ContestEvent:
    """An event that can be told from others."""
    return Began("main/1", number, 1, f"match {number}")


def beginnings(first: int, last: int) -> list[ContestEvent]:
    return [began(number) for number in range(first, last + 1)]


async def contest_events(log: ContestLog, contest: str = LADDER) -> list[ContestEvent]:
    return [entry.event for entry in await log.read(contest)]
