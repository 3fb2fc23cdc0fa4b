"""Organiser for programs that use asyncio."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from referee_api.v1 import entry_pb2

from referee_client.organiser.organiser import PATIENCE_S, Organiser

P = ParamSpec("P")
T = TypeVar("T")


def _async(
    method: Callable[Concatenate[Organiser, P], T],
) -> Callable[Concatenate["AsyncOrganiser", P], Awaitable[T]]:
    """Return an asynchronous version of a method."""

    @wraps(method)
    async def call(self: "AsyncOrganiser", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(method, self.organiser, *args, **kwargs)

    return call


def _async_list(
    method: Callable[Concatenate[Organiser, P], Iterator[T]],
) -> Callable[Concatenate["AsyncOrganiser", P], Awaitable[list[T]]]:
    """Return an asynchronous version of a method that returns an iterator. It returns a list."""

    @wraps(method)
    async def call(self: "AsyncOrganiser", /, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        return await asyncio.to_thread(lambda: list(method(self.organiser, *args, **kwargs)))

    return call


class AsyncOrganiser:
    """Asynchronous version of Organiser, with the same methods.

    `organiser` is the synchronous one that it uses; its accounts, play, ladders, tournaments and
    administration are called in threads
    (`await asyncio.to_thread(...)`).
    """

    def __init__(
        self,
        target: str | None = None,
        token: str | None = None,
        *,
        ca: str | os.PathLike[str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.organiser = Organiser(target, token, ca=ca, patience_s=patience_s)

    games = _async(Organiser.games)
    game = _async(Organiser.game)
    read_position = _async(Organiser.read_position)
    register_bot = _async(Organiser.register_bot)
    create_token = _async(Organiser.create_token)
    bots = _async_list(Organiser.bots)
    bot_log = _async_list(Organiser.bot_log)
    create_match = _async(Organiser.create_match)
    abort = _async(Organiser.abort)
    withdraw_bot = _async(Organiser.withdraw_bot)
    standing = _async(Organiser.standing)
    matches = _async_list(Organiser.matches)
    result = _async(Organiser.result)
    record = _async(Organiser.record)
    close = _async(Organiser.close)

    async def watch(self, match_id: str, after: int = 0) -> AsyncIterator[entry_pb2.Entry]:
        """Watch a match like Organiser.watch."""
        entries = self.organiser.watch(match_id, after)
        try:
            while entry := await asyncio.to_thread(next, entries, None):
                yield entry
        finally:
            entries.close()
