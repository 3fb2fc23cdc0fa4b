"""Lines to and from one program, with limits on what a faulty program can buffer. A subclass gives them a meaning."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from referee_values import Match, MatchEnded

from referee_client.answers import Answer
from referee_client.turn import Turn

MAX_LINE_BYTES = 1 << 16
"""The longest line that a program may write."""
MAX_EXTRA_BYTES = 1 << 20
"""How much a program may write between two turns that answers none, such as debugging output or empty lines."""
MAX_UNREAD_BYTES = 4 << 20
"""How much output may be buffered for a program that does not read."""


class ProgramUnavailable(Exception):
    """The program has ended, or cannot be reached. `str()` says why."""


class ProgramLines(ABC):
    """The lines to and from one program, from its start to its end."""

    farewell = b""
    """The line that asks the program to end; empty if the end of its input does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """`reader` must have the limit MAX_LINE_BYTES."""
        self._reader = reader
        self._writer = writer
        self._extra_bytes = 0
        self.has_output = False
        """Whether the program has ever written anything."""
        self.end_reason: str = ""
        """Why the program can no longer be used; empty if it can."""
        self._reading = asyncio.create_task(self._read_lines())

    @abstractmethod
    def greet(self) -> None:
        """Begin the conversation."""

    async def wait_until_greeted(self) -> None:  # noqa: B027  # In most protocols, nothing answers the greeting.
        """Wait until the program has answered the greeting. Raises ProgramUnavailable."""

    @abstractmethod
    def start_match(self, match: Match, seat: int) -> None: ...

    @abstractmethod
    async def choose(self, turn: Turn) -> Answer:
        """Send a turn and return the answer. Raises ProgramUnavailable."""

    @abstractmethod
    def end_match(self, end: MatchEnded) -> None: ...

    @abstractmethod
    def _on_line(self, line: str) -> None:
        """Handle a line that is not empty."""

    def _on_empty_line(self, size: int) -> None:
        """Handle an empty line of this many bytes, which has no meaning in most protocols."""
        self._discard(size)

    @abstractmethod
    def _reject_pending(self) -> None:
        """Reject everything that waits for the program, which has ended."""

    def send(self, line: bytes) -> None:
        """Send a line, unless the program has ended."""
        if not self.end_reason:
            self._writer.write(line)
            if self._writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
                self._end("it does not read its input")

    async def ends_within(self, seconds: float) -> bool:
        """Return whether the program has ended within this time."""
        await asyncio.wait([self._reading], timeout=seconds)
        return bool(self.end_reason)

    async def close(self) -> None:
        self._end("it was stopped")
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        self._writer.close()

    async def _read_lines(self) -> None:
        try:
            while line := await self._reader.readline():
                self.has_output = True
                if text := line.decode(errors="replace").strip():
                    self._on_line(text)
                else:
                    self._on_empty_line(len(line))
        except ValueError:
            self.has_output = True
            self._end(f"it wrote a line of more than {MAX_LINE_BYTES} bytes")
        except OSError as error:
            self._end(f"its output cannot be read: {error.strerror}")
        else:
            self._end("it closed its output")

    def _discard(self, size: int) -> None:
        """Count a line of this many bytes that answers no turn, and end the program after too many."""
        self._extra_bytes += size
        if self._extra_bytes > MAX_EXTRA_BYTES:
            self._end(f"it wrote more than {MAX_EXTRA_BYTES} bytes that answer no turn")
            self._reading.cancel()

    def _end(self, reason: str) -> None:
        """Reject what is pending, and accept no more. The first reason is kept."""
        self.end_reason = self.end_reason or reason
        self._reject_pending()


NewLines: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], ProgramLines]
"""Creates the protocol with a program that was started or connected to."""
