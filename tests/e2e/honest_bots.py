"""Well-behaved bots in a separate process, and helpers for their matches."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from referee_api.v1 import entry_pb2

from tests.e2e.organiser import call_method, call_with_timeout, entries_of
from tests.e2e.server import TIMEOUT_S, ServerProcess

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class HonestBotsProcess:
    """Process of bots that play every match they are given."""

    process: subprocess.Popen[bytes]
    output: Path

    def thinking_times_us(self) -> dict[tuple[str, int, int], int]:
        """Stop the bots, and return how long they thought by their own clocks, by match, seat and ply."""
        self.process.terminate()
        self.process.wait(TIMEOUT_S)
        lines = map(json.loads, self.output.read_text().splitlines())
        return {(line["match_id"], line["seat"], line["ply"]): line["thought_us"] for line in lines}

    def failure(self) -> str:
        """Return why the bots have stopped, or an empty string if they are running."""
        exited = self.process.poll() is not None
        return self.output.with_suffix(".errors").read_text() or "the process has exited" if exited else ""


@contextmanager
def run_honest_bots(
    server: ServerProcess, folder: Path, secrets: Sequence[str], *flags: str
) -> Iterator[HonestBotsProcess]:
    output = folder / "honest.jsonl"
    command = [sys.executable, "-m", "tests.e2e.honest_bot_program", server.address, *secrets, *flags]
    with output.open("w") as out, output.with_suffix(".errors").open("w") as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
    try:
        yield HonestBotsProcess(process, output)
    finally:
        process.kill()
        process.wait(TIMEOUT_S)


def create_match(channel: grpc.Channel, secret: str, request_id: str, game: str, bots: Sequence[str]) -> str:
    """Create a match between these bots, with one hour for each seat, and return its id."""
    control = {"rule": {"sudden_death": {"main_ms": HOUR_MS}}}
    terms: dict[str, Any] = {"rules": {"game": game}, "time_control": control, "start_timeout_ms": HOUR_MS}
    request = {"request_id": request_id, "terms": terms, "seats": [{"bot": bot} for bot in bots]}
    match_id: str = call_method(channel, "MatchService/CreateMatch", secret, **request).match.id
    return match_id


def entries(channel: grpc.Channel, secret: str, match_id: str, timeout_s: float = TIMEOUT_S) -> list[entry_pb2.Entry]:
    """Wait until the match is over, and return all its entries."""
    watch = {"match_id": match_id, "after_number": 0}
    watched = call_with_timeout(channel, "MatchService/WatchMatch", secret, timeout_s, watch)
    return [entry for response in watched for entry in entries_of(response)]
