"""Many random matches of chess: the lab beside other projects, in matches and moves per CPU-second of one run.

Bots that are functions count; where bots are programs on pipes, only the process of the referee counts.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.beside import ROOT, Beside, beside
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from bench.peers.pipes import play as play_on_pipes
from bench.recorded import recorded_games
from bench.svg import bars
from engines.registry import find
from referee import lab

GAME = "chess"
MOVES, MATCHES = "moves per CPU-second", "matches per CPU-second"
LAB, RECORDED, LAB_PIPES = "lab", "lab with records", "lab, programs on pipes"
PIPES = "plain referee on pipes"
OTHERS = {"python-chess alone": "python-chess", "PettingZoo chess_v6": "pettingzoo", "open_spiel chess": "pyspiel"}
LINE_BOT = f"{sys.executable} {ROOT / 'bench' / 'peers' / 'line_bot.py'}"

Volume = tuple[float, float, float]
"""Matches, moves and CPU seconds."""


def measure(scope: Scope) -> Findings:
    found = Findings()
    matches = scope.pick(4, 20)
    with beside(("bench/peers/random_chess.py",), found) as other, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        candidates: dict[str, Callable[[], Volume]] = {
            LAB: partial(_in_lab, ("random", "random"), matches, None),
            RECORDED: partial(_in_lab, ("random", "random"), matches, folder / "records"),
            LAB_PIPES: partial(_in_lab, (LINE_BOT, LINE_BOT), matches, None),
            PIPES: partial(_on_pipes, recorded_games(scope.folder, GAME, whole=True), folder / "pipes.log"),
        }
        if other:
            candidates |= {each: partial(_elsewhere, other, project, matches) for each, project in OTHERS.items()}
        for of, rounds in alternate(candidates, scope.pick(3, 7)).items():
            found.add(of, MOVES, *(moves / seconds for _, moves, seconds in rounds))
            found.add(of, MATCHES, *(played / seconds for played, _, seconds in rounds))
    found.notes.append("fastchess and cutechess: not measured: no registry that is used here has them.")
    found.plots["volume"] = bars(MOVES, [figure for figure in found.figures if figure.what == MOVES])
    return found


def _in_lab(bots: Sequence[str], matches: int, records: Path | None) -> Volume:
    begun = time.process_time()
    results = list(lab.play(bots, lab.terms(GAME, clock="60+1"), matches, 0, records=records))
    return matches, sum(result.moves for result in results), time.process_time() - begun


def _on_pipes(games: Path, log: Path) -> Volume:
    """Play with a process for each bot and one line in each direction; every move is checked and written to a file."""
    recorded = json.loads(games.read_text())["recorded"]
    lengths = [sum(map(len, each["moves"])) for each in recorded]
    with log.open("w") as written:
        costs = [play_on_pipes(find(GAME), *each, written) for each in zip(recorded, lengths, strict=True)]
    return len(recorded), sum(lengths), sum(cost * length for cost, length in zip(costs, lengths, strict=True)) / 1e6


def _elsewhere(other: Beside, project: str, matches: int) -> Volume:
    moves, seconds = other.ask_all(f"{project} {matches}")
    return matches, moves, seconds


MEASUREMENT = Measurement(
    "volume",
    "What do many random matches of chess cost, beside other projects?",
    measure,
    goals=(
        Goal(
            "lab beside PettingZoo",
            "Moves of chess per CPU-second, in units of PettingZoo's environment of chess.",
            1.0,
            lambda found: found.ratio(MOVES, LAB, "PettingZoo chess_v6"),
        ),
    ),
)
