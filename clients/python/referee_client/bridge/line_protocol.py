"""The bridge's own protocol with one program: turns are JSON objects, and answers are matched with them."""

import asyncio
import logging
from itertools import count

from referee_values import Match, MatchEnded

from referee_client.answers import Answer
from referee_client.bridge.lines import ended_line, hello_line, read_answer, started_line, turn_line
from referee_client.bridge.program_lines import ProgramLines, ProgramUnavailable
from referee_client.turn import Turn

log = logging.getLogger("referee_client.bridge")


class LineProtocol(ProgramLines):
    """Turns and answers as JSON lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, view: bool = False) -> None:
        """`view`: whether each turn contains the position as JSON. `reader` must have the limit MAX_LINE_BYTES."""
        super().__init__(reader, writer)
        self._view = view
        self._numbers = count(1)
        self._pending: dict[int, asyncio.Future[Answer]] = {}
        """Turns without an answer, in order. The program also answers those whose result is no longer needed."""

    def greet(self) -> None:
        self.send(hello_line())

    def start_match(self, match: Match, seat: int) -> None:
        self.send(started_line(match, seat))

    def end_match(self, end: MatchEnded) -> None:
        self.send(ended_line(end))

    async def choose(self, turn: Turn) -> Answer:
        if self.end_reason:
            raise ProgramUnavailable(self.end_reason)
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        self._extra_bytes = 0
        self.send(turn_line(number, turn, self._view))
        return await answer

    def _on_line(self, line: str) -> None:
        received = read_answer(line)
        number = next(iter(self._pending), None) if received.id is None else received.id
        answer = self._pending.pop(number, None) if number else None
        if answer is None:
            if received.id is not None:
                # Used for another turn, it might be a move in the wrong match.
                message = "turn %d is not pending, or already has an answer: this answer is discarded"
                log.warning(message, received.id)
            self._discard(len(line))
        elif not answer.done():
            answer.set_result(received.answer)

    def _reject_pending(self) -> None:
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(ProgramUnavailable(self.end_reason))
        self._pending.clear()
