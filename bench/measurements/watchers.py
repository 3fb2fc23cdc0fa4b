"""Cost of watchers."""

from functools import partial

from bench.costs import CPU, Cost, add_costs
from bench.figures import Findings
from bench.measurement import Measurement, Scope, alternate
from bench.stage import Stage, Work, refereed
from bench.svg import bars

MATCHES = 10


def measure(scope: Scope) -> Findings:
    found = Findings()
    with refereed(scope, "watchers", Work(bots=2 * MATCHES)) as stage:
        crowds = scope.pick((0, 100), (0, 1, 100, 1000))
        looks = {f"{many} watchers of {MATCHES} matches": partial(_watched, stage, many, scope) for many in crowds}
        for name, rounds in alternate(looks, scope.pick(2, 4)).items():
            add_costs(found, name, rounds)
            found.add(name, "entries told per move", *(cost.played.entries / cost.played.moves for cost in rounds))
    found.plots["watchers"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


def _watched(stage: Stage, watchers: int, scope: Scope) -> Cost:
    """Measure new matches, without the snapshots that watchers receive first."""
    stage.crowd.do("leave")
    stage.crowd.do("make", matches=MATCHES)
    if watchers:
        stage.crowd.do("watch", watchers=watchers)
    cost = stage.cost(300, scope.pick(0.7, 1.5))
    stage.crowd.do("unwatch")
    return cost


MEASUREMENT = Measurement("watchers", "What does a move cost that is watched?", measure)
