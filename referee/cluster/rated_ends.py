"""Ends of rated matches that run on this node: the coordinator stores them, together with the changes of ratings.

An end waits while there is no coordinator, and the next one is asked as well. Asking twice does no harm, because the
log of a match accepts each number once.
"""

import asyncio
from collections.abc import Callable
from itertools import count

from msgspec import Struct

from referee.cluster.messages import CONFLICT, STORED, EndRated, EndStored
from referee.live.ports import Append, Conflict, Entry, EventLog, StoreUnavailable, Time
from referee.match.clock import SECOND, Micros
from referee.storage.codec import MATCH_CODEC, encode_request

STORE_TIMEOUT_US: Micros = 15 * SECOND
"""How long an end waits for a coordinator, which is elected in less. Then its match is suspended."""
RETRY_US: Micros = SECOND
"""Delay before a coordinator that could not store an end is asked again."""

CLOSED = "this node is shutting down"
NO_COORDINATOR = "the coordinator of the cluster cannot be reached"


class _WaitingEnd(Struct, eq=False):
    request: EndRated
    stored: "asyncio.Future[None]"
    problem: str = NO_COORDINATOR
    """Why it is not stored yet."""

    def fail(self, error: Exception) -> None:
        if not self.stored.done():
            self.stored.set_exception(error)


class RemoteRatedEnds:
    def __init__(self, log: EventLog, time: Time) -> None:
        self._log = log
        self._time = time
        self._send: Callable[[EndRated], None] | None = None
        """Sends a request to the coordinator. None: it cannot be reached."""
        self._closed = False
        self._numbers = count(1)
        self._waiting: dict[int, _WaitingEnd] = {}
        """By number of the request."""

    def connect(self, send: Callable[[EndRated], None]) -> None:
        """Ask a coordinator that can be reached from now on."""
        self._send = send
        for waiting in self._waiting.values():
            send(waiting.request)

    def disconnect(self) -> None:
        self._send = None

    def decide_again(self) -> None:
        """Let the matches decide their ends again, because this node is the coordinator now and stores them itself."""
        for waiting in self._waiting.values():
            waiting.fail(Conflict(waiting.request.match_id, waiting.request.after, waiting.request.after))

    def close(self) -> None:
        """Let no match wait any longer."""
        self._closed = True
        for waiting in self._waiting.values():
            waiting.fail(StoreUnavailable(CLOSED))

    async def store(self, append: Append) -> list[Entry]:
        """Let the coordinator store the end of a rated match; return its entries.

        Raises Conflict or StoreUnavailable.
        """
        if self._closed:
            raise StoreUnavailable(CLOSED)
        number = next(self._numbers)
        request = EndRated(
            number,
            append.match_id,
            append.after,
            tuple(map(MATCH_CODEC.encode, append.events)),
            encode_request(append.request) if append.request else "",
        )
        waiting = self._waiting[number] = _WaitingEnd(request, asyncio.get_running_loop().create_future())
        give_up_us = self._time.monotonic_us() + STORE_TIMEOUT_US
        timer = self._time.call_at(give_up_us, lambda: waiting.fail(StoreUnavailable(waiting.problem)))
        try:
            if self._send:
                self._send(request)
            await waiting.stored
        finally:
            timer.cancel()
            del self._waiting[number]
        return await self._log.read(append.match_id, append.after)

    def handle(self, answer: EndStored) -> None:
        """Handle the answer of the coordinator."""
        waiting = self._waiting.get(answer.request_no)
        if waiting is None or waiting.stored.done():
            return
        if answer.outcome == STORED:
            waiting.stored.set_result(None)
        elif answer.outcome == CONFLICT:
            waiting.fail(Conflict(waiting.request.match_id, waiting.request.after, answer.last))
        else:
            waiting.problem = answer.why
            self._time.call_at(self._time.monotonic_us() + RETRY_US, lambda: self._ask_again(answer.request_no))

    def _ask_again(self, number: int) -> None:
        if self._send and number in self._waiting:
            self._send(self._waiting[number].request)
