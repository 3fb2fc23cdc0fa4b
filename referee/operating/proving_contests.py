"""Proving the contests of a memory: the log of each is read to its end, and what it tells can be followed."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from engines.api import Game
from referee.app.contests.book import Book, Fold, State
from referee.app.contests.held import fold
from referee.app.contests.held_ladder import LadderFold
from referee.app.contests.log import LADDER, TOURNAMENT, ContestLog
from referee.app.ports import LogUnavailable


@dataclass(frozen=True, slots=True)
class Damaged:
    """A contest that a referee would hold as damaged."""

    contest: str
    why: str


async def damaged(log: ContestLog, games: Mapping[str, Game]) -> AsyncIterator[Damaged]:
    """Of all contests that the log holds. Raises LogUnavailable."""
    async for one in _damaged(log, LADDER, LadderFold(games)):
        yield one
    async for one in _damaged(log, TOURNAMENT, fold):
        yield one


async def _damaged(log: ContestLog, kind: str, followed: Fold[State]) -> AsyncIterator[Damaged]:
    for last in await log.lasts(kind):
        try:
            await Book.read(log, followed, last.contest)
        except LogUnavailable:
            raise
        except Exception as fault:  # What a damaged log tells may be anything.
            yield Damaged(last.contest, f"{type(fault).__name__}: {fault}")
