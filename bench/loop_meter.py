"""CPU time of the steps of an event loop: how long one task or callback blocks all others.

It is the CPU time of the loop's thread, not wall time, so that other programs on the machine have no influence.
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
    """The task or callback that ran."""


NO_STEP = Step(0.0, "nothing")


class LoopMeter:
    """Measures all steps of one event loop while `metering` is entered."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worst = NO_STEP

    def measure(self, loop: asyncio.AbstractEventLoop) -> None:
        """Measure this loop from now on."""
        self._loop = loop

    def worst(self) -> Step:
        """Return the longest step since the last call."""
        worst, self._worst = self._worst, NO_STEP
        return worst

    @contextmanager
    def metering(self) -> Iterator["LoopMeter"]:
        # asyncio calls this method for each step of a loop, and offers no other hook.
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

        setattr(Handle, "_run", metered)  # noqa: B010  # An assignment to a method is an error for mypy.
        try:
            yield self
        finally:
            setattr(Handle, "_run", unmetered)  # noqa: B010


def _name(handle: Any) -> str:
    """Return the name of the task or callback of a step."""
    callback = handle._callback
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        steps: Any = task.get_coro()
        steps = getattr(steps, "_steps", steps)  # The referee's lag meter wraps all coroutines.
        return str(getattr(steps, "__qualname__", steps))
    return repr(callback)


def calibration_ms() -> float:
    """Return the current CPU time of a fixed piece of work in this thread."""
    before_s = time.thread_time()
    calibration_loop()
    return 1000 * (time.thread_time() - before_s)
