"""A connection to an engine: the pipes of a child process, or a socket. One line out, one line in, within limits.

The process has a session of its own, so that Ctrl-C does not reach it, and all that it has started is killed with it.
It ends when its standard input ends. `subprocess` starts it: other ways run Python code in the child after the fork,
which next to the threads of gRPC sometimes fails.
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

MAX_LINE_BYTES = 4 << 20
"""Limit of an answer."""
KEPT_ERROR_BYTES = 4096
"""How much of the end of standard error is kept for messages."""
READ_BYTES = 1 << 16
MAX_READS_AT_END = 64
EXIT_TIMEOUT_S = 1.0
"""Time for a process to end by itself after it has closed its output."""


@dataclass(frozen=True)
class EngineLimits:
    """Limits of one engine, which the host may change in the declaration of the game."""

    max_request_ms: int = 1_000
    """Time for an answer. The engine is killed after it."""
    max_start_ms: int = 10_000
    """Time for the first answer of a new process, or for a connection."""
    max_memory_mb: int = 2_048
    """Memory that the process may allocate, where the system can limit it (Linux)."""


class EngineEnded(Exception):
    """The engine has ended or closed its connection, or cannot be started. Another one may answer."""


class BrokenEngine(Exception):
    """The engine is too slow, or does not follow the protocol."""


class EngineConnection:
    """Open files to and from an engine. Not thread-safe."""

    def __init__(self, writes: int, reads: int, errors: int | None) -> None:
        """`errors` is its standard error; None: there is none. `writes` and `reads` may be the same socket."""
        self._files = {writes, reads} | ({errors} if errors is not None else set())
        self._writes, self._reads, self._errors = writes, reads, errors
        self._kept = b""
        self._selector = selectors.DefaultSelector()
        for file in self._files:
            os.set_blocking(file, False)
        for file in self._files - ({writes} - {reads}):
            self._selector.register(file, selectors.EVENT_READ)

    def exchange(self, line: bytes, max_s: float) -> bytes:
        """Write a line, and return the line that is read after it, without its end.

        Raises BrokenEngine or EngineEnded; then the connection cannot be used again.
        """
        until_s, answer = time.monotonic() + max_s, bytearray()
        rest = self._write(memoryview(line))
        while not answer.endswith(b"\n"):
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                raise BrokenEngine(f"no answer within {round(max_s * 1000)} ms")
            if rest:
                rest = self._write_more(rest, left_s)
            for key, _ in self._selector.select(left_s) if not rest else self._selector.select(0):
                if key.fd == self._reads:
                    answer += self._read()
                    _check_line(answer)
                elif not self._read_errors():
                    self._selector.unregister(key.fd)
        if rest:
            raise BrokenEngine("it answers before it has read the request")
        return bytes(answer[:-1])

    def close(self, ending: bool = False) -> tuple[str, str]:
        """Close everything; `ending`: the engine is about to end by itself.

        Return how a process ended, as words, and the end of what it has written to standard error.
        """
        ended = self._stop(ending)
        for _ in range(MAX_READS_AT_END):
            if self._errors is None or not self._read_errors():
                break
        self.close_files()
        return ended, self._kept.decode(errors="replace").strip()

    def _stop(self, ending: bool) -> str:
        return ""

    def close_files(self) -> None:
        """Close all files of this process, and leave the engine alone."""
        self._selector.close()
        for file in self._files:
            os.close(file)

    def _write(self, rest: memoryview) -> memoryview:
        """Write what can be written now, and return what is left."""
        try:
            return rest[os.write(self._writes, rest) :]
        except BlockingIOError:
            return rest
        except OSError as error:
            raise EngineEnded(f"it does not read the request: {error.strerror}") from None

    def _write_more(self, rest: memoryview, max_s: float) -> memoryview:
        """Wait until the engine reads or writes something, and write on."""
        with selectors.DefaultSelector() as either:
            for file in self._files - {self._writes}:
                either.register(file, selectors.EVENT_READ)
            both = selectors.EVENT_WRITE | (selectors.EVENT_READ if self._writes == self._reads else 0)
            either.register(self._writes, both)
            either.select(max_s)
        return self._write(rest)

    def _read(self) -> bytes:
        try:
            read = os.read(self._reads, READ_BYTES)
        except OSError as error:
            raise EngineEnded(f"its answer cannot be read: {error.strerror}") from None
        if not read:
            raise EngineEnded("it has ended without an answer")
        return read

    def _read_errors(self) -> bool:
        """Read standard error once; return whether there may be more."""
        assert self._errors is not None
        try:
            read = os.read(self._errors, READ_BYTES)
        except OSError:
            return False
        self._kept = (self._kept + read)[-KEPT_ERROR_BYTES:]
        return bool(read)


class EngineProcess(EngineConnection):
    """A child process that reads requests from standard input and writes answers to standard output."""

    def __init__(self, command: Sequence[str], folder: str, max_memory_mb: int) -> None:
        """Start the program in the folder. Raises EngineEnded if that is impossible."""
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise EngineEnded(f"it cannot be started: {error}") from None
        _limit_memory(self._process.pid, max_memory_mb)
        files = (self._process.stdin, self._process.stdout, self._process.stderr)
        writes, reads, errors = (os.dup(file.fileno()) for file in filter(None, files))
        for file in filter(None, files):
            file.close()
        super().__init__(writes, reads, errors)

    def _stop(self, ending: bool) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_TIMEOUT_S if ending else 0)
        with suppress(ProcessLookupError, PermissionError):  # Nothing is left that it has started.
            os.killpg(self._process.pid, signal.SIGKILL)
        status = self._process.wait()
        return f"exit status {status}" if status >= 0 else f"signal {-status}"


class EngineSocket(EngineConnection):
    """A connection to an engine that somebody else runs, at HOST:PORT or unix:PATH."""

    def __init__(self, address: str, max_s: float) -> None:
        """Connect. Raises EngineEnded if that is impossible."""
        try:
            if address.startswith("unix:"):
                connected = _connect_unix(address.removeprefix("unix:"), max_s)
            else:
                host, _, port = address.rpartition(":")
                connected = socket.create_connection((host.strip("[]"), int(port)), max_s)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise EngineEnded(f"cannot connect to {address}: {error}") from None
        file = connected.detach()
        super().__init__(file, file, None)


def _connect_unix(path: str, max_s: float) -> socket.socket:
    connected = socket.socket(socket.AF_UNIX)
    connected.settimeout(max_s)
    try:
        connected.connect(path)
    except OSError:
        connected.close()
        raise
    return connected


def _check_line(answer: bytearray) -> None:
    end = answer.find(b"\n")
    if 0 <= end < len(answer) - 1:
        raise BrokenEngine("it writes more than one line")
    if len(answer) > MAX_LINE_BYTES:
        raise BrokenEngine(f"its answer has more than {MAX_LINE_BYTES} bytes")


def _limit_memory(process: int, max_memory_mb: int) -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - other systems have none.

        with suppress(OSError):  # It has ended already.
            resource.prlimit(process, resource.RLIMIT_DATA, (max_memory_mb << 20, max_memory_mb << 20))
