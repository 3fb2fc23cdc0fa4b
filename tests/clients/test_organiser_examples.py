"""The clients' example of an organiser passes the conformance kit for organisers, and runs a match on a server."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from referee_client import Organiser

from tests.clients.client_builds import ClientBuilder
from tests.clients.commands import run_command
from tests.clients.languages import CLIENTS, LANGUAGES, Language
from tests.clients.sdk import run_bot
from tests.e2e.server import create_organiser_token, run_server

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


@pytest.mark.toolchain
@pytest.mark.parametrize("name", ["go", "rust"])
def test_an_organiser_runs_a_match_on_a_server(name: str, client_builder: ClientBuilder, tmp_path: Path) -> None:
    [language] = (language for language in LANGUAGES if language.name == name)
    client_builder.build(language)
    with run_server(tmp_path, "--ephemeral") as server, ExitStack() as stack:
        token = create_organiser_token(stack.enter_context(server.channel()), server.admin_token)
        organiser = stack.enter_context(Organiser(server.address, token))
        for bot in ("anna", "bert"):
            stack.enter_context(run_bot(server, organiser.register_bot(bot), "random"))
        settings = {"BOT_REFEREE": server.address, "BOT_TOKEN": token, **language.environment}
        *entries, result, record = run_command(list(language.organiser), language.folder, **settings).splitlines()
    assert entries == [f"entry {number}" for number in range(1, len(entries) + 1)]
    assert result == "result played"
    assert int(record.removeprefix("record ")) >= len(entries) > 10
