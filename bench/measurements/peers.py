"""Comparison with other referees: two players, trivial bots in separate processes, every move checked."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import IO

from bench.beside import ROOT, Beside, beside
from bench.figures import Findings, Goal, NotMeasured
from bench.measurement import Measurement, Scope, alternate
from bench.process import cpu_s
from bench.recorded import recorded_games
from bench.stage import MATCHES, MATCHES_OF_ROOMY, ROOMY, SINGLE, Stage, standing
from bench.svg import bars

CPU = "referee CPU per move, µs"
ONE, FULL = "referee, 1 match per bot", "referee, 64 matches per bot"
BOARDGAME, BOARDGAME_FILES = "boardgame.io, in memory", "boardgame.io, in files"
KAGGLE, PIPES = "kaggle-environments, HTTP agents", "pipes, a process for each bot"
REMOTE = (BOARDGAME, BOARDGAME_FILES, KAGGLE)
"""Those that check and record moves and serve bots on other machines."""

SOURCE = Path(__file__).parents[1] / "peers" / "boardgame"
INSTALLED = ROOT / "build" / "bench" / "boardgame"
THEIR_MATCHES = 10


def measure(scope: Scope) -> Findings:
    found, moves = Findings(), scope.pick(1_000, 2_500)
    with ExitStack() as stack:
        candidates: dict[str, Callable[[], float]] = {
            ONE: partial(_ours, standing(scope, SINGLE), MATCHES, moves),
            FULL: partial(_ours, standing(scope, ROOMY), MATCHES_OF_ROOMY, moves),
            PIPES: partial(stack.enter_context(_pipes(scope)).ask, "100"),
        }
        boardgames = ((BOARDGAME, ""), (BOARDGAME_FILES, str(scope.room("boardgame"))))
        for name, folder in scope.pick(boardgames[:1], boardgames):
            try:
                server, bots = stack.enter_context(_boardgame(folder))
                candidates[name] = partial(_theirs, server, bots, scope.pick(0.7, 1.5))
            except NotMeasured as why:
                found.notes.append(f"{name}: not measured: {why}")
        kaggle = stack.enter_context(beside(("bench/peers/kaggle.py",), found))
        if kaggle:
            candidates[KAGGLE] = partial(kaggle.ask, str(scope.pick(1, 3)))
        for name, rounds in alternate(candidates, scope.pick(2, 3)).items():
            found.add(name, CPU, *rounds)
    found.notes.append("fastchess and cutechess: not measured: no registry that is used here has them.")
    found.notes.append(
        "boardgame.io plays a game of taking from a heap, kaggle Connect-X: their rules cost next to nothing."
    )
    found.plots["peers"] = bars(CPU, found.figures)
    return found


def _ours(stage: Stage, matches: int, moves: int) -> float:
    return stage.among(matches, moves, 1.5).us_per_move


def _theirs(server: subprocess.Popen[str], bots: Beside, seconds: float) -> float:
    before = cpu_s(server.pid)
    moves = bots.ask(f"{THEIR_MATCHES} {seconds}")
    return (cpu_s(server.pid) - before) / moves * 1e6


@contextmanager
def _pipes(scope: Scope) -> Iterator[Beside]:
    command = [sys.executable, "-m", "bench.peers.pipes", str(recorded_games(scope.folder, "alquerque"))]
    with _running([*command, str(scope.room("pipes"))], ROOT) as process:
        yield Beside(process)


@contextmanager
def _boardgame(folder: str) -> Iterator[tuple[subprocess.Popen[str], Beside]]:
    """Run the server and its bots. Raises NotMeasured."""
    node, where = _installed()
    with _running([node, "server.js", *([folder] if folder else [])], where) as server:
        assert server.stdout
        port = json.loads(_first_json(server.stdout))["port"]
        with _running([node, "bots.js", str(port)], where) as bots:
            yield server, Beside(bots)


def _first_json(lines: IO[str]) -> str:
    """Return the line with its address, skipping other output. Raises NotMeasured if there is none."""
    for line in lines:
        if line.startswith("{"):
            return line
    raise NotMeasured("the server does not start")


@contextmanager
def _running(command: list[str], where: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@cache
def _installed() -> tuple[str, Path]:
    """Return the path of node, and the folder with the installed programs. Raises NotMeasured."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise NotMeasured("there is no node or npm here")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    for source in SOURCE.iterdir():
        shutil.copy(source, INSTALLED)
    done = subprocess.run(
        [npm, "install", "--silent"], cwd=INSTALLED, timeout=300, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotMeasured(f"npm install: {done.stderr.strip()[-300:]}")
    return node, INSTALLED


def _best(found: Findings, ours: str) -> float:
    """Return the cost of the cheapest of the measured others in units of ours."""
    there = [figure.of for figure in found.figures if figure.of in REMOTE]
    if not there:
        raise NotMeasured("none of the others can be had here")
    return min(found.ratio(CPU, other, ours) for other in there)


MEASUREMENT = Measurement(
    "peers",
    "What do others need for a refereed move?",
    measure,
    goals=(
        Goal(
            "cheaper than every peer",
            "CPU of the cheapest that checks, records and serves remote bots, in units of ours, 1 match per bot.",
            1.2,
            lambda found: _best(found, ONE),
        ),
        Goal(
            "cheaper, 64 matches per bot",
            "CPU of the cheapest that checks, records and serves remote bots, in units of ours, 64 matches per bot.",
            3.5,
            lambda found: _best(found, FULL),
        ),
    ),
    profile="path",
)
