"""The CPU time of the steps of an event loop: how long it does nothing else for one task or callback.

CPU time of the loop's thread is measured, not time on a watch, so that other programs on the machine do not count.
"""

import asyncio
import time
from asyncio.events import Handle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.calibration import calibration_loop


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a loop."""

    cpu_ms: float
    of: str
    """The task or the callback that took it."""


NO_STEP = Step(0.0, "nothing")


class LoopMeter:
    """Measures all steps of one event loop while `metering` is entered."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worst = NO_STEP

    def measure(self, loop: asyncio.AbstractEventLoop) -> None:
        """Measure that loop from now on."""
        self._loop = loop

    def worst(self) -> Step:
        """Return the longest step since this was last asked."""
        worst, self._worst = self._worst, NO_STEP
        return worst

    @contextmanager
    def metering(self) -> Iterator["LoopMeter"]:
        # asyncio calls this method for each step of a loop, and has no other place where one could look on.
        unmetered = Handle._run

        def metered(handle: Any) -> None:
            if handle._loop is not self._loop:
                return unmetered(handle)
            before_s = time.thread_time()
            unmetered(handle)
            cpu_ms = 1000 * (time.thread_time() - before_s)
            if cpu_ms > self._worst.cpu_ms:
                self._worst = Step(cpu_ms, _name(handle))
            return None

        setattr(Handle, "_run", metered)  # noqa: B010  # For mypy, a method is not to be replaced.
        try:
            yield self
        finally:
            setattr(Handle, "_run", unmetered)  # noqa: B010


def _name(handle: Any) -> str:
    """Return what the step was of."""
    callback = handle._callback
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        steps: Any = task.get_coro()
        steps = getattr(steps, "_steps", steps)  # The referee's lag meter wraps all coroutines.
        return str(getattr(steps, "__qualname__", steps))
    return repr(callback)


def calibration_ms() -> float:
    """Return the CPU time that a fixed piece of work takes now in this thread."""
    before_s = time.thread_time()
    calibration_loop()
    return 1000 * (time.thread_time() - before_s)
