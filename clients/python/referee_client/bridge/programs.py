"""Ways to run a program: start it in its own process group, or connect to one that listens."""

import asyncio
import os
import shlex
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from referee_client.bridge import launch
from referee_client.bridge.line_protocol import LineProtocol
from referee_client.bridge.program_lines import MAX_LINE_BYTES, NewLines, ProgramLines, ProgramUnavailable
from referee_client.bridge.stderr_log import StderrLog

TERMINATION_TIMEOUT_S = 2.0
"""How long a program may take to end after SIGTERM."""
FAREWELL_TIMEOUT_S = 0.5
"""How long a program may take to end after being asked to by its protocol, before SIGTERM."""
PIPE = asyncio.subprocess.PIPE


class RunningProgram(ABC):
    """A program that was started or connected to."""

    lines: ProgramLines

    @abstractmethod
    async def describe_exit(self) -> str:
        """Describe how the program has ended: its name, its status, and its last lines on standard error."""

    @abstractmethod
    async def stop(self) -> None: ...


class Program(ABC):
    """A program that can be started or connected to repeatedly."""

    @abstractmethod
    async def start(self, stderr_log: StderrLog) -> RunningProgram:
        """Start or connect to the program. Raises ProgramUnavailable."""


@dataclass(frozen=True)
class Limits:
    """Resource limits of a program; 0: no limit."""

    cpu_s: int = 0
    memory_bytes: int = 0


@dataclass(frozen=True)
class Command(Program):
    """A command, of which each `start` runs a new process."""

    command: tuple[str, ...]
    limits: Limits = Limits()
    new_lines: NewLines = LineProtocol
    folder: str | None = None
    """Where it runs. None: where the caller does."""
    environment: Mapping[str, str] | None = None
    """None: that of the caller, without the settings of the bot."""

    async def start(self, stderr_log: StderrLog) -> "Process":
        launcher = (sys.executable, "-I", launch.__file__, str(self.limits.cpu_s), str(self.limits.memory_bytes))
        process = await asyncio.create_subprocess_exec(
            *launcher,
            *self.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=MAX_LINE_BYTES,
            cwd=self.folder,
            env=_environment_without_settings() if self.environment is None else self.environment,
            start_new_session=True,
        )
        return Process(process, stderr_log, shlex.join(self.command), self.new_lines)


@dataclass(frozen=True)
class TcpProgram(Program):
    """A program that runs elsewhere and accepts connections."""

    host: str
    port: int
    new_lines: NewLines = LineProtocol

    async def start(self, stderr_log: StderrLog) -> "Connection":
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=MAX_LINE_BYTES)
        except OSError as error:
            raise ProgramUnavailable(f"cannot connect to {self.host}:{self.port}: {error.strerror}") from None
        return Connection(self.new_lines(reader, writer), f"{self.host}:{self.port}")


class Process(RunningProgram):
    """A program that was started by the bridge."""

    def __init__(
        self, process: asyncio.subprocess.Process, stderr_log: StderrLog, command: str, new_lines: NewLines
    ) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process = process
        self._stderr_log = stderr_log
        self._command = command
        self._stderr_reader = asyncio.create_task(stderr_log.read(process.stderr))
        self.lines = new_lines(process.stdout, process.stdin)

    async def describe_exit(self) -> str:
        # The output of a program ends a moment before the program; its children may keep its standard error open.
        exiting = asyncio.create_task(self._process.wait())
        await asyncio.wait([exiting, self._stderr_reader], timeout=TERMINATION_TIMEOUT_S)
        status = _describe_status(self._process.returncode)
        last_lines = [f"  {line}" for line in self._stderr_log.last_lines()]
        return "\n".join([f"`{self._command}`: {self.lines.end_reason}, {status}", *last_lines])

    async def stop(self) -> None:
        """End the program and all other processes of its group."""
        if self.lines.farewell:
            self.lines.send(self.lines.farewell)
            await self.lines.ends_within(FAREWELL_TIMEOUT_S)
        self._signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(TERMINATION_TIMEOUT_S):
                await self._process.wait()
        # Children that are left keep the process group alive; once it is empty, its number is free.
        self._signal(signal.SIGKILL)
        await self._process.wait()
        await self.lines.close()
        await asyncio.wait([self._stderr_reader], timeout=FAREWELL_TIMEOUT_S)
        self._stderr_reader.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


class Connection(RunningProgram):
    """A connection to a program that runs elsewhere."""

    def __init__(self, lines: ProgramLines, address: str) -> None:
        self.lines = lines
        self._address = address

    async def describe_exit(self) -> str:
        return f"{self._address}: {self.lines.end_reason}"

    async def stop(self) -> None:
        self.lines.send(self.lines.farewell)
        await self.lines.close()


def _describe_status(returncode: int | None) -> str:
    if returncode is None:
        return "but is still running"
    return f"exit status {returncode}" if returncode >= 0 else f"ended by signal {-returncode}"


def _environment_without_settings() -> dict[str, str]:
    """Return the environment without the settings of the bot, which include its token."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BOT_")}
