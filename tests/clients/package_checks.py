"""What the tests of every package check with the bot of its README and with a program of an organiser."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from referee_client.results import outcome, reason

from tests.clients.commands import run_command
from tests.clients.sdk import connect_organiser, long_match, run_program
from tests.e2e.server import create_organiser_token, run_server


def play_match(
    command: Sequence[str],
    folder: Path,
    *expected: str,
    environment: Mapping[str, str] | None = None,
    exit_status: int = 0,
) -> None:
    """Let a bot play both seats of a match, wait until it has written the expected texts, and end it with SIGTERM."""
    with run_server(folder, "--ephemeral") as server, connect_organiser(server) as organiser:
        secret = organiser.register_bot("anna")
        with run_program(command, server, secret, folder, **(environment or {})) as program:
            match = organiser.create_match(long_match("alquerque"), ("anna", "anna"))
            assert organiser.result(match.id).played
            for text in expected:
                program.wait_for(text)
            assert program.stop() == exit_status, program.output()


def agree_on_a_draw(
    command: Sequence[str], folder: Path, data: Path, environment: Mapping[str, str] | None = None
) -> list[str]:
    """Let a program play both seats of a match in which it agrees on a draw, and return the lines that it prints.

    It runs in the folder, and must end by itself with status 0 after the match.
    """
    with run_server(data, "--ephemeral") as server, connect_organiser(server) as organiser:
        settings = {"BOT_REFEREE": server.address, "BOT_TOKEN": organiser.register_bot("anna"), **(environment or {})}
        with subprocess.Popen(
            command, cwd=folder, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True
        ) as program:
            match = organiser.create_match(long_match("alquerque"), ("anna", "anna"))
            result = organiser.result(match.id)
            output, _ = program.communicate()
    assert (outcome(result), reason(result)) == ("played", "draw_agreed")
    assert program.returncode == 0
    return output.splitlines()


def pass_conformance_kit(command: Sequence[str], *options: str, **variables: str) -> None:
    """Let a bot, or an organiser with the option for it, pass the conformance kit."""
    kit = [sys.executable, "-m", "referee", "conformance", *options, "--patience", "120", "--", *command]
    run_command(kit, Path.cwd(), **variables)


def run_organiser(command: Sequence[str], folder: Path, data: Path) -> list[str]:
    """Run a program of an organiser in the folder, with a server of its own, and return the lines that it prints."""
    with ExitStack() as stack:
        server = stack.enter_context(run_server(data, "--ephemeral"))
        token = create_organiser_token(stack.enter_context(server.channel()), server.admin_token)
        return run_command(command, folder, BOT_REFEREE=server.address, BOT_TOKEN=token).splitlines()
