"""How fast the games are: random playouts, per CPU-second and against the calibration loop."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from bench.calibration import cpu_seconds, loop_seconds
from bench.fast import FastPlayouts
from engines.api import Game
from engines.registry import games

STEPS_A_ROUND = 3000


@dataclass(frozen=True)
class EngineFigures:
    """Medians over the rounds of one game."""

    game: str
    contract: "Speed"
    fast: "Speed"
    moves_listed: float
    """How many moves there were to choose from, on average."""
    plies: float

    def __str__(self) -> str:
        return f"{self.game:12}{self.contract}{self.fast}{self.moves_listed:10.1f}{self.plies:8.0f}"


@dataclass(frozen=True)
class Speed:
    """The cost of one step: a list of moves, one of them played, the outcome asked."""

    step_us: float
    loops: float
    """The same in turns of the calibration loop: lower is faster, on any machine."""

    def __str__(self) -> str:
        return f"{1e6 / self.step_us:12,.0f}{self.step_us:9.1f}{self.loops:9.1f}"


HEAD = f"""\
{"":12}{"contract":>30}{"fast position":>30}
{"game":12}{("steps/CPU-s" + "µs".rjust(9) + "loops".rjust(9)).rjust(30) * 2}{"moves":>10}{"plies":>8}"""


class Playouts:
    """Random games under the contract: moves listed, one played, outcome asked."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.settings = game.settings()
        self.rng = random.Random(seed)
        self.steps = self.games = self.listed = 0

    def run(self, steps: int) -> None:
        goal = self.steps + steps
        while self.steps < goal:
            self._one_game()

    def _one_game(self) -> None:
        draw = self.rng.random
        position = self.game.start(self.settings, self.rng.randbytes(32))
        self.games += 1
        while position.outcome is None:
            seat = position.owing[0]
            moves = position.moves(seat)
            position = position.play(seat, moves[int(draw() * len(moves))])
            self.steps += 1
            self.listed += len(moves)


def measured(game: Game, rounds: int) -> EngineFigures:
    playouts = Playouts(game, seed=1)
    contract, fast = _speeds([playouts, FastPlayouts(game, seed=1)], rounds)
    return EngineFigures(game.name, contract, fast, playouts.listed / playouts.steps, playouts.steps / playouts.games)


def _speeds(kinds: Sequence[Playouts | FastPlayouts], rounds: int) -> list[Speed]:
    """The speed of each kind of playout, all of them and the loop in alternation."""
    costs: list[list[tuple[float, float]]] = [[] for _ in kinds]
    for turn in range(rounds + 1):
        for kind, measured_costs in zip(kinds, costs, strict=True):
            loop = loop_seconds()
            before = kind.steps
            step = cpu_seconds(partial(kind.run, STEPS_A_ROUND)) / (kind.steps - before)
            if turn:  # The first round only warms up: tables and caches are made.
                measured_costs.append((step * 1e6, step / loop))
    return [Speed(*map(median, zip(*measured_costs, strict=True))) for measured_costs in costs]


def measured_engines(rounds: int) -> str:
    lines = [str(measured(game, rounds)) for game in games().values()]
    title = "Random playouts: a list of moves, one of them played, the outcome asked"
    return "\n".join([title, "", HEAD, *lines]) + "\n"
