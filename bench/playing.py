"""Runs the games in a separate process, so that their pure and their compiled form can take turns.

`python -m bench.playing` reads lines `GAME WORK COUNT` and answers each with CPU microseconds: per step of `contract`,
`fast` or `given`, of which it runs COUNT, or per line of `perft` to depth COUNT. `loop` instead of a game is the
calibration loop.
"""

import sys
from functools import cache

from bench.calibration import cpu_seconds, loop_seconds
from bench.contract import GivenMoves, Playouts
from bench.fast import FastPlayouts, first, perft
from engines.registry import find

Worker = Playouts | FastPlayouts | GivenMoves
WORKS: dict[str, type[Worker]] = {"contract": Playouts, "fast": FastPlayouts, "given": GivenMoves}


@cache
def worker(game: str, work: str) -> Worker:
    return WORKS[work](find(game), seed=1)


def step_us(game: str, work: str, steps: int) -> float:
    worked = worker(game, work)
    before = worked.steps
    seconds = cpu_seconds(lambda: worked.run(steps))
    return seconds / (worked.steps - before) * 1e6


def perft_us(game: str, depth: int) -> float:
    lines = []
    position = first(find(game), bytes(32))
    seconds = cpu_seconds(lambda: lines.append(perft(position, depth)))
    return seconds / lines[0] * 1e6


def answer(game: str, work: str, count: int) -> float:
    if game == "loop":
        return loop_seconds() * 1e6
    return perft_us(game, count) if work == "perft" else step_us(game, work, count)


if __name__ == "__main__":
    for line in sys.stdin:
        asked, wanted, many = line.split()
        print(answer(asked, wanted, int(many)), flush=True)  # noqa: T201  # Answers are written to stdout.
