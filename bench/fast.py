"""The same random games on the fast positions, which bots search with: no texts, no history."""

import random
from collections.abc import Callable
from typing import Any

from engines.api import Game, Position

PLIES_AT_MOST = 500
"""Without history nothing ends a game of going to and fro."""

FAST: dict[str, Callable[[Any], Any]] = {
    "alquerque": lambda position: position.men,
    "toc": lambda position: position.round,
    "troke": lambda position: position.pieces,
    "trox": lambda position: position.pawns,
}


class FastPlayouts:
    """Random games on the fast position of one game."""

    def __init__(self, game: Game, seed: int) -> None:
        self.rng = random.Random(seed)
        self.game = game
        self.settings = game.settings()
        self.steps = 0
        self._one_game = self._by_seats if game.name == "toc" else self._in_turn

    def run(self, steps: int) -> None:
        goal = self.steps + steps
        while self.steps < goal:
            self._one_game(FAST[self.game.name](self._start()))

    def _start(self) -> Position:
        return self.game.start(self.settings, self.rng.randbytes(32))

    def _in_turn(self, fast: Any) -> None:
        draw = self.rng.random
        for _ in range(PLIES_AT_MOST):
            moves = fast.moves()
            if not moves:
                return
            fast = fast.play(moves[int(draw() * len(moves))])
            self.steps += 1

    def _by_seats(self, fast: Any) -> None:
        draw = self.rng.random
        for _ in range(PLIES_AT_MOST):
            if fast.over:
                return
            seat = fast.owing()[0]
            moves = fast.moves(seat)
            fast = fast.play(seat, moves[int(draw() * len(moves))])
            self.steps += 1
