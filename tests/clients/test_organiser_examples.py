"""The clients' example of an organiser passes the conformance kit for organisers, and runs a match on a server."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.clients.client_builds import ClientBuilder
from tests.clients.commands import run_command
from tests.clients.languages import CLIENTS, LANGUAGES, Language
from tests.clients.sdk import connect_organiser, run_bot
from tests.e2e.server import create_organiser_token, run_server

pytestmark = pytest.mark.slow

OVER_STUBS = [language for language in LANGUAGES if language.name != "typescript"]
"""Clients whose organisers make calls of the generated stubs."""


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


@pytest.mark.toolchain
@pytest.mark.parametrize("language", OVER_STUBS, ids=lambda language: language.name)
def test_an_organiser_creates_a_match_on_a_real_server_and_watches_it(
    language: Language, client_builder: ClientBuilder, tmp_path: Path
) -> None:
    client_builder.build(language)
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path, "--ephemeral"))
        with server.channel() as channel:
            token = create_organiser_token(channel, server.admin_token)
        organiser = stack.enter_context(connect_organiser(server, token))
        for name in ("anna", "bert"):
            stack.enter_context(run_bot(server, organiser.register_bot(name), "random"))
        variables = {"BOT_REFEREE": server.address, "BOT_TOKEN": token, **language.environment}
        lines = run_command(language.organiser, language.folder, **variables).splitlines()
    *entries, result, record = lines
    assert entries == [f"entry {number}" for number in range(1, len(entries) + 1)]
    # Its clocks are real ones: on a busy machine, a bot may lose on time.
    assert result in {"result played", "result forfeited"}
    assert int(record.removeprefix("record ")) > len(entries) > 2
