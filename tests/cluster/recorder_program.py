"""What programs that record histories share: the addresses of the nodes, what they announce, and their clock."""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO

RETRY_S = 0.1
"""Pause before a recorder connects again, or sends an answer again that was rejected."""


def now_us() -> int:
    return time.monotonic_ns() // 1000


def announce(event: str, about: str) -> None:
    """Tell the process that started this one that something has happened."""
    sys.stdout.write(f"{event} {about}\n")
    sys.stdout.flush()


class Addresses:
    """Addresses of the nodes, which change when a node is started again."""

    def __init__(self) -> None:
        self._list: Sequence[str] = ()
        self._known = asyncio.Event()

    async def at(self, place: int) -> str:
        """Return the address at this place of the list, which begins again after its end."""
        await self._known.wait()
        return self._list[place % len(self._list)]

    async def read(self, source: IO[str]) -> None:
        """Read lists of addresses, each a line of JSON, until the end of the input."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def read_lines() -> None:
            for line in source:
                loop.call_soon_threadsafe(self._set, json.loads(line))
            loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=read_lines, daemon=True).start()
        await ended.wait()

    def _set(self, addresses: Sequence[str]) -> None:
        self._list = addresses
        self._known.set()
