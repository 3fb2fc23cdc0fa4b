"""Starts the processes of bots: their environment, token and folder and, if the plan wants one, their sandbox."""

import os
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from referee.arena.entrant import Entrant
from referee.arena.process import DIRECTLY, BotProcess, check_program
from referee.arena.sandbox import ENVIRONMENT, Sandbox

PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Variables of the operator's environment that every bot gets, beside LC_*."""


class Launcher:
    def __init__(self, address: str, folder: Path, out: Path, sandbox: Sandbox | None) -> None:
        """`address`: the referee's; `folder`: that of the plan; `out`: where everything is kept, unseen by bots."""
        self._address = address
        self._folder = folder
        self._out = out
        self._sandbox = sandbox
        self._numbers = count()

    async def start(self, entrant: Entrant, name: str, token: str, matches_at_most: int) -> BotProcess:
        """Start one process of a bot, called `name`. Raises OSError, which names its program, if there is none."""
        environment = {
            **passed_on(os.environ, entrant),
            "BOT_REFEREE": self._address,
            "BOT_MATCHES_AT_MOST": str(matches_at_most),
        }
        folder, command, relayed_to = self._folder / entrant.folder, entrant.command, DIRECTLY
        # A program that listens elsewhere has been started by somebody else; what is run here is only our bridge to it.
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
    """What a bot gets of the operator's environment: a few plain variables, and what the plan names for it."""
    return {
        name: text
        for name, text in environment.items()
        if name in PASSED_ON or name.startswith("LC_") or name in entrant.env
    }


def logs_in(out: Path) -> Path:
    """The folder in `out` where what bots write is kept."""
    return out / "bots"
