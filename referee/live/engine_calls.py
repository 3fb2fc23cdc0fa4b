"""Calls of slow games, which the event loop must not wait for: those whose rules another process computes."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import TypeVar, TypeVarTuple, Unpack

from engines.api import Game

T = TypeVar("T")
Args = TypeVarTuple("Args")


async def call_engine(game: Game, function: Callable[[Unpack[Args]], T], *args: *Args) -> T:
    """Return `function(*args)`, which asks the game for positions: at once, unless the game is slow.

    Then a thread that only this game has makes the call, so that it delays the matches of this game and no others.
    """
    if not game.is_slow:
        return function(*args)
    loop, context = asyncio.get_running_loop(), copy_context()
    return await loop.run_in_executor(_thread(game.name), lambda: context.run(function, *args))


@cache
def _thread(game: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, f"engine {game}")
