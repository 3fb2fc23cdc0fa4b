"""How fast the games are: random playouts under the contract, per CPU-second and against the loop."""

import random
from dataclasses import dataclass
from statistics import median

from bench.calibration import cpu_seconds, loop_seconds
from engines.api import Game
from engines.registry import games

STEPS_A_ROUND = 3000


@dataclass(frozen=True)
class EngineFigures:
    """Medians over the rounds of one game."""

    game: str
    steps_per_second: float
    loops_per_step: float
    """The cost of a step in turns of the calibration loop: lower is faster, on any machine."""
    moves_listed: float
    """How many moves there were to choose from, on average."""
    plies: float

    def __str__(self) -> str:
        return (
            f"{self.game:12}{self.steps_per_second:12,.0f}{1e6 / self.steps_per_second:10.1f}"
            f"{self.loops_per_step:10.1f}{self.moves_listed:10.1f}{self.plies:10.0f}"
        )


HEAD = f"{'game':12}{'steps/CPU-s':>12}{'µs/step':>10}{'loops':>10}{'moves':>10}{'plies':>10}"


class Playouts:
    """Random games under the contract: moves listed, one played, outcome asked."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.settings = game.settings()
        self.rng = random.Random(seed)
        self.steps = self.games = self.listed = 0

    def run(self) -> None:
        goal = self.steps + STEPS_A_ROUND
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
    playouts.run()  # Once to warm up: tables and caches are made.
    speeds, ratios = [], []
    for _ in range(rounds):
        loop = loop_seconds()
        before = playouts.steps
        seconds = cpu_seconds(playouts.run)
        step = seconds / (playouts.steps - before)
        speeds.append(1 / step)
        ratios.append(step / loop)
    return EngineFigures(
        game.name,
        median(speeds),
        median(ratios),
        playouts.listed / playouts.steps,
        playouts.steps / playouts.games,
    )


def measured_engines(rounds: int) -> str:
    lines = [str(measured(game, rounds)) for game in games().values()]
    return "\n".join(["Random playouts under the contract (steps of moves, play and outcome)", "", HEAD, *lines]) + "\n"
