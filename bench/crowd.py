"""The load: many bots in one program of its own, written in Go so that it is not what limits."""

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
CLIENT = Path(__file__).parents[1] / "clients" / "go"
"""Whose stubs the load speaks with; they are made from the contract."""
PROGRAM = Path(__file__).parents[1] / "build" / "bench" / "load"
BUILDS_WITHIN_S = 300


@dataclass(frozen=True, slots=True)
class Played:
    """What became of one stretch of play."""

    moves: int
    refused: int
    seconds: float
    cpu_s: float
    """The load's own."""
    items: int
    messages: int
    bytes: int
    """Heard from the referee."""
    entries: int
    """Heard by watchers."""
    p50_us: float
    p99_us: float
    p999_us: float
    dry: bool
    """A match came to the end of what is recorded of it, so play ended."""

    @property
    def rate(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds

    @property
    def cpu_us_per_move(self) -> float:
        """The load's own."""
        return self.cpu_s / self.moves * 1e6


class Crowd:
    """The program, while it runs. Whatever it cannot do raises RuntimeError."""

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
        """Until so many are played, or for so long, or until a match has come to the end of what is recorded."""
        played = Played(**self.do("play", moves=moves, seconds=seconds, rate=rate))
        if played.refused or not played.moves:
            raise RuntimeError(f"the load: {played.refused} of {played.moves} moves were refused")
        return played


@contextmanager
def crowd(referee: str, roots: Path | None = None) -> Iterator[Crowd]:
    """A crowd for the referee at that address, of no bots yet. Raises NotMeasured where there is no Go."""
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
    _go(CLIENT, "generate", "./...")
    _go(SOURCE, "build", "-o", str(PROGRAM), ".")
    return PROGRAM


def _go(folder: Path, *command: str) -> None:
    ran = subprocess.run(
        ["go", *command], cwd=folder, timeout=BUILDS_WITHIN_S, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise NotMeasured(f"the load cannot be built: {ran.stderr.strip()}")
