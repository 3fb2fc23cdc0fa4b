"""Properties of whole games: they end, repeat exactly, and cost little."""

import gc
import random
import time
from collections.abc import Callable

from engines.api import Game, Position
from engines.options import Settings
from engines.testing.failure import locate, require
from engines.testing.random_games import MAX_PLIES, game_path

MAX_TRIED = 6
MAX_CPU_MS = 10.0
"""Mean CPU time of a move. A longer one would delay the other matches of a server.

If another process computes the rules, it is the time to wait for it: a longer one delays the other matches of the game.
"""
TIMED_PLIES = 300


def check_repeatable(game: Game, settings: Settings, rng: random.Random) -> None:
    """Check that equal seeds and moves give equal games. Raises CheckFailure."""
    state = rng.getstate()
    texts = [str(position) for position in game_path(game, settings, rng)]
    rng.setstate(state)
    for number, (text, position) in enumerate(zip(texts, game_path(game, settings, rng), strict=False)):
        with locate(position=position):
            require(str(position) == text, f"with the same seed and moves, it was {text} after {number} moves before")


def check_ends(game: Game, settings: Settings, rng: random.Random) -> int:
    """Check that a random game ends, and one whose players move to and fro. Return how many moves the longer one took.

    Raises CheckFailure.
    """
    plies = 0
    for _ in game_path(game, settings, rng):
        plies += 1
    position, seen, number = game.start(settings, rng.randbytes(32)), {""}, 0
    while position.owing and number < MAX_PLIES:
        seen.add(_without_counters(position))
        position, number = _step_back(position, seen, rng), number + 1
    with locate(position=position):
        require(not position.owing, f"a game of moves to and fro does not end in {MAX_PLIES} moves: it needs a limit")
    return max(plies - 1, number)


def _step_back(position: Position, seen: set[str], rng: random.Random) -> Position:
    """Play a move that leads to a position seen before, if one is found among a few."""
    seat = rng.choice(position.owing)
    moves, after = position.moves(seat), position
    for move in rng.sample(moves, min(MAX_TRIED, len(moves))):
        with locate(position=position, seat=seat, move=move):
            after = position.play(seat, move)
        if _without_counters(after) in seen:
            break
    return after


def _without_counters(position: Position) -> str:
    return " ".join(field for field in str(position).split(" ") if not field.isdigit())


def measure_move_ms(
    game: Game, settings: Settings, rng: random.Random, clock: Callable[[], float] | None = None
) -> float:
    """Return the mean time of a move in a random game: list the moves, play one, write the text, see the outcome.

    It is CPU time, unless another process computes the rules or another clock is given. Raises CheckFailure if it is
    too long.
    """
    clock = clock or (time.perf_counter if game.is_slow else time.thread_time)
    gc.disable()  # The garbage of a large program would be collected in the time of one move.
    try:
        began_s, plies = clock(), 0
        for position in game_path(game, settings, rng):
            plies += 1
            _ = str(position), position.outcome
            if plies > TIMED_PLIES:
                break
        mean_ms = 1000 * (clock() - began_s) / plies
    finally:
        gc.enable()
    require(mean_ms < MAX_CPU_MS, f"a move takes {mean_ms:.1f} ms, more than {MAX_CPU_MS:g} ms")
    return mean_ms
