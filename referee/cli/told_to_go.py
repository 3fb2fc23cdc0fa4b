"""Commands that start programs: told to go, they end what they started."""

import asyncio
import signal
from collections.abc import Coroutine

INTERRUPTED = 130
"""The exit status, as a shell knows it."""


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
