"""Watch of a log from a given number on: every entry once and in order, even if connections break."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Generic, TypeVar

import grpc
from referee_api.conversion import to_value
from referee_values import Entry, LadderEntry, TournamentEntry

from referee_client.errors import call_error
from referee_client.organiser.calls import UNREACHABLE_CODES, Calls, Retries

INTERRUPTIONS = UNREACHABLE_CODES | {
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
"""Status codes after which a watch continues. Proxies end streams with INTERNAL or UNKNOWN when a connection breaks."""


EntryT = TypeVar("EntryT", bound=Entry | LadderEntry | TournamentEntry)


class AsyncWatch(Generic[EntryT]):
    """Asynchronous iterator over the entries after a number, until the log is complete.

    Raises Refused or Unreachable. If waiting for an entry is cancelled, for example by a timeout, the next attempt
    continues with the same entry.
    """

    def __init__(self, kind: type[EntryT], calls: Calls, method: Callable[..., Any], request: Any, after: int) -> None:
        """`method` opens a stream of `request`, whose `after_number` is set for each of them."""
        self._kind = kind
        self._calls = calls
        self._method = method
        self._request = request
        self._after = after
        self._retries = Retries(calls.patience_s, codes=INTERRUPTIONS)
        self._stream: Any = None
        self._received: deque[EntryT] = deque()
        self._ended = False

    def __aiter__(self) -> AsyncIterator[EntryT]:
        return self

    async def __anext__(self) -> EntryT:
        while not self._received:
            if self._ended:
                raise StopAsyncIteration
            await self._receive()
        entry = self._received.popleft()
        self._after = entry.number
        return entry

    def close(self) -> None:
        """End the watch. May be called while another task or thread waits for the next entry."""
        self._ended = True
        if self._stream:
            self._stream.cancel()

    async def aclose(self) -> None:
        """End the watch, for `contextlib.aclosing`."""
        self.close()

    async def _receive(self) -> None:
        """Receive one message, or wait before another stream is opened."""
        stream = self._stream = self._stream or self._open()
        if self._ended:  # Another thread has closed the watch while the stream was opened.
            stream.cancel()
        try:
            message = await self._calls.transport.read(stream)
        except grpc.RpcError as error:
            self._stream = None
            if not self._ended and call_error(error).reason != "SLOW_CONSUMER":
                await self._calls.transport.sleep(self._retries.pause_after(error))
        except BaseException:  # The caller was cancelled or interrupted; it may continue with another stream.
            self._stream = None
            stream.cancel()
            raise
        else:
            self._take(message)

    def _open(self) -> Any:
        self._request.after_number = self._after
        return self._calls.open_stream(self._method, self._request)

    def _take(self, message: Any) -> None:
        """Take the entries of a message; None ends the watch."""
        if message is None:
            self._ended = True
        elif entries := [item.entry for item in message.items if item.HasField("entry")]:
            self._retries.reset()
            self._received.extend(to_value(entry, self._kind) for entry in entries)
