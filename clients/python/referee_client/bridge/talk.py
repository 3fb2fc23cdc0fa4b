"""Conversation with one program: sends turns and receives answers, with limits on what a broken program can buffer."""

import asyncio
import logging
from contextlib import suppress
from itertools import count

from referee_client.answers import Answer
from referee_client.bridge.lines import read_answer, turn_line
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")

LINE_BYTES = 1 << 16
"""The longest line that a program may write."""
UNASKED_BYTES = 1 << 20
"""How much a program may write between two turns, such as a greeting or debugging output."""
UNREAD_BYTES = 4 << 20
"""How much output may be buffered for a program that does not read."""


class ProgramGone(Exception):
    """The program can no longer be reached. `str()` says why."""


class Talk:
    """Conversation with one program, from its start to its end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """`reader` must have the limit LINE_BYTES."""
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._owed: dict[int, asyncio.Future[Answer]] = {}
        """Turns without an answer, in order. The program also answers those whose result is no longer needed."""
        self._unasked = 0
        self.heard = False
        """Whether the program has ever written anything."""
        self.gone: str = ""
        """Why the program can no longer be reached; empty if it can."""
        self._listening = asyncio.create_task(self._listen())

    def tell(self, line: bytes) -> None:
        """Send a line that needs no answer."""
        if not self.gone:
            self._writer.write(line)
            if self._writer.transport.get_write_buffer_size() > UNREAD_BYTES:
                self._give_up("it does not read what it is told")

    async def ask(self, turn: Turn, view: bool) -> Answer:
        """Send a turn and return the answer. Raises ProgramGone."""
        if self.gone:
            raise ProgramGone(self.gone)
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._owed[number] = answer
        self._unasked = 0
        self.tell(turn_line(number, turn, view))
        return await answer

    async def goes_within(self, seconds: float) -> bool:
        """Return whether the program has ended within this time."""
        await asyncio.wait([self._listening], timeout=seconds)
        return bool(self.gone)

    async def close(self) -> None:
        self._give_up("it was ended")
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        self._writer.close()

    async def _listen(self) -> None:
        try:
            while line := await self._reader.readline():
                self.heard = True
                self._hear(line.decode(errors="replace").strip())
        except ValueError:
            self.heard = True
            self._give_up(f"it wrote a line of more than {LINE_BYTES} bytes")
        except OSError as error:
            self._give_up(f"it broke off: {error.strerror}")
        else:
            self._give_up("it ended its output")

    def _hear(self, line: str) -> None:
        if not line:
            return
        said = read_answer(line)
        number = next(iter(self._owed), None) if said.id is None else said.id
        answer = self._owed.pop(number, None) if number else None
        if answer is None:
            self._drop(line, said.id)
        elif not answer.done():
            answer.set_result(said.answer)

    def _drop(self, line: str, number: int | None) -> None:
        """Drop an answer to a turn that is not open.

        `number` is the turn that it names. Used for another turn, it might be a move in the wrong match.
        """
        if number is not None:
            log.warning("turn %d is not asked, or has its answer: this one is dropped", number)
        self._unasked += len(line)
        if self._unasked > UNASKED_BYTES:
            self._give_up(f"it wrote more than {UNASKED_BYTES} bytes unasked")
            self._listening.cancel()

    def _give_up(self, why: str) -> None:
        self.gone = self.gone or why
        for answer in self._owed.values():
            if not answer.done():
                answer.set_exception(ProgramGone(self.gone))
        self._owed.clear()
