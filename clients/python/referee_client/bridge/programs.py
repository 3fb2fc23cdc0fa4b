"""Ways to reach a program: start it in its own process group, or connect to one that listens."""

import asyncio
import os
import shlex
import signal
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from referee_client.bridge import launch
from referee_client.bridge.errors_kept import ErrorsKept
from referee_client.bridge.talk import LINE_BYTES, ProgramGone, Talk
from referee_client.errors import Misconfigured

GENTLY_WITHIN_S = 2.0
"""How long a program may take to end after SIGTERM."""
PIPE = asyncio.subprocess.PIPE


class Reached(ABC):
    """A running program."""

    talk: Talk

    @abstractmethod
    async def last_words(self) -> str:
        """Describe how a program has ended: which one, its status, and its last lines on standard error."""

    @abstractmethod
    async def end(self) -> None: ...


class Program(ABC):
    """A program that can be started or connected to repeatedly."""

    @abstractmethod
    async def reach(self, errors: ErrorsKept) -> Reached:
        """Start or connect to the program. Raises ProgramGone."""


@dataclass(frozen=True)
class Limits:
    """Resource limits of a program; 0: no limit."""

    cpu_s: int = 0
    memory_bytes: int = 0


@dataclass(frozen=True)
class Command(Program):
    """A command that is started anew for each `reach`."""

    command: tuple[str, ...]
    limits: Limits = Limits()

    async def reach(self, errors: ErrorsKept) -> "Process":
        launched = (sys.executable, "-I", launch.__file__, str(self.limits.cpu_s), str(self.limits.memory_bytes))
        process = await asyncio.create_subprocess_exec(
            *launched,
            *self.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=LINE_BYTES,
            env=_without_secrets(),
            start_new_session=True,
        )
        return Process(process, errors, shlex.join(self.command))


@dataclass(frozen=True)
class Listening(Program):
    """A program that runs elsewhere and accepts connections."""

    host: str
    port: int

    async def reach(self, errors: ErrorsKept) -> "Connection":
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=LINE_BYTES)
        except OSError as error:
            raise ProgramGone(f"nobody listens at {self.host}:{self.port}: {error.strerror}") from None
        return Connection(Talk(reader, writer), f"{self.host}:{self.port}")


class Process(Reached):
    """A program that was started by the bridge."""

    def __init__(self, process: asyncio.subprocess.Process, errors: ErrorsKept, command: str) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process = process
        self._errors = errors
        self._command = command
        self._draining = asyncio.create_task(errors.drain(process.stderr))
        self.talk = Talk(process.stdout, process.stdin)

    async def last_words(self) -> str:
        # The output of a program ends a moment before the program; its children may keep its standard error open.
        exiting = asyncio.create_task(self._process.wait())
        await asyncio.wait([exiting, self._draining], timeout=GENTLY_WITHIN_S)
        lines = [f"  {line}" for line in self._errors.last_lines()]
        return "\n".join([f"`{self._command}`: {self.talk.gone}, {_status(self._process.returncode)}", *lines])

    async def end(self) -> None:
        """End the program and all other processes of its group."""
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(GENTLY_WITHIN_S):
                await self._process.wait()
        # Children that are left keep the process group alive; once it is empty, its number is free.
        self._signal(signal.SIGKILL)
        await self._process.wait()
        await self.talk.close()
        self._draining.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


class Connection(Reached):
    """A connection to a program that runs elsewhere."""

    def __init__(self, talk: Talk, address: str) -> None:
        self.talk = talk
        self._address = address

    async def last_words(self) -> str:
        return f"{self._address}: {self.talk.gone}"

    async def end(self) -> None:
        await self.talk.close()


def _status(returncode: int | None) -> str:
    if returncode is None:
        return "and runs on"
    return f"exit status {returncode}" if returncode >= 0 else f"ended by signal {-returncode}"


def _without_secrets() -> dict[str, str]:
    """Return the environment without the settings of the bot, which are not for the program."""
    return {name: text for name, text in os.environ.items() if not name.startswith("BOT_")}


def reads_from(folder: Path | None) -> ErrorsKept:
    """Return the keeper of standard error for this folder. Raises Misconfigured if the folder cannot be created."""
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise Misconfigured(f"standard error cannot be kept in a folder {folder}: {why.strerror}") from None
    return ErrorsKept(folder)
