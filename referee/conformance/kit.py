"""Tries one clause after another."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from referee.conformance.clause import Clause
from referee.conformance.failed import Failed, NotForThisBot
from referee.conformance.stage import Stage


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one clause."""

    clause: Clause
    passed: bool
    why: str = ""
    """Why it did not pass; of one that passed, why it was not tried."""


async def tried(stage: Stage, clauses: Iterable[Clause]) -> AsyncIterator[Tried]:
    """Each clause stands alone: after a failure the bot gets a new session.

    A program whose stream was broken is started anew, or its backoff would grow from clause to clause.
    """
    for clause in clauses:
        await stage.begin()
        try:
            await clause.story(stage)
        except NotForThisBot as why:
            yield Tried(clause, True, str(why))
        except Failed as why:
            stage.send_away()
            yield Tried(clause, False, str(why))
        else:
            yield Tried(clause, True)
        if stage.arrivals > 1:
            await stage.program.end()
