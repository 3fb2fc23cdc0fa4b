"""Games through the engine interface, as the referee and remote bots use them: positions and moves are texts."""

import random

from engines.api import REFEREE, Game, Position, Seat

MAX_PLIES = 300


class Playouts:
    """Random games: list the moves, play one, get the outcome."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.settings = game.settings()
        self.rng = random.Random(seed)
        self.steps = 0

    def run(self, steps: int) -> None:
        goal = self.steps + steps
        while self.steps < goal:
            self._one_game()

    def _one_game(self) -> None:
        draw = self.rng.random
        position = self.game.start(self.settings, self.rng.randbytes(32))
        while position.outcome is None:
            seat = position.owing[0]
            moves = position.moves(seat)
            position = position.play(seat, moves[int(draw() * len(moves))])
            self.steps += 1


class GivenMoves:
    """What the referee does with a move: check and play it, format the position, get the outcome; nothing is listed."""

    def __init__(self, game: Game, seed: int) -> None:
        self._game = game
        self._rng = random.Random(seed)
        self._first, self._line = self._drawn()
        self.steps = 0

    def run(self, steps: int) -> None:
        goal = self.steps + steps
        while self.steps < goal:
            position = self._first
            for seat, move in self._line:
                position = position.play(seat, move)
                position.text(REFEREE)
                assert position.outcome or position.owing
            self.steps += len(self._line)

    def _drawn(self) -> tuple[Position, list[tuple[Seat, str]]]:
        """Return the first position of a random game and its first moves."""
        position = first = self._game.start(self._game.settings(), self._rng.randbytes(32))
        line: list[tuple[Seat, str]] = []
        while position.outcome is None and len(line) < MAX_PLIES:
            seat = position.owing[0]
            line.append((seat, self._rng.choice(position.moves(seat))))
            position = position.play(*line[-1])
        return first, line
