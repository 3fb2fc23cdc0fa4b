"""What the protocols of game engines have in common: commands in words, and futures for what an engine answers."""

import asyncio
from collections.abc import Iterable
from typing import TypeAlias

from referee_client.bridge.program_lines import ProgramLines, ProgramUnavailable

Key: TypeAlias = tuple[str, int]
"""A match, and a seat in it."""


class EngineLines(ProgramLines):
    """Commands to an engine that plays one game and ends after `quit`."""

    farewell = b"quit\n"

    def _command(self, *words: str) -> None:
        self.send(" ".join(words).encode() + b"\n")

    def _future(self) -> asyncio.Future[str]:
        return asyncio.get_running_loop().create_future()

    def _reject(self, futures: Iterable[asyncio.Future[str]]) -> None:
        """Reject those that have no result, because the engine has ended."""
        for future in futures:
            if not future.done():
                future.set_exception(ProgramUnavailable(self.end_reason))
                future.exception()  # It may be that nobody waits for it.


def resolve(future: asyncio.Future[str], value: str = "") -> None:
    """Set the result, unless the future has one."""
    if not future.done():
        future.set_result(value)
