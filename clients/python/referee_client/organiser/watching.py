"""Watching a log from a given number on: every entry once and in order, even if connections break."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

import grpc

from referee_client.errors import refused_by
from referee_client.organiser.calls import Calls, Waiting


class Numbered(Protocol):
    @property
    def number(self) -> int: ...


E = TypeVar("E", bound=Numbered)

Opened = Callable[[int], Any]
"""Opens the stream after a given number."""


class Watching(Generic[E]):
    """Iterator over the entries after a number, until the log is complete. Raises Refused or Gone."""

    def __init__(self, calls: Calls, opened: Opened, after: int) -> None:
        self._patience_s = calls.patience_s
        self._opened = opened
        self._after = after
        self._stream: Any = None
        self._closed = threading.Event()
        self._entries = self._all()

    def __iter__(self) -> Iterator[E]:
        return self

    def __next__(self) -> E:
        return next(self._entries)

    def close(self) -> None:
        """End the watch. May be called while another thread waits for the next entry."""
        self._closed.set()
        if self._stream:
            self._stream.cancel()

    def _all(self) -> Iterator[E]:
        waiting = Waiting(self._patience_s)
        while not self._closed.is_set():
            self._stream = self._opened(self._after)
            try:
                for entry in _entries(self._stream):
                    waiting.begin_anew()
                    self._after = entry.number
                    yield entry
                return
            except grpc.RpcError as why:
                if not self._closed.is_set() and refused_by(why).reason != "SLOW_CONSUMER":
                    waiting.after(why)


def _entries(stream: Any) -> Iterator[Any]:
    return (item.entry for message in stream for item in message.items if item.HasField("entry"))
