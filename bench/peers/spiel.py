"""Random playouts of open_spiel's games: `GAME STEPS` on a line of input, CPU microseconds a step on one of output."""

import random
import sys
import time

import pyspiel

RNG = random.Random(1)


def step_us(name: str, steps: int) -> float:
    """A list of moves, one of them played, the question whether the game is over; what chance does is a step too."""
    game = pyspiel.load_game(name)
    done, begun = 0, time.process_time()
    while done < steps:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                moves = [move for move, _ in state.chance_outcomes()]
            else:
                moves = state.legal_actions()
            state.apply_action(moves[int(RNG.random() * len(moves))])
            done += 1
    return (time.process_time() - begun) / done * 1e6


for line in sys.stdin:
    asked, count = line.split()
    print(step_us(asked, int(count)), flush=True)  # noqa: T201  # It is how it answers.
