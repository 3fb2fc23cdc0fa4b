"""What it costs to be watched."""

from contextlib import ExitStack
from functools import partial

from bench.figures import Findings
from bench.measurement import Measurement, Scope, alternate
from bench.stage import Cost, Stage, Work, refereed
from bench.svg import bars

CPU = "server CPU per move, µs"
MATCHES = 10


def measure(scope: Scope) -> Findings:
    found = Findings()
    with ExitStack() as stack:
        candidates = {}
        for watchers in (0, 100) if scope.quick else (0, 1, 100, 1000):
            stage = stack.enter_context(refereed(scope, f"watchers {watchers}", Work(bots=2 * MATCHES)))
            candidates[f"{watchers} watchers of {MATCHES} matches"] = partial(_watched, stage, watchers, scope)
        for name, rounds in alternate(candidates, scope.pick(2, 4)).items():
            found.add(name, CPU, *(cost.us_per_move for cost in rounds))
            found.add(name, "entries told per move", *(cost.played.entries / cost.played.moves for cost in rounds))
    found.plots["watchers"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


def _watched(stage: Stage, watchers: int, scope: Scope) -> Cost:
    stage.crowd.do("leave")
    stage.crowd.do("make", matches=MATCHES)
    if watchers:
        stage.crowd.do("watch", watchers=watchers)
    cost = stage.cost(scope.pick(300, 600), scope.pick(1.0, 3.0))
    stage.crowd.do("unwatch")
    return cost


MEASUREMENT = Measurement("watchers", "What does a move cost that is watched?", measure)
