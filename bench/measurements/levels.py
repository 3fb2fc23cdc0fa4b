"""What the referee adds to the time of a move, by how busy it is."""

from bench.crowd import Played
from bench.figures import Findings
from bench.measurement import Measurement, Scope
from bench.stage import Work, refereed
from bench.svg import bars

LEVELS = (10, 50, 80)
MATCHES = 100


def measure(scope: Scope) -> Findings:
    found, rounds = Findings(), scope.pick(1, 3)
    with refereed(scope, "levels", Work(bots=2 * MATCHES)) as stage:
        stage.fresh(MATCHES, 2_000, 1)
        full = max(_rate(stage.fresh(MATCHES, 4_000, 2).played) for _ in range(2))
        for level in LEVELS:
            paced = []
            for _ in range(rounds):
                stage.crowd.do("leave")
                stage.crowd.do("make", matches=MATCHES)
                paced.append(stage.cost(100_000, scope.pick(1.5, 4), rate=full * level / 100).played)
            name = f"{level} % of {full:,.0f} moves per second"
            for percentile in ("p50", "p99", "p999"):
                found.add(name, f"{percentile}, ms", *(getattr(one, f"{percentile}_us") / 1000 for one in paced))
            found.add(name, "reached, moves per second", *(_rate(one) for one in paced))
    found.notes.append("From a move that goes out to the turn that comes of it at the other bot. Load and server share")
    found.notes.append("the machine, and full load is what both reach together.")
    found.plots["levels"] = bars("p99, ms", [figure for figure in found.figures if figure.what == "p99, ms"])
    return found


def _rate(played: Played) -> float:
    return played.moves / played.seconds


MEASUREMENT = Measurement("levels", "How long does a move wait for the referee, at 10, 50 and 80 % load?", measure)
