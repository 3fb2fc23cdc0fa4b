"""A referee, or an echo, in a process of its own, and a crowd before it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc

from bench.crowd import Crowd, Played, crowd
from bench.measurement import Scope
from bench.process import cpu_s, resident_bytes
from bench.recorded import recorded_games
from tests.e2e.server import organiser, serving

MANY = str(2**31 - 1)
NO_QUOTAS = (
    *("--calls-per-minute", MANY, "--matches-per-holder-at-most", MANY, "--streams-per-holder-at-most", MANY),
    *("--bots-per-holder-at-most", MANY, "--tokens-per-holder-at-most", MANY, "--streams-at-most", MANY),
)


@dataclass(frozen=True, slots=True)
class Work:
    """What the crowd plays."""

    game: str = "alquerque"
    bots: int = 200
    room: int = 1
    """Matches that a bot plays at once."""
    legal: int = 0
    """Legal moves wished for in a turn."""
    one_by_one: bool = False
    """One item in each message of the bots."""
    unary: bool = False
    whole: bool = False
    """Play to the end of each match."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a stretch of play cost the server."""

    played: Played
    cpu_s: float

    @property
    def us_per_move(self) -> float:
        return self.cpu_s / self.played.moves * 1e6


@dataclass(frozen=True, slots=True)
class Stage:
    pid: int
    address: str
    crowd: Crowd

    def resident_bytes(self) -> int:
        return resident_bytes(self.pid)

    def cost(self, moves: int, seconds: float, rate: float = 0) -> Cost:
        before = cpu_s(self.pid)
        played = self.crowd.play(moves, seconds, rate)
        return Cost(played, cpu_s(self.pid) - before)

    def fresh(self, matches: int, moves: int, seconds: float) -> Cost:
        """The cost of moves in so many new matches; making them is not counted, and none of them ends."""
        self.crowd.do("leave")
        self.crowd.do("make", matches=matches)
        return self.cost(moves, seconds)


@contextmanager
def refereed(scope: Scope, name: str, work: Work, *flags: str, roots: Path | None = None) -> Iterator[Stage]:
    """A referee as it comes, but without quotas, and bots that are there."""
    folder = scope.room(name)
    with serving(folder, *NO_QUOTAS, *flags) as running:
        channel = running.channel()
        if roots:
            channel = grpc.secure_channel(running.address, grpc.ssl_channel_credentials(roots.read_bytes()))
        with channel:
            secret = organiser(channel, running.admin_token)
        with crowd(running.address, roots) as bots:
            path = recorded_games(scope.folder, work.game, work.whole)
            bots.do("open", organiser=secret, games=str(path), **_wishes(work))
            yield Stage(running.process.pid, running.address, bots)


@contextmanager
def echoed(work: Work) -> Iterator[Stage]:
    command = [sys.executable, "-m", "bench.echo"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
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
    }
