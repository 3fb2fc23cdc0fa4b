"""Starts processes of bots with their environment, token, folder and optional sandbox."""

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from referee.local.bot_process import DIRECTLY, BotProcess, check_program
from referee.local.entrant import Entrant
from referee.local.sandbox import ENVIRONMENT, Sandbox

PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Environment variables that are passed on to every bot, besides LC_*."""


class Launcher:
    """Starts processes of bots for one server."""

    def __init__(self, address: str, folder: Path, out: Path, sandbox: Sandbox | None) -> None:
        """`address` is the server's, `folder` the plan's, and `out` the results folder, which sandboxes hide."""
        self._address = address
        self._folder = folder
        self._out = out
        self._sandbox = sandbox
        self._numbers = count()

    async def start(self, entrant: Entrant, name: str, token: str, max_matches: int) -> BotProcess:
        """Start one instance of a bot, called `name`. Raises OSError if its program does not exist."""
        environment = {
            **passed_on(os.environ, entrant),
            "BOT_REFEREE": self._address,
            "BOT_MAX_MATCHES": str(max_matches),
        }
        folder, command, relayed_to = self._folder / entrant.folder, entrant.command, DIRECTLY
        # A program that listens elsewhere is started by someone else; only our bridge runs here.
        if self._sandbox and not entrant.alone:
            check_program(command[0], folder, environment.get("PATH"))
            port, number = int(self._address.rpartition(":")[2]), next(self._numbers)
            command = self._sandbox.command(command, folder, self._out.resolve(), port, number)
            environment |= ENVIRONMENT
            relayed_to = self._address
        return await BotProcess.start(
            command, environment, folder, logs_in(self._out) / f"{name}.log", token=token, relayed_to=relayed_to
        )


def passed_on(environment: Mapping[str, str], entrant: Entrant) -> dict[str, str]:
    """Return the environment variables that are passed on to a bot."""
    return {
        name: text
        for name, text in environment.items()
        if name in PASSED_ON or name.startswith("LC_") or name in entrant.env
    }


def logs_in(out: Path) -> Path:
    """Return the folder of the bots' log files."""
    return out / "bots"
