"""Honest bots as a process beside a test, the matches they play, and what became of those."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2, match_service_pb2
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from tests.e2e.server import WITHIN_S, Running, bearer

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class HonestBots:
    """Some that play whatever they are asked to."""

    process: subprocess.Popen[bytes]
    heard: Path

    def thoughts_us(self) -> dict[tuple[str, int, int], int]:
        """How long they thought by their own clocks, by match, seat and ply. They go, and tell it."""
        self.process.terminate()
        self.process.wait(WITHIN_S)
        told = map(json.loads, self.heard.read_text().splitlines())
        return {(one["match_id"], one["seat"], one["ply"]): one["thought_us"] for one in told}

    def trouble(self) -> str:
        """Why they have stopped; empty: they play."""
        gone = self.process.poll() is not None
        return self.heard.with_suffix(".errors").read_text() or "they have gone" if gone else ""


@contextmanager
def honest_bots(server: Running, folder: Path, secrets: Sequence[str], *flags: str) -> Iterator[HonestBots]:
    heard = folder / "honest.jsonl"
    command = [sys.executable, "-m", "tests.e2e.honest_bots", server.address, *secrets, *flags]
    with heard.open("w") as out, heard.with_suffix(".errors").open("w") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
    try:
        yield HonestBots(process, heard)
    finally:
        process.kill()
        process.wait(WITHIN_S)


def match_request(request_id: str, game: str, bots: Sequence[str]) -> match_service_pb2.CreateMatchRequest:
    """A match between them, with an hour for each."""
    rule = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=HOUR_MS))
    terms = match_pb2.MatchTerms(
        rules=game_pb2.Rules(game=game), time_control=clock_pb2.TimeControl(rule=rule), start_within_ms=HOUR_MS
    )
    seats = [match_pb2.BotRef(bot=bot) for bot in bots]
    return match_service_pb2.CreateMatchRequest(request_id=request_id, terms=terms, seats=seats)


def new_match(channel: grpc.Channel, secret: str, request_id: str, game: str, bots: Sequence[str]) -> str:
    """The id of a match between them, with an hour for each."""
    request = match_request(request_id, game, bots)
    return MatchServiceStub(channel).CreateMatch(request, metadata=bearer(secret), timeout=WITHIN_S).match.id


def entries(channel: grpc.Channel, secret: str, match_id: str, within_s: float = WITHIN_S) -> list[entry_pb2.Entry]:
    """All of a match, once it is over."""
    watch = match_service_pb2.WatchMatchRequest(match_id=match_id, after=0)
    watched = MatchServiceStub(channel).WatchMatch(watch, metadata=bearer(secret), timeout=within_s)
    return [item.entry for response in watched for item in response.items if item.HasField("entry")]
