"""How fast the games are: random playouts, beside the same loop over games of another house."""

import random
from collections.abc import Callable
from functools import partial

from bench.beside import beside
from bench.calibration import cpu_seconds, loop_seconds
from bench.fast import FastPlayouts
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.svg import bars
from engines.api import Game
from engines.registry import games

STEPS_A_ROUND = 3000
STEP = "CPU per step, µs"
LOOP = "the calibration loop"
OTHERS = ("checkers", "breakthrough", "backgammon", "gin_rummy")


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


def measure(scope: Scope) -> Findings:
    found, playouts = Findings(), dict[str, Playouts | FastPlayouts]()
    for game in games().values():
        playouts[f"{game.name}, contract"] = Playouts(game, seed=1)
        playouts[f"{game.name}, fast position"] = FastPlayouts(game, seed=1)
    with beside(("bench/peers/spiel.py",), found) as others:
        candidates: dict[str, Callable[[], float]] = {name: partial(_step_us, kind) for name, kind in playouts.items()}
        if others:
            candidates |= {f"open_spiel {name}": partial(others.ask, f"{name} {STEPS_A_ROUND}") for name in OTHERS}
        candidates[LOOP] = lambda: loop_seconds() * 1e6
        for name, rounds in alternate(candidates, scope.pick(2, 9)).items():
            found.add(name, STEP, *rounds)
    for name in playouts:
        found.add(name, "steps per CPU-second", *(1e6 / us for us in found.of(name, STEP).rounds))
        found.add(name, "in turns of the loop", found.ratio(STEP, name, LOOP))
    found.plots["engines"] = bars(STEP, [figure for figure in found.figures if figure.what == STEP])
    return found


def _step_us(playouts: Playouts | FastPlayouts) -> float:
    before = playouts.steps
    seconds = cpu_seconds(partial(playouts.run, STEPS_A_ROUND))
    return seconds / (playouts.steps - before) * 1e6


def _within(game: str, other: str, times: float) -> Goal:
    return Goal(
        f"{game} beside {other}",
        f"µs a step of the fast position, in units of open_spiel's {other} from Python.",
        times,
        lambda found: found.ratio(STEP, f"{game}, fast position", f"open_spiel {other}"),
        at_least=False,
    )


MEASUREMENT = Measurement(
    "engines",
    "How fast are the games, beside open_spiel's of like branching, both from Python?",
    measure,
    goals=(
        _within("alquerque", "checkers", 1),
        _within("trox", "breakthrough", 3),
        _within("troke", "breakthrough", 3),
        _within("toc", "backgammon", 3),
    ),
)
