"""Cost of settings that a host may choose: TLS, durability, traces, and scraping of metrics."""

from contextlib import ExitStack
from functools import partial

from bench.costs import CPU, add_costs
from bench.figures import Findings
from bench.measurement import Measurement, Scope, alternate
from bench.scrape import measured_scrape
from bench.stage import MATCHES, SINGLE, refereed, standing
from bench.svg import bars
from tests.clients.certificates import create_certificates
from tests.e2e.test_traces import run_collector


def measure(scope: Scope) -> Findings:
    found = Findings()
    roots, tls = create_certificates(scope.room("tls"))
    with ExitStack() as stack:
        _, traces = stack.enter_context(run_collector())
        stages = {
            "as it comes: durability full, no TLS": standing(scope, SINGLE),
            "durability normal": stack.enter_context(refereed(scope, "normal", SINGLE, "--durability", "normal")),
            "TLS": stack.enter_context(refereed(scope, "with tls", SINGLE, *tls, roots=roots)),
            "traces, one move in 100": stack.enter_context(refereed(scope, "traced", SINGLE, "--traces-to", traces)),
        }
        candidates = {
            name: partial(stage.among, MATCHES, scope.pick(1_000, 2_500), scope.pick(0.7, 1.5))
            for name, stage in stages.items()
        }
        for name, rounds in alternate(candidates, scope.pick(2, 3)).items():
            add_costs(found, name, rounds)
    for matches, milliseconds in measured_scrape(scope.pick(3, 30)).items():
        found.add(f"a scrape with {matches} matches", "event loop, ms", milliseconds)
    found.plots["settings"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


MEASUREMENT = Measurement("settings", "What do TLS, durability, traces and a scrape of the metrics cost?", measure)
