"""Latency that the referee adds to a move, by its load."""

from functools import partial

from bench.costs import LOAD_CPU, RATE
from bench.crowd import Played
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.stage import MATCHES, SINGLE, Stage, Work, echoed, standing
from bench.svg import bars

LEVELS = (10, 50, 80)
HALF, HALF_ECHO = "50 %", "50 %, echo of a verdict and a turn"
P99 = "p99, ms"


def measure(scope: Scope) -> Findings:
    with echoed(Work(pairs=True)) as echo:
        return _measure(scope, echo)


def _measure(scope: Scope, echo: Stage) -> Findings:
    found, rounds, seconds = Findings(), scope.pick(1, 3), scope.pick(1, 3)
    stage = standing(scope, SINGLE)
    stage.among(MATCHES, 1_000, 1)
    full = max(stage.among(MATCHES, 3_000, scope.pick(1, 2)).played.rate for _ in range(scope.pick(1, 2)))
    full_echo = max(echo.cost(3_000, scope.pick(1, 2)).played.rate for _ in range(scope.pick(1, 2)))
    paced = {f"{level} %": partial(_paced, stage, full * level / 100, seconds) for level in LEVELS}
    paced[HALF_ECHO] = partial(_paced_echo, echo, full_echo / 2, seconds)
    for name, played in alternate(paced, rounds).items():
        for percentile in ("p50", "p99", "p999"):
            found.add(name, f"{percentile}, ms", *(getattr(run, f"{percentile}_us") / 1000 for run in played))
        found.add(name, RATE, *(run.rate for run in played))
        found.add(name, LOAD_CPU, *(run.cpu_us_per_move for run in played))
    found.notes.append(f"The maximum is {full:,.0f} moves per second, and {full_echo:,.0f} of the echo.")
    found.notes.append("From a move that goes out to the turn that comes of it at the other bot. Load and server share")
    found.notes.append("the machine, and full load is what both reach together.")
    found.plots["levels"] = bars(P99, [figure for figure in found.figures if figure.what == P99])
    return found


def _paced(stage: Stage, rate: float, seconds: float) -> Played:
    return stage.among(MATCHES, int(rate * seconds), 2 * seconds, rate).played


def _paced_echo(echo: Stage, rate: float, seconds: float) -> Played:
    return echo.cost(int(rate * seconds), 2 * seconds, rate).played


MEASUREMENT = Measurement(
    "levels",
    "How long does a move wait for the referee, at 10, 50 and 80 % load?",
    measure,
    goals=(
        Goal(
            "p99 at half load",
            "p99 from a move to the turn of the other bot, in units of the echo at half of its own maximum.",
            2,
            lambda found: found.ratio(P99, HALF, HALF_ECHO),
            at_least=False,
        ),
    ),
)
