"""Clauses: what a clause is, running clauses, and helpers that clauses share."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from referee_api.v1 import play_pb2

from referee.conformance.bot_match import BotMatch
from referee.conformance.bot_session import BotSession
from referee.conformance.kit_errors import ClauseFailed, ClauseNotApplicable
from referee.conformance.kit_server import KitServer

ClauseFunction = Callable[[KitServer], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Clause:
    """One promise of the protocol, with the function that checks it."""

    check: ClauseFunction

    @property
    def name(self) -> str:
        return self.check.__name__.replace("_", "-")

    @property
    def promise(self) -> str:
        """The promise in one sentence: the docstring of the function."""
        return " ".join((self.check.__doc__ or "").split())


def require(fact: bool, message: str) -> None:
    """Raise ClauseFailed with the message unless `fact` is true."""
    if not fact:
        raise ClauseFailed(message)


async def new_match(session: BotSession, *games: str) -> BotMatch:
    """Create a match of the first of these games that the bot plays. Raises ClauseNotApplicable."""
    hello = await session.hello()
    playing = [game for game in games if not hello.games or game in hello.games]
    if not playing:
        raise ClauseNotApplicable(f"the bot does not play {' or '.join(games)}")
    return BotMatch(playing[0], hello)


ANY_GAME = ("alquerque", "trox", "troke", "toc")


async def expect_legal_answer(session: BotSession, match: BotMatch, turn: play_pb2.Turn) -> play_pb2.Move:
    """Wait for the answer to a turn. Raises ClauseFailed unless it is a legal move."""
    move = await session.answer_to(turn)
    match.check(turn.seat, move.move)
    return move


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """The result of one clause."""

    clause: Clause
    passed: bool
    why: str = ""
    """Why it failed or, if it passed, why it was skipped."""


async def run_clauses(kit: KitServer, clauses: Iterable[Clause]) -> AsyncIterator[ClauseResult]:
    """Run clauses one after another and yield their results. After a failure the bot gets a new session.

    A program whose stream was broken is restarted, or its backoff would grow from clause to clause.
    """
    for clause in clauses:
        await kit.start_clause()
        try:
            await clause.check(kit)
        except ClauseNotApplicable as why:
            yield ClauseResult(clause, True, str(why))
        except ClauseFailed as why:
            kit.close_session()
            yield ClauseResult(clause, False, str(why))
        else:
            yield ClauseResult(clause, True)
        if kit.stream_count > 1:
            await kit.program.end()
