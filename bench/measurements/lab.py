"""The lab beside the bare engine and pyspiel: random games of Alquerque, moves per CPU-second in one run."""

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.beside import Beside, beside
from bench.contract import Playouts
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope, alternate
from engines.registry import find
from referee import lab
from referee.match.match_terms import MatchTerms

GAME = "alquerque"
RATE = "moves per CPU-second"
ENGINE, LAB, RECORDED = "bare engine, texts", "lab", "lab with packed records"
SPIEL, SPIEL_STEPS = "open_spiel checkers", 3000


def measure(scope: Scope) -> Findings:
    found = Findings()
    matches = scope.pick(200, 1000)
    terms = lab.terms(GAME, clock="60+1")
    engine = Playouts(find(GAME), seed=1)
    with beside(("bench/peers/spiel.py",), found) as other, tempfile.TemporaryDirectory() as folder:
        candidates: dict[str, Callable[[], float]] = {
            ENGINE: partial(_engine_rate, engine, matches * 35),
            LAB: partial(_lab_rate, terms, matches, None),
            RECORDED: partial(_lab_rate, terms, matches, Path(folder)),
        }
        if other:
            candidates[SPIEL] = partial(_spiel_rate, other)
        for name, rounds in alternate(candidates, scope.pick(3, 7)).items():
            found.add(name, RATE, *rounds)
    for name in (LAB, RECORDED):
        found.add(name, "share of the bare engine", found.ratio(RATE, name, ENGINE))
    return found


def _engine_rate(engine: Playouts, steps: int) -> float:
    before, begun = engine.steps, time.process_time()
    engine.run(steps)
    return (engine.steps - before) / (time.process_time() - begun)


def _lab_rate(terms: MatchTerms, matches: int, folder: Path | None) -> float:
    """Play in this process, with two bots that draw a legal move, as the playouts of the engine do."""
    records = folder / f"{time.monotonic_ns()}.pack" if folder else None
    begun = time.process_time()
    moves = sum(result.moves for result in lab.play([_draw, _draw], terms, matches, 0, records=records))
    return moves / (time.process_time() - begun)


def _draw(turn: Any) -> str:
    moves: Sequence[str] = turn.legal_moves
    return moves[int(random.random() * len(moves))]


def _spiel_rate(other: Beside) -> float:
    return 1e6 / other.ask(f"checkers fast {SPIEL_STEPS}")


def _share(name: str, share: float) -> Goal:
    return Goal(
        f"{name} beside the bare engine",
        "Moves per CPU-second of random Alquerque, in units of the engine alone with texts of moves.",
        share,
        lambda found: found.ratio(RATE, name, ENGINE),
    )


MEASUREMENT = Measurement(
    "lab",
    "What does a refereed match cost without a server, beside the engine alone?",
    measure,
    goals=(_share(LAB, 0.7), _share(RECORDED, 0.5)),
)
