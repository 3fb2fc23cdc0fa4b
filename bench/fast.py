"""Random games and perft on the fast positions that bots search with, which have neither texts nor history."""

import random
from collections.abc import Callable
from typing import Any

from engines.api import Game

MAX_PLIES = 500
"""Limit of a game, because without history repetition does not end it."""

FAST: dict[str, Callable[[Any], Any]] = {
    "alquerque": lambda position: position.men,
    "go": lambda position: position.stones,
    "toc": lambda position: TocInTurn(position.round),
    "troke": lambda position: position.pieces,
    "trox": lambda position: position.pawns,
}


class TocInTurn:
    """A round in which the first seat that is to move moves, so that it has one mover like the other games."""

    __slots__ = ("_round", "_seat")

    def __init__(self, at: Any) -> None:
        owing = at.owing()
        self._round = at
        self._seat = owing[0] if owing else None

    def moves(self) -> list[int]:
        return [] if self._seat is None else self._round.moves(self._seat)

    def play(self, move: int) -> "TocInTurn":
        return TocInTurn(self._round.play(self._seat, move))


class FastPlayouts:
    """Random games on the fast position of one game."""

    def __init__(self, game: Game, seed: int) -> None:
        self.rng = random.Random(seed)
        self.game = game
        self.settings = game.settings()
        self.steps = 0

    def run(self, steps: int) -> None:
        goal = self.steps + steps
        while self.steps < goal:
            self._one_game(first(self.game, self.rng.randbytes(32)))

    def _one_game(self, fast: Any) -> None:
        draw = self.rng.random
        for _ in range(MAX_PLIES):
            moves = fast.moves()
            if not moves:
                return
            fast = fast.play(moves[int(draw() * len(moves))])
            self.steps += 1


def first(game: Game, seed: bytes) -> Any:
    return FAST[game.name](game.start(game.settings(), seed))


def perft(fast: Any, depth: int) -> int:
    """Return the number of lines of `depth` moves; the last moves are counted, not played."""
    moves = fast.moves()
    if depth == 1:
        return len(moves)
    return sum(perft(fast.play(move), depth - 1) for move in moves)
