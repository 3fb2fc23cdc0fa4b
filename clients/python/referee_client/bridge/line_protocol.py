"""Line protocol with one program: sends turns and receives answers, with limits on what a faulty program can buffer."""

import asyncio
import logging
from contextlib import suppress
from itertools import count

from referee_client.answers import Answer
from referee_client.bridge.lines import read_answer, turn_line
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")

MAX_LINE_BYTES = 1 << 16
"""The longest line that a program may write."""
MAX_EXTRA_BYTES = 1 << 20
"""How much a program may write while no turn is pending, such as a greeting or debugging output."""
MAX_UNREAD_BYTES = 4 << 20
"""How much output may be buffered for a program that does not read."""


class ProgramUnavailable(Exception):
    """The program has ended, or cannot be reached. `str()` says why."""


class LineProtocol:
    """The lines to and from one program, from its start to its end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """`reader` must have the limit MAX_LINE_BYTES."""
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._pending: dict[int, asyncio.Future[Answer]] = {}
        """Turns without an answer, in order. The program also answers those whose result is no longer needed."""
        self._extra_bytes = 0
        self.has_output = False
        """Whether the program has ever written anything."""
        self.end_reason: str = ""
        """Why the program can no longer be used; empty if it can."""
        self._reading = asyncio.create_task(self._read_lines())

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer."""
        if not self.end_reason:
            self._writer.write(line)
            if self._writer.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
                self._end("it does not read its input")

    async def choose(self, turn: Turn, view: bool) -> Answer:
        """Send a turn and return the answer. Raises ProgramUnavailable."""
        if self.end_reason:
            raise ProgramUnavailable(self.end_reason)
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        self._extra_bytes = 0
        self.send(turn_line(number, turn, view))
        return await answer

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
                self._on_line(line.decode(errors="replace").strip())
        except ValueError:
            self.has_output = True
            self._end(f"it wrote a line of more than {MAX_LINE_BYTES} bytes")
        except OSError as error:
            self._end(f"its output cannot be read: {error.strerror}")
        else:
            self._end("it closed its output")

    def _on_line(self, line: str) -> None:
        if not line:
            return
        received = read_answer(line)
        number = next(iter(self._pending), None) if received.id is None else received.id
        answer = self._pending.pop(number, None) if number else None
        if answer is None:
            self._discard(line, received.id)
        elif not answer.done():
            answer.set_result(received.answer)

    def _discard(self, line: str, number: int | None) -> None:
        """Discard an answer to a turn that is not pending.

        `number` is the turn that it names. Used for another turn, it might be a move in the wrong match.
        """
        if number is not None:
            log.warning("turn %d is not pending, or already has an answer: this answer is discarded", number)
        self._extra_bytes += len(line)
        if self._extra_bytes > MAX_EXTRA_BYTES:
            self._end(f"it wrote more than {MAX_EXTRA_BYTES} bytes while no turn was pending")
            self._reading.cancel()

    def _end(self, reason: str) -> None:
        """Reject all pending turns, and accept no more. The first reason is kept."""
        self.end_reason = self.end_reason or reason
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(ProgramUnavailable(self.end_reason))
        self._pending.clear()
