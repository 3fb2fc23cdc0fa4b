"""Cost of the visitors of one match: on the web site, and as watchers over gRPC."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.costs import Cost, add_costs
from bench.crowd import crowd
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.process import cpu_s
from bench.stage import NO_QUOTAS, Stage, Work, echoed, open_bots
from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token, run_server

MANY = 1_000
PACES = (10, 100)
"""Moves per second of the match."""
LAST_EVENT_S = 2.0
"""Time after which visitors have been sent the last move."""
WRITE = "a bare write, the second message of an echo"
PER_ENTRY = "CPU per watcher and entry, µs"
LATENCY = "median latency of a move, µs"


def measure(scope: Scope) -> Findings:
    found = Findings()
    moves, rounds = scope.pick(30, 100), scope.pick(1, 3)
    with echoed(Work(one_by_one=True)) as lone, echoed(Work(pairs=True)) as paired:
        echoes = alternate({"one": partial(lone.cost, 5_000, 1.0), "two": partial(paired.cost, 5_000, 1.0)}, 2 * rounds)
        pairs = zip(echoes["one"], echoes["two"], strict=True)
        found.add(WRITE, PER_ENTRY, *(pair.us_per_move - single.us_per_move for single, pair in pairs))
    folder = scope.room("visitors")
    with run_server(folder, *NO_QUOTAS, "--site-listen", "127.0.0.1:0") as server, crowd(server.address) as bots:
        with server.channel() as channel:
            open_bots(scope, bots, Work(game="trox", bots=2), create_organiser_token(channel, server.admin_token))
        stage = Stage(server.process.pid, server.address, bots, folder)
        for pace in PACES:
            looks = {
                "nobody": partial(_alone, stage, pace, moves),
                "watchers": partial(_watched, stage, pace, moves),
                "visitors of the site": partial(_visited, stage, server, pace, moves),
            }
            seen = alternate(looks, rounds)
            for look, measured in seen.items():
                costs = [cost for cost, _ in measured]
                add_costs(found, _row(look, pace), costs)
                found.add(_row(look, pace), LATENCY, *(cost.played.p50_us for cost in costs))
            more = [
                (watched.us_per_move - alone.us_per_move) / MANY
                for (alone, _), (watched, _) in zip(seen["nobody"], seen["watchers"], strict=True)
            ]
            found.add(_row("watchers", pace), PER_ENTRY, *more)
            of_site = [site_s / cost.played.moves / MANY * 1e6 for cost, site_s in seen["visitors of the site"]]
            found.add(_row("visitors of the site", pace), PER_ENTRY, *of_site)
    return found


def _row(look: str, pace: int) -> str:
    return f"{look}, {pace} moves per second"


def _alone(stage: Stage, pace: int, moves: int) -> tuple[Cost, float]:
    stage.prepare(1, moves)
    return stage.cost(moves, moves / pace, pace), 0.0


def _watched(stage: Stage, pace: int, moves: int) -> tuple[Cost, float]:
    stage.prepare(1, moves)
    stage.crowd.do("watch", watchers=MANY)
    cost = stage.cost(moves, moves / pace, pace)
    stage.crowd.do("unwatch")
    return cost, 0.0


def _visited(stage: Stage, server: ServerProcess, pace: int, moves: int) -> tuple[Cost, float]:
    """Return the cost for the server, and the CPU time of the site."""
    stage.prepare(1, moves)
    [site] = [
        int(pid)
        for pid in Path(f"/proc/{stage.pid}/task/{stage.pid}/children").read_text().split()
        if b"--child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    with _visitors(server.site):
        before = cpu_s(site)
        cost = stage.cost(moves, moves / pace, pace)
        time.sleep(LAST_EVENT_S)
        return cost, cpu_s(site) - before


@contextmanager
def _visitors(site: str) -> Iterator[None]:
    """Let many visitors read the match that is being played."""
    address = f"http://{site}/api/v1/matches?phase=MATCH_PHASE_PLAYING"
    with urllib.request.urlopen(address, timeout=TIMEOUT_S) as response:
        [match] = json.load(response)["matches"]
    command = [sys.executable, "-m", "bench.visitors", site, match["id"], str(MANY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as visitors:
        assert visitors.stdout
        if not visitors.stdout.readline():
            raise RuntimeError("the visitors could not connect")
        try:
            yield
        finally:
            visitors.communicate("")


def _goal(look: str, pace: int) -> Goal:
    return Goal(
        _row(look, pace),
        "CPU per watcher and entry with a thousand watchers of one match, in units of a bare write.",
        0.1,
        lambda found: found.of(_row(look, pace), PER_ENTRY).median / found.of(WRITE, PER_ENTRY).median,
        at_least=False,
    )


MEASUREMENT = Measurement(
    "visitors",
    "What do a thousand visitors of a match cost?",
    measure,
    goals=tuple(_goal(look, pace) for look in ("watchers", "visitors of the site") for pace in PACES),
)
