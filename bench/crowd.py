"""The load generator: many bots in one program, written in Go so that it is not the bottleneck."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.figures import NotMeasured

SOURCE = Path(__file__).parent / "load"
PROGRAM = Path(__file__).parents[1] / "build" / "bench" / "load"
BUILDS_WITHIN_S = 300


@dataclass(frozen=True, slots=True)
class Played:
    """Counts and latencies of one period of play."""

    moves: int
    refused: int
    seconds: float
    cpu_s: float
    """CPU time of the load generator."""
    items: int
    messages: int
    bytes: int
    """Items, messages and bytes received from the referee."""
    entries: int
    """Entries received by watchers."""
    p50_us: float
    p99_us: float
    p999_us: float
    dry: bool
    """Play ended because a match reached the end of its recording."""

    @property
    def rate(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds

    @property
    def cpu_us_per_move(self) -> float:
        """CPU time of the load generator per move."""
        return self.cpu_s / self.moves * 1e6


class Crowd:
    """The running load generator. Raises RuntimeError if a command fails."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def do(self, what: str, **how: Any) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": what, **how}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "it has ended"}
        if "error" in answer:
            raise RuntimeError(f"the load, told to {what}: {answer['error']}")
        return answer

    def play(self, moves: int, seconds: float, rate: float = 0) -> Played:
        """Play that many moves, or for that long, or until a match reaches the end of its recording."""
        played = Played(**self.do("play", moves=moves, seconds=seconds, rate=rate))
        if played.refused or not played.moves:
            raise RuntimeError(f"the load: {played.refused} of {played.moves} moves were refused")
        return played


@contextmanager
def crowd(referee: str, roots: Path | None = None) -> Iterator[Crowd]:
    """Start a load generator, without bots, for the referee at this address. Raises NotMeasured if Go is missing."""
    command = [str(_program()), "-referee", referee, *(["-ca", str(roots)] if roots else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Crowd(process)
        finally:
            process.kill()


@cache
def _program() -> Path:
    if not shutil.which("go"):
        raise NotMeasured("the load is written in Go, and there is no `go` here")
    command = ["go", "build", "-o", str(PROGRAM), "."]
    ran = subprocess.run(command, cwd=SOURCE, timeout=BUILDS_WITHIN_S, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise NotMeasured(f"the load cannot be built: {ran.stderr.strip()}")
    return PROGRAM
