"""A bot that uses Monte-Carlo tree search, within its clock, for every game that the engines have.

It needs the engines, which are part of the distribution `referee`.
"""

import random
import time
from collections.abc import Callable

from engines.api import Game, Position
from engines.options import Settings
from engines.registry import games
from engines.toc.imagine import imagine
from referee_client import Turn
from referee_client.bots.search_hopes import HOPES, by_standing
from referee_client.bots.search_tree import Tree, World

UNTIMED_S = 1.0
"""Time per move without a clock, so that such games end as well."""
MOVES_TO_COME = 25
"""Expected number of remaining moves, among which the main time is divided if no period counts moves."""
PLIES_ON = {"alquerque": 60, "trox": 12, "troke": 20, "toc": 24}
"""Number of random plies before the position is evaluated. More plies cost more than they improve the result."""
PLIES_ON_ELSEWHERE = 60

Monotonic = Callable[[], float]


class SearchBot:
    """Chooses moves by tree search.

    With `iterations`, each move uses exactly that number of iterations regardless of the clock, so that equal seeds
    lead to equal choices.
    """

    def __init__(
        self,
        seed: int | None = None,
        iterations: int | None = None,
        max_seconds: float = 5.0,
        now: Monotonic = time.monotonic,
    ) -> None:
        self._rng = random.Random(seed)
        self._iterations = iterations
        self._max_seconds = max_seconds
        self._now = now
        self._games = games()

    def choose(self, turn: Turn) -> str:
        game = self._games[turn.game]
        settings = game.settings(turn.options)
        world, table = worlds(game, settings, turn.position), game.table(settings)
        moves = world(self._rng).moves(turn.seat)
        if len(moves) == 1:
            return moves[0]
        plies_on = PLIES_ON.get(game.name, PLIES_ON_ELSEWHERE)
        tree = Tree(world, table, turn.seat, HOPES.get(game.name, by_standing), plies_on, self._rng)
        tree.grow()
        until = turn.arrived_at + min(budget(turn), self._max_seconds)
        while self._goes_on(tree.root.visits, until):
            tree.grow()
        return tree.best()

    def _goes_on(self, done: int, until: float) -> bool:
        return done < self._iterations if self._iterations is not None else self._now() < until


def budget(turn: Turn) -> float:
    """Return how many seconds to think. Half of the remaining time is kept for network delay and a busy machine."""
    if turn.left is None:
        return UNTIMED_S
    clock = turn.clocks[turn.seat]
    moves = clock.moves_left + 1 if clock.moves_left else MOVES_TO_COME
    return min(clock.main / moves + clock.period / 2, turn.left / 2)


def worlds(game: Game, settings: Settings, seen: str) -> World:
    """Return a function that returns positions consistent with what a seat sees.

    It returns always the same position if nothing is hidden, and a different one each time if hands are.
    """
    if game.name == "toc":
        return lambda rng: imagine(seen, settings, rng.randbytes(16))
    position: Position = game.read(seen, settings)
    return lambda _: position
