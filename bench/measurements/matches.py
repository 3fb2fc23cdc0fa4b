"""Cost of a match in addition to its moves: creation, start, end and record."""

from bench.costs import Cost, add_costs
from bench.figures import Findings
from bench.measurement import Measurement, Scope
from bench.process import cpu_s
from bench.stage import TO_THE_END, Work, refereed

MATCHES = 100


def measure(scope: Scope) -> Findings:
    found, made, whole, costs = Findings(), list[float](), list[float](), list[Cost]()
    with refereed(scope, "matches", Work(bots=2 * MATCHES, whole=True)) as stage:
        for _ in range(scope.pick(1, 4)):
            stage.crowd.do("leave")
            before = cpu_s(stage.pid)
            stage.crowd.do("make", matches=MATCHES)
            made.append((cpu_s(stage.pid) - before) / MATCHES * 1e6)
            cost = stage.cost(TO_THE_END, 60)
            whole.append(made[-1] + cost.cpu_s / MATCHES * 1e6)
            costs.append(Cost(cost.played, whole[-1] * MATCHES / 1e6))
    found.add("a match of Alquerque, made and begun", "server CPU, µs", *made)
    found.add("the same, played at random to its end", "server CPU, µs", *whole)
    add_costs(found, "all that, for each move of it", costs)
    return found


MEASUREMENT = Measurement("matches", "What does a whole match cost, from its creation to its end?", measure)
