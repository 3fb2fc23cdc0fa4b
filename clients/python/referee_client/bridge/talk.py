"""The talk with one program: turns out, answers in, nothing that grows with what a broken program does."""

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
"""How much a program may write between two turns: for a greeting, or for what it thinks aloud."""
UNREAD_BYTES = 4 << 20
"""How much may wait for a program that does not read."""


class ProgramGone(Exception):
    """It cannot be talked to any more. `str()` says why."""


class Talk:
    """With one program, from its start to its end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The reader's limit is LINE_BYTES."""
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._owed: dict[int, asyncio.Future[Answer]] = {}
        """Turns that it has not answered, in order. It answers those, too, that nobody waits for any more."""
        self._unasked = 0
        self.heard = False
        """It has written something, whatever that was."""
        self.gone: str = ""
        """Why it cannot be talked to any more; empty: it can."""
        self._listening = asyncio.create_task(self._listen())

    def tell(self, line: bytes) -> None:
        """Something that asks for nothing."""
        if not self.gone:
            self._writer.write(line)
            if self._writer.transport.get_write_buffer_size() > UNREAD_BYTES:
                self._give_up("it does not read what it is told")

    async def ask(self, turn: Turn, view: bool) -> Answer:
        """Raises ProgramGone."""
        if self.gone:
            raise ProgramGone(self.gone)
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._owed[number] = answer
        self._unasked = 0
        self.tell(turn_line(number, turn, view))
        return await answer

    async def goes_within(self, seconds: float) -> bool:
        """Is it gone by then?"""
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
        """`number`: the turn that it names. Taken for another, it might be a move in the wrong match."""
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
