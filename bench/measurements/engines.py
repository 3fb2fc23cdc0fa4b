"""Speed of the games, pure and compiled: random playouts and perft, compared with similar games of another project."""

from collections.abc import Callable
from functools import partial

from bench.beside import Beside, beside
from bench.figures import Findings, Goal
from bench.forms import forms
from bench.measurement import Measurement, Scope, alternate
from bench.svg import bars
from engines.registry import OURS

STEPS_A_ROUND = 3000
STEP = "CPU per step, µs"
LINE = "CPU per line of perft, µs"
LOOP = "the calibration loop"
WORKS = {"contract": "contract", "fast": "fast position", "given": "given move"}
OTHERS = ("checkers", "breakthrough", "backgammon", "gin_rummy")
DEPTHS = {"alquerque": 8, "go": 2, "toc": 6, "troke": 3, "trox": 2}
OTHERS_DEPTHS = {"checkers": 5, "breakthrough": 3}
"""Only games without chance, because perft would have to include chance nodes."""

Candidates = dict[str, Callable[[], float]]


def measure(scope: Scope) -> Findings:
    found = Findings()
    with forms(found, scope.quick) as ours, beside(("bench/peers/spiel.py",), found) as others:
        steps, lines = _candidates(ours, others)
        for what, candidates in ((STEP, steps), (LINE, lines)):
            for name, rounds in alternate(candidates, scope.pick(2, 5)).items():
                found.add(name, what, *rounds)
    for figure in [figure for figure in found.figures if figure.of != LOOP]:
        each = "steps per CPU-second" if figure.what == STEP else "lines of perft per CPU-second"
        found.add(figure.of, each, *(1e6 / us for us in figure.rounds))
        if figure.what == STEP:
            found.add(figure.of, "in turns of the loop", found.ratio(STEP, figure.of, LOOP))
    found.plots["engines"] = bars(STEP, [figure for figure in found.figures if figure.what == STEP])
    return found


def _candidates(ours: dict[str, Beside], others: Beside | None) -> tuple[Candidates, Candidates]:
    """Return the candidates that are measured by steps, and those by lines of perft."""
    steps: Candidates = {LOOP: partial(ours["pure"].ask, "loop fast 1")}
    lines: Candidates = {}
    for game in OURS:
        for form, program in ours.items():
            for work, name in WORKS.items():
                steps[f"{game}, {name}, {form}"] = partial(program.ask, f"{game} {work} {STEPS_A_ROUND}")
            lines[f"{game}, fast position, {form}"] = partial(program.ask, f"{game} perft {DEPTHS[game]}")
    if others:
        steps |= {f"open_spiel {name}": partial(others.ask, f"{name} fast {STEPS_A_ROUND}") for name in OTHERS}
        lines |= {
            f"open_spiel {name}": partial(others.ask, f"{name} perft {depth}") for name, depth in OTHERS_DEPTHS.items()
        }
    return steps, lines


def _within(form: str, game: str, other: str, times: float) -> Goal:
    return Goal(
        f"{game}, {form}, beside {other}",
        f"µs a step of the fast position, in units of open_spiel's {other} from Python.",
        times,
        lambda found: found.ratio(STEP, f"{game}, fast position, {form}", f"open_spiel {other}"),
        at_least=False,
    )


GOALS = (
    _within("pure", "alquerque", "checkers", 1),
    _within("pure", "trox", "breakthrough", 2),
    _within("pure", "toc", "backgammon", 2),
    _within("pure", "troke", "breakthrough", 5),
    _within("compiled", "alquerque", "checkers", 0.3),
    _within("compiled", "trox", "breakthrough", 1),
    _within("compiled", "toc", "backgammon", 1),
)
"""Compiled, Troke has no goal."""
MEASUREMENT = Measurement(
    "engines",
    "How fast are the games, pure and compiled, beside open_spiel's of like branching, all from Python?",
    measure,
    goals=GOALS,
    profile="functions",
)
