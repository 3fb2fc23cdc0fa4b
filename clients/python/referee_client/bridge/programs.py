"""How a program is reached: started here in a process group of its own, or listening somewhere."""

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
"""How long a program may take to go when it is told to."""
PIPE = asyncio.subprocess.PIPE


class Reached(ABC):
    """A program that runs."""

    talk: Talk

    @abstractmethod
    async def last_words(self) -> str:
        """Of one that is gone: what it was, how it went, and what it wrote last to its standard error."""

    @abstractmethod
    async def end(self) -> None: ...


class Program(ABC):
    """A program that can be reached, again and again."""

    @abstractmethod
    async def reach(self, errors: ErrorsKept) -> Reached:
        """Raises ProgramGone."""


@dataclass(frozen=True)
class Limits:
    """0: none."""

    cpu_s: int = 0
    memory_bytes: int = 0


@dataclass(frozen=True)
class Command(Program):
    """Started for each."""

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
    """It runs elsewhere, and takes connections."""

    host: str
    port: int

    async def reach(self, errors: ErrorsKept) -> "Connection":
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=LINE_BYTES)
        except OSError as error:
            raise ProgramGone(f"nobody listens at {self.host}:{self.port}: {error.strerror}") from None
        return Connection(Talk(reader, writer), f"{self.host}:{self.port}")


class Process(Reached):
    """One that was started here."""

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
        # Its output ends a moment before it does; those that it left behind may keep its standard error open.
        exiting = asyncio.create_task(self._process.wait())
        await asyncio.wait([exiting, self._draining], timeout=GENTLY_WITHIN_S)
        lines = [f"  {line}" for line in self._errors.last_lines()]
        return "\n".join([f"`{self._command}`: {self.talk.gone}, {_status(self._process.returncode)}", *lines])

    async def end(self) -> None:
        """Of it, and of all that it started in its group, nothing is left."""
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(GENTLY_WITHIN_S):
                await self._process.wait()
        # Those that it left behind keep its group; once that is empty, its number is nobody's.
        self._signal(signal.SIGKILL)
        await self._process.wait()
        await self.talk.close()
        self._draining.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


class Connection(Reached):
    """One that listens elsewhere."""

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
    """The program is not the one that the referee knows."""
    return {name: text for name, text in os.environ.items() if not name.startswith("BOT_")}


def reads_from(folder: Path | None) -> ErrorsKept:
    """Raises Misconfigured if there can be no such folder."""
    try:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise Misconfigured(f"standard error cannot be kept in a folder {folder}: {why.strerror}") from None
    return ErrorsKept(folder)
