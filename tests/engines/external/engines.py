"""Declarations of the engines that tests start."""

import sys
from pathlib import Path

from engines.external.engine_client import Declaration
from engines.external.engine_connection import EngineLimits

PROJECT = Path(__file__).parents[3]
SMALL_ENGINE = Path(__file__).parent / "small_engine.py"
PATIENT = EngineLimits(max_request_ms=120_000, max_start_ms=120_000)
"""Limits that suffice on a busy machine."""


def small_engine(*fault: str, limits: EngineLimits = PATIENT) -> Declaration:
    return Declaration("nim", (sys.executable, "-I", "-S", str(SMALL_ENGINE), *fault), limits=limits)


def served(name: str) -> Declaration:
    """Return the declaration of a game of Python that is served by the protocol."""
    command = (sys.executable, "-m", "tests.engines.external.served_game", name)
    return Declaration(name, command, folder=str(PROJECT), limits=PATIENT)
