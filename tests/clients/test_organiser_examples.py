"""The clients' example of an organiser passes the clauses of the conformance kit for organisers."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.clients.client_builds import ClientBuilder
from tests.clients.languages import CLIENTS, LANGUAGES, Language

pytestmark = pytest.mark.slow


def run_kit(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    """Run the kit with an organiser. Raises AssertionError with its output if a clause fails."""
    kit = [sys.executable, "-m", "referee", "conformance", "--organiser", "--tls", "--patience", "120", "--", *command]
    variables = {**os.environ, **(environment or {})}
    completed = subprocess.run(kit, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout + completed.stderr


@pytest.mark.parametrize("program", ["organise.py", "organise_async.py"])
def test_an_organiser_in_python_passes_the_conformance_kit(program: str) -> None:
    run_kit([sys.executable, f"examples/{program}"], CLIENTS / "python")


@pytest.mark.toolchain
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_an_organiser_in_another_language_passes_the_conformance_kit(
    language: Language, client_builder: ClientBuilder
) -> None:
    client_builder.build(language)
    run_kit(language.organiser, language.folder, language.environment)
