"""Watch of a log from a given number on: every entry once and in order, even if connections break."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

import grpc

from referee_client.errors import call_error
from referee_client.organiser.calls import Calls, Retries


class Numbered(Protocol):
    @property
    def number(self) -> int: ...


EntryT = TypeVar("EntryT", bound=Numbered)

OpenStream = Callable[[int], Any]
"""Opens the stream after a given number."""


class Watch(Generic[EntryT]):
    """Iterator over the entries after a number, until the log is complete. Raises Refused or Unreachable."""

    def __init__(self, calls: Calls, open_stream: OpenStream, after: int) -> None:
        self._patience_s = calls.patience_s
        self._open_stream = open_stream
        self._after = after
        self._stream: Any = None
        self._closed = threading.Event()
        self._entries = self._all()

    def __iter__(self) -> Iterator[EntryT]:
        return self

    def __next__(self) -> EntryT:
        return next(self._entries)

    def close(self) -> None:
        """End the watch. May be called while another thread waits for the next entry."""
        self._closed.set()
        if self._stream:
            self._stream.cancel()

    def _all(self) -> Iterator[EntryT]:
        retries = Retries(self._patience_s)
        while not self._closed.is_set():
            self._stream = self._open_stream(self._after)
            try:
                for entry in _entries(self._stream):
                    retries.reset()
                    self._after = entry.number
                    yield entry
                return
            except grpc.RpcError as error:
                if not self._closed.is_set() and call_error(error).reason != "SLOW_CONSUMER":
                    retries.wait_after(error)


def _entries(stream: Any) -> Iterator[Any]:
    return (item.entry for message in stream for item in message.items if item.HasField("entry"))
