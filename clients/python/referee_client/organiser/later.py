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


def _later(
    does: Callable[Concatenate[Organiser, P], T],
) -> Callable[Concatenate["AsyncOrganiser", P], Awaitable[T]]:
    """Return an asynchronous version of a method."""

    @wraps(does)
    async def later(self: "AsyncOrganiser", /, *given: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(does, self.organiser, *given, **named)

    return later


def _listed(
    does: Callable[Concatenate[Organiser, P], Iterator[T]],
) -> Callable[Concatenate["AsyncOrganiser", P], Awaitable[list[T]]]:
    """Return an asynchronous version of a method, which returns a list."""

    @wraps(does)
    async def later(self: "AsyncOrganiser", /, *given: P.args, **named: P.kwargs) -> list[T]:
        return await asyncio.to_thread(lambda: list(does(self.organiser, *given, **named)))

    return later


class AsyncOrganiser:
    """Asynchronous version of Organiser, with the same methods.

    `organiser` is the synchronous one that it uses; its ladders, tournaments and administration are called in threads
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

    games = _later(Organiser.games)
    register_bot = _later(Organiser.register_bot)
    create_token = _later(Organiser.create_token)
    bots = _listed(Organiser.bots)
    bot_log = _listed(Organiser.bot_log)
    create_match = _later(Organiser.create_match)
    abort = _later(Organiser.abort)
    standing = _later(Organiser.standing)
    matches = _listed(Organiser.matches)
    result = _later(Organiser.result)
    record = _later(Organiser.record)
    close = _later(Organiser.close)

    async def watch(self, match_id: str, after: int = 0) -> AsyncIterator[entry_pb2.Entry]:
        """Watch a match like Organiser.watch."""
        entries = self.organiser.watch(match_id, after)
        try:
            while entry := await asyncio.to_thread(next, entries, None):
                yield entry
        finally:
            entries.close()
