"""A bot's process: in a group of its own, what it says kept in a file, ended with all that it started.

Should this process be killed, and so end nothing itself, the bot's guard does it: see docs/decisions/guards.md.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

GENTLY_WITHIN_S = 3.0
"""How long a bot may take to go when it is told to."""
GUARD = 'read word || kill -s KILL -- "-$1"'
"""A script: waits for a word on its standard input. Should that end without one, who was to say it is dead."""
LAST_WORDS_BYTES = 2_000
LAST_LINES = 8


class BotProcess:
    """One run of a bot's program, from `start` to `end`."""

    def __init__(
        self, process: asyncio.subprocess.Process, guard: asyncio.subprocess.Process, said: Path, began_at: int
    ) -> None:
        self._process = process
        self._guard = guard
        self._said = said
        self._began_at = began_at
        """Where its own words begin in the file."""
        self._exiting = asyncio.create_task(self._exit())

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], folder: Path, said: Path
    ) -> "BotProcess":
        """What it writes is added to `said`. Raises OSError if there is no such program."""
        with said.open("ab") as words:
            began_at = words.seek(0, os.SEEK_END)
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                env=dict(environment),
                cwd=folder,
                # Away from the terminal: Ctrl-C there is for the referee, which then ends its bots in good order.
                start_new_session=True,
            )
            return cls(process, await _guard(process.pid), said, began_at)

    @property
    def runs(self) -> bool:
        return self._process.returncode is None

    @property
    def status(self) -> int | None:
        """With which it ended; below 0, by a signal. None: it runs."""
        return self._process.returncode

    def ask_to_go(self) -> None:
        """It, and what it started."""
        self._signal(signal.SIGTERM)

    async def exited(self) -> None:
        """And with it all that it had started."""
        await asyncio.shield(self._exiting)

    async def end(self) -> None:
        """Nothing is left of it."""
        if self.runs:
            self.ask_to_go()
            await asyncio.wait([self._exiting], timeout=GENTLY_WITHIN_S)
        if self.runs:
            self._signal(signal.SIGKILL)
        await self._exiting

    async def _exit(self) -> None:
        await self._process.wait()
        self._signal(signal.SIGKILL)  # At once: later the number may be somebody else's.
        await self._guard.communicate(b"it has gone\n")

    def last_words(self) -> str:
        """How it went, and the last lines of what it wrote."""
        status = self._process.returncode
        how = "it runs" if status is None else f"exit status {status}" if status >= 0 else _by_signal(-status)
        lines = self._tail().decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join([how, *(f"  {''.join(char for char in line if char.isprintable())}" for line in lines)])

    def _tail(self) -> bytes:
        with self._said.open("rb") as words:
            end = words.seek(0, os.SEEK_END)
            words.seek(max(self._began_at, end - LAST_WORDS_BYTES))
            return words.read()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # The whole group has gone.
            os.killpg(self._process.pid, number)


async def _guard(group: int) -> asyncio.subprocess.Process:
    """Whoever kills this process with its own group does not meet the guard: it is in another."""
    return await asyncio.create_subprocess_exec(
        *("sh", "-c", GUARD, "guard", str(group)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )


def _by_signal(number: int) -> str:
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"
