"""Games of open_spiel: reads lines `GAME fast STEPS` or `GAME perft DEPTH`.

Each is answered with the CPU microseconds per step of random playouts, or per line of perft.
"""

import random
import sys
import time
from typing import Any

import pyspiel

RNG = random.Random(1)


def playouts(game: Any, steps: int) -> int:
    """Play random games: list the moves, play one, check for the end; a chance node is a step too."""
    done = 0
    while done < steps:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                moves = [move for move, _ in state.chance_outcomes()]
            else:
                moves = state.legal_actions()
            state.apply_action(moves[int(RNG.random() * len(moves))])
            done += 1
    return done


def perft(state: Any, depth: int) -> int:
    moves = state.legal_actions()
    if depth == 1:
        return len(moves)
    return sum(perft(state.child(move), depth - 1) for move in moves)


for line in sys.stdin:
    name, work, count = line.split()
    asked = pyspiel.load_game(name)
    begun = time.process_time()
    done = perft(asked.new_initial_state(), int(count)) if work == "perft" else playouts(asked, int(count))
    print((time.process_time() - begun) / done * 1e6, flush=True)  # noqa: T201  # Answers are written to stdout.
