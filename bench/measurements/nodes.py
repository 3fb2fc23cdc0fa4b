"""Cost of a move on one, two and three nodes: CPU of the nodes, of PostgreSQL and of NATS."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from bench.cluster_stage import NATS, NODES, POSTGRES, Use, clustered, run_shared_servers, use
from bench.costs import RATE
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.stage import MATCHES, SINGLE, standing
from bench.svg import bars

SQLITE = "1 node, SQLite"
ALONE = "1 node, PostgreSQL"
CLUSTERS = {"1 node, PostgreSQL and NATS": 1, "2 nodes": 2, "3 nodes": 3}
CPU = "CPU of nodes per move, µs"
SERVERS = {POSTGRES: "of PostgreSQL, µs", NATS: "of NATS, µs"}
WRITTEN = "written ahead, bytes per move"


def measure(scope: Scope) -> Findings:
    moves, seconds = scope.pick(1_000, 4_000), scope.pick(1, 3)
    with ExitStack() as stack:
        servers = scope.keep("PostgreSQL and NATS", partial(run_shared_servers, scope.room("nats")))
        stages = {SQLITE: standing(scope, SINGLE)}
        run = partial(clustered, scope, work=SINGLE, servers=servers)
        stages[ALONE] = stack.enter_context(run(name=ALONE, nodes=1, nats=False))
        for name, nodes in CLUSTERS.items():
            stages[name] = stack.enter_context(run(name=name, nodes=nodes, nats=True))
        plays = {name: partial(use, stage, servers, MATCHES, moves, seconds) for name, stage in stages.items()}
        return _findings(alternate(plays, scope.pick(2, 5)))


def _findings(uses: dict[str, list[Use]]) -> Findings:
    found = Findings()
    for name, rounds in uses.items():
        _add(found, name, rounds)
    found.notes.append(
        "The bots of each match are connected to different nodes. All share this machine with PostgreSQL,"
    )
    found.notes.append("NATS and the load, so moves per second say little about nodes with machines of their own.")
    found.plots["nodes"] = bars(CPU, [figure for figure in found.figures if figure.what == CPU])
    return found


def _add(found: Findings, name: str, rounds: Sequence[Use]) -> None:
    found.add(name, CPU, *(used.cpu_us[NODES] for used in rounds))
    if name != SQLITE:
        for server, what in SERVERS.items():
            found.add(name, what, *(used.cpu_us[server] for used in rounds))
        found.add(name, WRITTEN, *(used.written_bytes for used in rounds))
    found.add(name, RATE, *(used.rate for used in rounds))


MEASUREMENT = Measurement(
    "nodes",
    "What does a move cost on several nodes with PostgreSQL and NATS, beside a single one with SQLite?",
    measure,
    goals=tuple(
        Goal(
            f"a move on {name}",
            "CPU per move of all nodes, in units of that of a single server with SQLite.",
            1.5,
            lambda found, name=name: found.ratio(CPU, name, SQLITE),  # type: ignore[misc]
            at_least=False,
        )
        for name in CLUSTERS
    ),
)
