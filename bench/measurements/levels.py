"""Latency that the referee adds to a move, by its load."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from bench.costs import LOAD_CPU, RATE
from bench.crowd import Played
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.stage import DOOR, HAS_DOOR, MATCHES, SINGLE, Stage, Work, echoed, standing
from bench.svg import bars

LEVELS = (10, 50, 80)
OF_ECHO = ", echo of a verdict and a turn"
P50, P99 = "p50, ms", "p99, ms"


def measure(scope: Scope) -> Findings:
    with echoed(Work(pairs=True)) as echo:
        return _measure(scope, echo)


def _measure(scope: Scope, echo: Stage) -> Findings:
    found, rounds, seconds = Findings(), scope.pick(1, 3), scope.pick(1, 3)
    paced: dict[str, Callable[[], Played]] = {}
    for name in ("", DOOR) if HAS_DOOR else ("",):
        stage = standing(scope, replace(SINGLE, door=bool(name)))
        stage.among(MATCHES, 1_000, 1)
        full = max(stage.among(MATCHES, 3_000, scope.pick(1, 2)).played.rate for _ in range(scope.pick(1, 2)))
        found.notes.append(f"The maximum{name} is {full:,.0f} moves per second.")
        paced |= {f"{level} %{name}": partial(_paced, stage, full * level / 100, seconds) for level in LEVELS}
    full = max(echo.cost(3_000, scope.pick(1, 2)).played.rate for _ in range(scope.pick(1, 2)))
    found.notes.append(f"The maximum of the echo is {full:,.0f}.")
    paced |= {f"{level} %{OF_ECHO}": partial(_paced_echo, echo, full * level / 100, seconds) for level in (10, 50)}
    for name, played in alternate(paced, rounds).items():
        for percentile in ("p50", "p99", "p999"):
            found.add(name, f"{percentile}, ms", *(getattr(run, f"{percentile}_us") / 1000 for run in played))
        found.add(name, RATE, *(run.rate for run in played))
        found.add(name, LOAD_CPU, *(run.cpu_us_per_move for run in played))
    found.notes.append("From a move that goes out to the turn that comes of it at the other bot. Load and server share")
    found.notes.append("the machine, and full load is what both reach together.")
    found.plots["levels"] = bars(P99, [figure for figure in found.figures if figure.what == P99])
    return found


def _paced(stage: Stage, rate: float, seconds: float) -> Played:
    return stage.among(MATCHES, int(rate * seconds), 2 * seconds, rate).played


def _paced_echo(echo: Stage, rate: float, seconds: float) -> Played:
    return echo.cost(int(rate * seconds), 2 * seconds, rate).played


def _beside_echo(name: str, what: str, level: int, most: float, form: str = "") -> Goal:
    return Goal(
        name,
        f"{what[:3]} from a move to the turn of the other bot, in units of the echo at {level} % of its own maximum.",
        most,
        lambda found: found.ratio(what, f"{level} %{form}", f"{level} %{OF_ECHO}"),
        at_least=False,
    )


WITH_DOOR = (
    _beside_echo("p99 at half load, with the front door", P99, 50, 1.5, DOOR),
    _beside_echo("p50 at a tenth of the load, with the front door", P50, 10, 1.2, DOOR),
)

MEASUREMENT = Measurement(
    "levels",
    "How long does a move wait for the referee, at 10, 50 and 80 % load?",
    measure,
    goals=(_beside_echo("p99 at half load", P99, 50, 2), *(WITH_DOOR if HAS_DOOR else ())),
)
