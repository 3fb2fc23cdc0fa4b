"""Commands that start programs: told to go, they end what they started."""

import asyncio
import signal
from collections.abc import Coroutine

INTERRUPTED = 130
"""The exit status, as a shell knows it."""

BY_SIGNAL = 128
"""What a signal ends has its number and this for an exit status."""


def run(work: Coroutine[None, None, int]) -> int:
    """The exit status. SIGTERM ends it in good order, as Ctrl-C does."""
    try:
        return asyncio.run(_until_told(work))
    except (asyncio.CancelledError, KeyboardInterrupt):
        return INTERRUPTED


async def _until_told(work: Coroutine[None, None, int]) -> int:
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


async def until_interrupted(work: Coroutine[None, None, None]) -> int:
    """The number of the signal that ended it in good order; 0: it was done."""
    interrupted_by = 0
    task = asyncio.ensure_future(work)

    def interrupt(number: int) -> None:
        """Once: what follows is an end in good order, and no second word makes it quicker."""
        nonlocal interrupted_by
        if not interrupted_by:
            interrupted_by = number
            task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt, number)
    try:
        await task
    except asyncio.CancelledError:
        if not interrupted_by:
            raise
    return interrupted_by
