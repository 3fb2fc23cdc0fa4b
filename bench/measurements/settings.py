"""What a host may choose costs: TLS, what a move survives, being looked at."""

from contextlib import ExitStack
from functools import partial

from bench.figures import Findings
from bench.measurement import Measurement, Scope, alternate
from bench.scrape import measured_scrape
from bench.stage import Work, refereed
from bench.svg import bars
from tests.clients.authority import certified

CPU = "server CPU per move, µs"
MATCHES = 100


def measure(scope: Scope) -> Findings:
    found, work = Findings(), Work(bots=2 * MATCHES)
    roots, tls = certified(scope.room("tls"))
    with ExitStack() as stack:
        stages = {
            "as it comes: durability full, no TLS": stack.enter_context(refereed(scope, "full", work)),
            "durability normal": stack.enter_context(refereed(scope, "normal", work, "--durability", "normal")),
            "TLS": stack.enter_context(refereed(scope, "with tls", work, *tls, roots=roots)),
        }
        candidates = {
            name: partial(stage.fresh, MATCHES, scope.pick(1_000, 4_000), scope.pick(1.0, 2.0))
            for name, stage in stages.items()
        }
        for name, rounds in alternate(candidates, scope.pick(2, 5)).items():
            found.add(name, CPU, *(cost.us_per_move for cost in rounds))
            found.add(name, "moves per second", *(cost.played.moves / cost.played.seconds for cost in rounds))
    for matches, milliseconds in measured_scrape(scope.pick(5, 50)).items():
        found.add(f"a scrape with {matches} matches", "event loop, ms", milliseconds)
    found.plots["settings"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


MEASUREMENT = Measurement("settings", "What do TLS, durability and a scrape of the metrics cost?", measure)
