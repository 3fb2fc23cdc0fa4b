"""Latency that the referee adds to a move, by its load."""

from functools import partial

from bench.costs import LOAD_CPU, RATE
from bench.crowd import Played
from bench.figures import Findings
from bench.measurement import Measurement, Scope, alternate
from bench.stage import MATCHES, SINGLE, Stage, standing
from bench.svg import bars

LEVELS = (10, 50, 80)


def measure(scope: Scope) -> Findings:
    found, rounds = Findings(), scope.pick(1, 3)
    stage = standing(scope, SINGLE)
    stage.among(MATCHES, 1_000, 1)
    full = max(stage.among(MATCHES, 3_000, scope.pick(1, 2)).played.rate for _ in range(scope.pick(1, 2)))
    paced = {f"{level} %": partial(_paced, stage, full * level / 100, scope.pick(1, 3)) for level in LEVELS}
    for level, played in alternate(paced, rounds).items():
        name = f"{level} of {full:,.0f} moves per second"
        for percentile in ("p50", "p99", "p999"):
            found.add(name, f"{percentile}, ms", *(getattr(one, f"{percentile}_us") / 1000 for one in played))
        found.add(name, RATE, *(one.rate for one in played))
        found.add(name, LOAD_CPU, *(one.cpu_us_per_move for one in played))
    found.notes.append("From a move that goes out to the turn that comes of it at the other bot. Load and server share")
    found.notes.append("the machine, and full load is what both reach together.")
    found.plots["levels"] = bars("p99, ms", [figure for figure in found.figures if figure.what == "p99, ms"])
    return found


def _paced(stage: Stage, rate: float, seconds: float) -> Played:
    return stage.among(MATCHES, int(rate * seconds), 2 * seconds, rate).played


MEASUREMENT = Measurement("levels", "How long does a move wait for the referee, at 10, 50 and 80 % load?", measure)
