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
from referee_client.bots.search_evaluation import EVALUATIONS, evaluate_standing
from referee_client.bots.search_tree import Tree, World

UNTIMED_S = 1.0
"""Time per move without a clock, so that such games end as well."""
EXPECTED_MOVES = 25
"""Expected number of remaining moves, among which the main time is divided if no period counts moves."""
PLAYOUT_PLIES = {"alquerque": 60, "trox": 12, "troke": 20, "toc": 24}
"""Number of random plies before the position is evaluated. More plies cost more than they improve the result."""
DEFAULT_PLAYOUT_PLIES = 60

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
        playout_plies = PLAYOUT_PLIES.get(game.name, DEFAULT_PLAYOUT_PLIES)
        tree = Tree(world, table, turn.seat, EVALUATIONS.get(game.name, evaluate_standing), playout_plies, self._rng)
        tree.grow()
        deadline = turn.arrived_at + min(budget(turn), self._max_seconds)
        while self._continues(tree.root.visits, deadline):
            tree.grow()
        return tree.best()

    def _continues(self, iterations: int, deadline: float) -> bool:
        return iterations < self._iterations if self._iterations is not None else self._now() < deadline


def budget(turn: Turn) -> float:
    """Return how many seconds to think. Half of the remaining time is kept for network delay and a busy machine."""
    if turn.time_left is None:
        return UNTIMED_S
    clock = turn.clocks[turn.seat]
    moves = clock.moves_left + 1 if clock.moves_left else EXPECTED_MOVES
    return min((clock.main_us / moves + clock.period_us / 2) / 1_000_000, turn.time_left / 2)


def worlds(game: Game, settings: Settings, visible: str) -> World:
    """Return a function that returns positions consistent with what a seat sees.

    It always returns the same position if nothing is hidden, and different ones if hands are hidden.
    """
    if game.name == "toc":
        return lambda rng: imagine(visible, settings, rng.randbytes(16))
    if "?" in visible:
        return lambda rng: game.imagine(visible, settings, rng.randbytes(16))
    position: Position = game.read(visible, settings)
    return lambda _: position
