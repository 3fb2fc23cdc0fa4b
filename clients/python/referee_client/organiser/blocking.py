"""Blocking versions of classes whose methods are coroutines or return asynchronous iterators.

The coroutines of these classes wait for their transport only. If it blocks, they never suspend, and a single step runs
them to their end in the thread of the caller; no event loop is needed.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from typing import Concatenate, Generic, ParamSpec, TypeVar

from referee_client.organiser.watch import AsyncWatch, EntryT

P = ParamSpec("P")
T = TypeVar("T")
AsyncT = TypeVar("AsyncT")


class Blocking(Generic[AsyncT]):
    """Base class of the blocking version of a class."""

    def __init__(self, wrapped: AsyncT) -> None:
        """`wrapped` must use a BlockingTransport."""
        self._wrapped = wrapped


class Watch(Generic[EntryT]):
    """Iterator over the entries after a number, until the log is complete. Raises Refused or Unreachable."""

    def __init__(self, wrapped: AsyncWatch[EntryT]) -> None:
        self._wrapped = wrapped

    def __iter__(self) -> Iterator[EntryT]:
        return self

    def __next__(self) -> EntryT:
        try:
            return run(self._wrapped.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """End the watch. May be called while another thread waits for the next entry."""
        self._wrapped.close()


def run(awaitable: Awaitable[T]) -> T:
    """Run something that never suspends, and return its result."""
    try:
        next(awaitable.__await__())
    except StopIteration as finished:
        result: T = finished.value
        return result
    raise AssertionError("a blocking transport never suspends")


def blocking(
    method: Callable[Concatenate[AsyncT, P], Awaitable[T]],
) -> Callable[Concatenate[Blocking[AsyncT], P], T]:
    """Return the blocking version of a coroutine."""

    @wraps(method)
    def call(self: Blocking[AsyncT], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run(method(self._wrapped, *args, **kwargs))

    return call


def blocking_iterator(
    method: Callable[Concatenate[AsyncT, P], AsyncIterator[T]],
) -> Callable[Concatenate[Blocking[AsyncT], P], Iterator[T]]:
    """Return the blocking version of a method that returns an asynchronous iterator."""

    @wraps(method)
    def iterate(self: Blocking[AsyncT], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        items = method(self._wrapped, *args, **kwargs)
        try:
            while True:
                yield run(items.__anext__())
        except StopAsyncIteration:
            return

    return iterate


def blocking_watch(
    method: Callable[Concatenate[AsyncT, P], AsyncWatch[EntryT]],
) -> Callable[Concatenate[Blocking[AsyncT], P], Watch[EntryT]]:
    """Return the blocking version of a method that returns a watch."""

    @wraps(method)
    def watch(self: Blocking[AsyncT], /, *args: P.args, **kwargs: P.kwargs) -> Watch[EntryT]:
        return Watch(method(self._wrapped, *args, **kwargs))

    return watch
