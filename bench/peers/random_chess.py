"""Random matches of chess in other projects: reads lines `PROJECT MATCHES`.

Each is answered with the number of moves and the CPU seconds that these matches took. PROJECT is pyspiel, pettingzoo,
or python-chess, which are the rules that the referee uses too.
"""

import random
import sys
import time
from typing import Any

import chess
import numpy
import pyspiel
from pettingzoo.classic import chess_v6

RNG = random.Random(1)


def in_pyspiel() -> int:
    """Play a match: list the moves, play one, check for the end. Return the number of moves."""
    state, moves = pyspiel.load_game("chess").new_initial_state(), 0
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(legal[int(RNG.random() * len(legal))])
        moves += 1
    return moves


def in_pettingzoo(environment: Any) -> int:
    """Play a match as its pages show: observe, draw an action of the mask, step."""
    environment.reset()
    moves = 0
    for _ in environment.agent_iter():
        observation, _, terminated, truncated, _ = environment.last()
        if terminated or truncated:
            environment.step(None)
            continue
        legal = numpy.flatnonzero(observation["action_mask"])
        environment.step(int(legal[int(RNG.random() * len(legal))]))
        moves += 1
    return moves


def in_python_chess() -> int:
    """Play a match with texts of moves, as a referee receives them, and the same endings as in the referee."""
    board, moves = chess.Board(), 0
    while not (board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves()):
        legal = [move.uci() for move in board.legal_moves]
        board.push_uci(legal[int(RNG.random() * len(legal))])
        moves += 1
    return moves


def main() -> None:
    environment = chess_v6.env()
    projects = {
        "pyspiel": in_pyspiel,
        "pettingzoo": lambda: in_pettingzoo(environment),
        "python-chess": in_python_chess,
    }
    for line in sys.stdin:
        project, matches = line.split()
        begun = time.process_time()
        moves = sum(projects[project]() for _ in range(int(matches)))
        sys.stdout.write(f"{moves} {time.process_time() - begun}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
