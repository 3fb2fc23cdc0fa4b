"""A bot that plays a random legal move."""

import random

from referee_client import Turn, run


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


if __name__ == "__main__":
    run(choose)
