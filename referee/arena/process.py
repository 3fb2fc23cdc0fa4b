"""A bot's process: in a group of its own, what it says kept in a file, ended with all that it started.

A supervisor runs between it and this process: see docs/decisions/guards.md.
"""

import asyncio
import errno
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from referee.arena import supervisor
from referee.arena.bot_log import BotLog

GENTLY_WITHIN_S = 3.0
"""How long a bot may take to go when it is told to."""
LAST_LINES = 8
SUPERVISED = (sys.executable, "-I", "-S", str(Path(supervisor.__file__)))
DIRECTLY = "-"
"""No relay: the bot reaches the network by itself."""


class BotProcess:
    """One run of a bot's program, from `start` to `end`."""

    def __init__(self, process: asyncio.subprocess.Process, log: BotLog) -> None:
        self._process = process
        """The supervisor, which ends as the bot does."""
        self._log = log
        self._exiting = asyncio.create_task(self._exit())

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        said: Path,
        *,
        token: str = "",
        relayed_to: str = DIRECTLY,
    ) -> "BotProcess":
        """What it writes is added to `said`. A token is handed over by a pipe, which BOT_TOKEN_FILE names.

        `relayed_to`: where its sandbox's way to the referee leads. Raises OSError if there is no such program.
        """
        check_program(command[0], folder, environment.get("PATH"))
        reading, writing = os.pipe()
        log = BotLog(reading, said)
        tokens = [_pipe_with(token)] if token else []
        named = {"BOT_TOKEN_FILE": f"/dev/fd/{tokens[0]}"} if tokens else {}
        try:
            process = await asyncio.create_subprocess_exec(
                *SUPERVISED,
                relayed_to,
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=writing,
                stderr=writing,
                env={**environment, **named},
                cwd=folder,
                pass_fds=tokens,
                # Away from the terminal: Ctrl-C there is for the referee, which then ends its bots in good order.
                start_new_session=True,
            )
        finally:
            for fd in (writing, *tokens):
                os.close(fd)
        return cls(process, log)

    @property
    def runs(self) -> bool:
        return self._process.returncode is None

    @property
    def status(self) -> int | None:
        """With which it ended; below 0, by a signal. None: it runs."""
        return self._process.returncode

    def ask_to_go(self) -> None:
        """It, and what it started."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def exited(self) -> None:
        """And with it all that it had started."""
        await asyncio.shield(self._exiting)

    async def end(self) -> None:
        """Nothing is left of it."""
        if self.runs:
            self.ask_to_go()
            await asyncio.wait([self._exiting], timeout=GENTLY_WITHIN_S)
        if self._process.stdin:
            self._process.stdin.close()  # The supervisor kills it.
        await self._exiting

    async def _exit(self) -> None:
        await self._process.wait()
        await self._log.ended(GENTLY_WITHIN_S)

    def last_words(self) -> str:
        """How it went, and the last lines of what it wrote."""
        status = self._process.returncode
        how = "it runs" if status is None else f"exit status {status}" if status >= 0 else _by_signal(-status)
        lines = self._log.tail.decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join([how, *(f"  {''.join(char for char in line if char.isprintable())}" for line in lines)])


def check_program(program: str, folder: Path, path: str | None) -> None:
    """Raises OSError, which says so, if there is none of that name or it may not be executed."""
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder} to run it in", program)
    place = str(folder / program) if "/" in program else program
    if shutil.which(place, path=path) is None:
        if Path(place).is_file() and "/" in program:
            raise PermissionError(errno.EACCES, f"not executable; `chmod +x {program}` makes it so", program)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


def _pipe_with(text: str) -> int:
    """The reading end of a pipe that holds it. Whoever reads it is the only one who ever does."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        pipe.write(text)
    return reading


def _by_signal(number: int) -> str:
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"
