"""Signal handling for commands that start programs: SIGTERM and Ctrl-C cancel the work, which stops the programs."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine

INTERRUPTED = 130
"""Exit status after Ctrl-C, as in a shell."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

BY_SIGNAL = 128
"""Added to the number of a signal, gives the exit status of a program that it ended."""


def run(work: Coroutine[None, None, int]) -> int:
    """Run a coroutine and return its exit status. SIGTERM cancels it, as Ctrl-C does."""
    try:
        return asyncio.run(_cancel_on_sigterm(work))
    except (asyncio.CancelledError, KeyboardInterrupt):
        return INTERRUPTED


async def _cancel_on_sigterm(work: Coroutine[None, None, int]) -> int:
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


async def until_interrupted(work: Coroutine[None, None, None]) -> int:
    """Run a coroutine; SIGINT and SIGTERM cancel it. Return the number of the signal, or 0."""
    interrupted_by = 0
    task = asyncio.ensure_future(work)

    def interrupt(number: int) -> None:
        """Cancel on the first signal only; further signals do not interrupt the cleanup."""
        nonlocal interrupted_by
        if not interrupted_by:
            interrupted_by = number
            task.cancel()

    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, interrupt, number)
    try:
        await task
    except asyncio.CancelledError:
        if not interrupted_by:
            raise
    return interrupted_by


async def until_stopped() -> None:
    """Wait for SIGINT or SIGTERM, which then does not count as an interruption."""
    stop = asyncio.Event()
    on_stop_signals(stop.set)
    await stop.wait()


def on_stop_signals(stop: Callable[[], None]) -> None:
    """Call `stop` on SIGINT and SIGTERM."""
    for number in STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop)


def on_end_of_input(stop: Callable[[], None]) -> None:
    """Call `stop` when the process ends that holds the other end of standard input, to which it writes nothing."""
    loop, pipe = asyncio.get_running_loop(), sys.stdin.fileno()

    def stop_once() -> None:
        loop.remove_reader(pipe)
        stop()

    loop.add_reader(pipe, stop_once)
