"""Cost of the visitors of one match: on the web site, and as watchers over gRPC."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.costs import Cost, add_costs
from bench.crowd import crowd
from bench.figures import Findings
from bench.measurement import Measurement, Scope, alternate
from bench.process import cpu_s
from bench.stage import NO_QUOTAS, Stage, Work, open_bots
from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token, run_server

MOVES = 30
PACES = (10, 100)
"""Moves per second of the match."""
SITE_CPU = "CPU of the site per visitor and entry, µs"
LATENCY = "median latency of a move, µs"


def measure(scope: Scope) -> Findings:
    found = Findings()
    many = scope.pick(100, 1000)
    folder = scope.room("visitors")
    with run_server(folder, *NO_QUOTAS, "--site-listen", "127.0.0.1:0") as server, crowd(server.address) as bots:
        with server.channel() as channel:
            open_bots(scope, bots, Work(game="trox", bots=2), create_organiser_token(channel, server.admin_token))
        stage = Stage(server.process.pid, server.address, bots, folder)
        for pace in PACES:
            rounds = alternate(
                {
                    f"nobody, {pace} moves per second": partial(_alone, stage, pace),
                    f"{many} watchers, {pace} moves per second": partial(_watched, stage, pace, many),
                },
                scope.pick(2, 3),
            )
            for name, costs in rounds.items():
                add_costs(found, name, costs)
                found.add(name, LATENCY, *(cost.played.p50_us for cost in costs))
            name = f"{many} visitors of the site, {pace} moves per second"
            visited = [_visited(stage, server, pace, many) for _ in range(scope.pick(2, 3))]
            add_costs(found, name, [cost for cost, _ in visited])
            found.add(name, LATENCY, *(cost.played.p50_us for cost, _ in visited))
            found.add(name, SITE_CPU, *(used / cost.played.moves / many * 1e6 for cost, used in visited))
    return found


def _alone(stage: Stage, pace: int) -> Cost:
    stage.prepare(1, MOVES)
    return stage.cost(MOVES, MOVES / pace, pace)


def _watched(stage: Stage, pace: int, many: int) -> Cost:
    stage.prepare(1, MOVES)
    stage.crowd.do("watch", watchers=many)
    cost = stage.cost(MOVES, MOVES / pace, pace)
    stage.crowd.do("unwatch")
    return cost


def _visited(stage: Stage, server: ServerProcess, pace: int, many: int) -> tuple[Cost, float]:
    """Return the cost for the server, and the CPU time of the site."""
    stage.prepare(1, MOVES)
    [site] = [
        int(pid)
        for pid in Path(f"/proc/{stage.pid}/task/{stage.pid}/children").read_text().split()
        if b"--child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    with _visitors(server.site, many):
        before = cpu_s(site)
        cost = stage.cost(MOVES, MOVES / pace, pace)
        return cost, cpu_s(site) - before


@contextmanager
def _visitors(site: str, many: int) -> Iterator[None]:
    """Let many visitors read the match that is being played."""
    address = f"http://{site}/api/v1/matches?phase=MATCH_PHASE_PLAYING"
    with urllib.request.urlopen(address, timeout=TIMEOUT_S) as response:
        [match] = json.load(response)["matches"]
    command = [sys.executable, "-m", "bench.visitors", site, match["id"], str(many)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as visitors:
        assert visitors.stdout
        if not visitors.stdout.readline():
            raise RuntimeError("the visitors could not connect")
        try:
            yield
        finally:
            visitors.communicate("")


MEASUREMENT = Measurement("visitors", "What do a thousand visitors of a match cost?", measure)
