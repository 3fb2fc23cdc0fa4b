"""A bot's process: in its own process group, with its output in a log file, stopped with all its descendants.

A supervisor runs between it and this process: see docs/decisions/bot-supervisor.md.
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

from referee.local import supervisor
from referee.local.rotated_log import CHUNK_BYTES, RotatedLog

TAIL_BYTES = 2_000

TERMINATE_TIMEOUT_S = 3.0
"""Time to exit after SIGTERM, before SIGKILL."""
LAST_LINES = 8
SUPERVISED = (sys.executable, "-I", "-S", str(Path(supervisor.__file__)))
DIRECTLY = "-"
"""No relay: the bot has direct network access."""


class BotLogFile:
    """Copies a pipe to a file in a task."""

    def __init__(self, pipe: int, file: Path) -> None:
        """Take ownership of `pipe`, the reading end. Raises OSError if the file cannot be opened."""
        self.tail = b""
        """The end of the output."""
        self._log = RotatedLog(file)
        self._reading = asyncio.create_task(self._read(pipe))

    async def ended(self, within_s: float) -> None:
        """Wait until everything is read, at most `within_s`: an escaped process may keep the pipe open forever."""
        await asyncio.wait([self._reading], timeout=within_s)
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    def add(self, line: bytes) -> None:
        """Add a line of the referee to the file."""
        self._log.append(line)

    async def _read(self, pipe: int) -> None:
        reader = asyncio.StreamReader(CHUNK_BYTES)
        with os.fdopen(pipe, "rb") as opened:
            loop = asyncio.get_running_loop()
            transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), opened)
            try:
                while chunk := await reader.read(CHUNK_BYTES):
                    self.tail = (self.tail + chunk)[-TAIL_BYTES:]
                    await asyncio.sleep(self._log.append(chunk))
            finally:
                transport.close()


class BotProcess:
    """One run of a bot's program, from `start` to `end`."""

    def __init__(self, process: asyncio.subprocess.Process, log: BotLogFile) -> None:
        self._process = process
        """The supervisor, which exits with the status of the bot."""
        self._log = log
        self._stopped = False
        self._exiting = asyncio.create_task(self._exit())

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        log_file: Path,
        *,
        token: str = "",
        relayed_to: str = DIRECTLY,
    ) -> "BotProcess":
        """Start a program that appends its output to `log_file`, with the token in a pipe named by BOT_TOKEN_FILE.

        `relayed_to` is the address that a sandboxed bot is relayed to. Raises OSError if there is no such program.
        """
        check_program(command[0], folder, environment.get("PATH"))
        reading, writing = os.pipe()
        log = BotLogFile(reading, log_file)
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
                # Detach from the terminal: Ctrl-C goes to the referee only, which then stops its bots.
                start_new_session=True,
            )
        finally:
            for fd in (writing, *tokens):
                os.close(fd)
        return cls(process, log)

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    @property
    def status(self) -> int | None:
        """Exit status; negative for a signal, None while it is running."""
        return self._process.returncode

    def terminate(self) -> None:
        """Send SIGTERM to the bot and its descendants."""
        self._stopped = True
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def wait(self) -> None:
        """Wait until the bot and all its descendants have exited."""
        await asyncio.shield(self._exiting)

    async def end(self) -> None:
        """Stop the bot and all its descendants: SIGTERM, then SIGKILL after a timeout."""
        if self.is_running:
            self.terminate()
            await asyncio.wait([self._exiting], timeout=TERMINATE_TIMEOUT_S)
        if self._process.stdin:
            self._process.stdin.close()  # The supervisor kills it.
        await self._exiting

    async def _exit(self) -> None:
        await self._process.wait()
        await self._log.ended(TERMINATE_TIMEOUT_S)
        if self._process.returncode and not self._stopped:
            self._log.add(f"the process has ended: {self._status_text()}\n".encode())

    def exit_summary(self) -> str:
        """Return the exit status and the last lines of output."""
        lines = self._log.tail.decode(errors="replace").splitlines()[-LAST_LINES:]
        printable = [f"  {''.join(char for char in line if char.isprintable())}" for line in lines]
        return "\n".join([self._status_text(), *printable])

    def _status_text(self) -> str:
        status = self._process.returncode
        return "it is running" if status is None else f"exit status {status}" if status >= 0 else _by_signal(-status)


def check_program(program: str, folder: Path, path: str | None) -> None:
    """Raise OSError if the program does not exist or is not executable."""
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder} to run it in", program)
    place = str(folder / program) if "/" in program else program
    if shutil.which(place, path=path) is None:
        if Path(place).is_file() and "/" in program:
            raise PermissionError(errno.EACCES, f"not executable; `chmod +x {program}` makes it so", program)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


def _pipe_with(text: str) -> int:
    """Return the reading end of a pipe that contains the text, which can be read only once."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        pipe.write(text)
    return reading


def _by_signal(number: int) -> str:
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"
