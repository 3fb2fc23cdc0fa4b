"""A referee or an echo in its own process, together with a load generator."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import grpc

from bench.costs import Cost
from bench.crowd import Crowd, crowd
from bench.measurement import Scope
from bench.process import children, cpu_s, resident_bytes
from bench.recorded import PLIES, recorded_games
from referee.cli.serve import WITHOUT_EVENT_ENGINE
from referee.server.edge_process import find_program
from referee.server.settings import EdgeUse
from tests.e2e.server import create_organiser_token, run_server

MANY = str(2**31 - 1)
NO_QUOTAS = (
    *("--calls-per-minute", MANY, "--max-matches-per-holder", MANY, "--max-streams-per-holder", MANY),
    *("--max-streams-per-bot", MANY, "--max-received-per-minute-bytes", MANY),
    *("--max-bots-per-holder", MANY, "--max-tokens-per-holder", MANY, "--max-streams", MANY),
    *("--max-concurrent-calls-per-holder", MANY),
)


def at_most(matches: int) -> int:
    """Return how many moves can be played in that many new matches."""
    return int(matches * PLIES * EVENLY)


TO_THE_END = 10**9
"""More moves than any game has."""

EVENLY = 0.8
"""Share of all recorded moves that can be played before the fastest match is through; usually it is more."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the load generator plays."""

    game: str = "alquerque"
    bots: int = 200
    room: int = 1
    """Number of matches that a bot plays at the same time."""
    legal: int = 0
    """Number of legal moves requested in a turn."""
    one_by_one: bool = False
    """The bots send one item in each message."""
    unary: bool = False
    verdicts_with_turns: bool = False
    """The bots ask that verdicts wait for their next turns."""
    event_engine: bool = False
    """gRPC's event engine is used, which is not the default of the server."""
    door: bool = False
    """The bots connect to the front door, which must be installed."""
    pairs: bool = False
    """The echo sends a verdict to the bot that moved, and the turn to another bot."""
    whole: bool = False
    """Matches are played to their end."""


@dataclass(slots=True)
class Table:
    """The matches that are being played, which successive rounds share."""

    matches: int = 0
    left: int = 0
    """Number of moves until a match may reach the end of its recording."""


@dataclass(frozen=True, slots=True)
class Stage:
    pid: int
    address: str
    crowd: Crowd
    folder: Path = Path()
    table: Table = field(default_factory=Table)

    def resident_bytes(self) -> int:
        return resident_bytes(self.pid)

    def resident_with_door_bytes(self) -> int:
        return resident_bytes(self.pid) + sum(map(resident_bytes, children(self.pid)))

    def cpu_s(self) -> float:
        return cpu_s(self.pid) + sum(map(cpu_s, children(self.pid)))

    def cost(self, moves: int, seconds: float, rate: float = 0) -> Cost:
        before = self.cpu_s()
        played = self.crowd.play(moves, seconds, rate)
        used = self.cpu_s() - before
        self.table.left = 0 if played.dry else self.table.left - played.moves
        return Cost(played, used)

    def among(self, matches: int, moves: int, seconds: float, rate: float = 0) -> Cost:
        """Return the cost of moves in that many simultaneous matches.

        Creating the matches is not counted, and none of them ends.
        """
        self.prepare(matches, moves)
        return self.cost(moves, seconds, rate)

    def prepare(self, matches: int, moves: int) -> None:
        """Ensure that `matches` matches are being played, with at least `moves` moves left.

        The matches of the previous round are used as long as they last, because creating matches takes longer than a
        round.
        """
        if matches != self.table.matches or moves > self.table.left:
            self.crowd.do("leave")
            self.crowd.do("make", matches=matches)
            self.table.matches, self.table.left = matches, at_most(matches)


@contextmanager
def refereed(scope: Scope, name: str, work: Work, *flags: str, roots: Path | None = None) -> Iterator[Stage]:
    """Run a referee with default settings but without quotas, and connected bots."""
    folder = scope.room(name)
    if work.event_engine:
        flags = (*flags, "--grpc-event-engine")
    if work.door:
        flags = (*flags, "--edge", "on")
    with run_server(folder, *NO_QUOTAS, *flags) as running:
        channel = running.channel()
        if roots:
            channel = grpc.secure_channel(running.address, grpc.ssl_channel_credentials(roots.read_bytes()))
        with channel:
            secret = create_organiser_token(channel, running.admin_token)
        with crowd(running.address, roots) as bots:
            open_bots(scope, bots, work, secret)
            yield Stage(running.process.pid, running.address, bots, folder)


def open_bots(scope: Scope, bots: Crowd, work: Work, organiser: str) -> None:
    """Register and connect all bots."""
    path = recorded_games(scope.folder, work.game, work.whole)
    bots.do("open", organiser=organiser, games=str(path), **_wishes(work))


HAS_DOOR = find_program(EdgeUse.AUTO) is not None
DOOR = ", with the front door"

MATCHES, MATCHES_OF_ROOMY = 100, 128
SINGLE = Work(bots=2 * MATCHES)
"""One match per bot, which most measurements use."""
ROOMY = Work(bots=4, room=64)
"""64 matches per bot."""


def standing(scope: Scope, work: Work) -> Stage:
    """Return the stage for this work without flags; all measurements share it, since a server takes time to start."""
    folder = f"{work.game} for {work.bots} bots with room for {work.room}{DOOR if work.door else ''}"
    return scope.keep(str(work), partial(refereed, scope, folder, work))


@contextmanager
def echoed(work: Work) -> Iterator[Stage]:
    command = [sys.executable, "-m", "bench.echo", *(["pairs"] if work.pairs else [])]
    environment = dict(os.environ) if work.event_engine else {**os.environ, **WITHOUT_EVENT_ENGINE}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout
            address = json.loads(process.stdout.readline())["grpc"]
            with crowd(address) as bots:
                bots.do("open", **_wishes(work))
                yield Stage(process.pid, address, bots)
        finally:
            process.kill()


def _wishes(work: Work) -> dict[str, object]:
    return {
        "bots": work.bots,
        "room": work.room,
        "legal": work.legal,
        "one_by_one": work.one_by_one,
        "unary": work.unary,
        "pairs": work.pairs,
        "verdicts_with_turns": work.verdicts_with_turns,
    }
