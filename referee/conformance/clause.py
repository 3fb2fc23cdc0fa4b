"""What a clause is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from referee_api.v1 import play_pb2

from referee.conformance.board import Board
from referee.conformance.failed import Failed, NotForThisBot
from referee.conformance.stage import Stage
from referee.conformance.visit import Visit

Story = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Clause:
    """One promise of the protocol, and the story that tries it."""

    story: Story

    @property
    def name(self) -> str:
        return self.story.__name__.replace("_", "-")

    @property
    def promise(self) -> str:
        """In one sentence."""
        return " ".join((self.story.__doc__ or "").split())


def expect(fact: bool, otherwise: str) -> None:
    """Raises Failed with what is wrong."""
    if not fact:
        raise Failed(otherwise)


async def first_board(visit: Visit, *games: str) -> Board:
    """The first of these games that the bot plays. Raises NotForThisBot."""
    hello = await visit.hello()
    playing = [game for game in games if not hello.games or game in hello.games]
    if not playing:
        raise NotForThisBot(f"it does not play {' or '.join(games)}")
    return Board(playing[0], hello)


ANY_GAME = ("alquerque", "trox", "troke", "toc")


async def answered(visit: Visit, board: Board, turn: play_pb2.Turn) -> play_pb2.Move:
    """Its answer to a turn that it was told, which must be a legal move."""
    move = await visit.answer(turn)
    board.check(turn.seat, move.move)
    return move
