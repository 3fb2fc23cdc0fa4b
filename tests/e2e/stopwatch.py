"""Stopwatch that measures a bot's own time, for tests in which the server is delayed."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from referee_api.v1 import clock_pb2

from tests.e2e.server import ServerProcess

RESOLUTION_US = 20_000
"""Amount of a delay that may go unnoticed: the server measures its loop lag every ten milliseconds."""


class Stopwatch:
    """Runs from its creation on, and stops while the server is delayed."""

    def __init__(self) -> None:
        self._running_us = 0
        self.paused_us = 0
        """Total time for which the server was delayed."""
        self._since_ns = time.monotonic_ns()

    @property
    def running_us(self) -> int:
        return self._running_us + self._lap_us()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the watch within this block, in which the server is delayed."""
        self._running_us += self._lap_us()
        self._since_ns = time.monotonic_ns()
        yield
        self.paused_us += self._lap_us()
        self._since_ns = time.monotonic_ns()

    @contextmanager
    def freeze(self, server: ServerProcess) -> Iterator[None]:
        """Stop the server process with SIGSTOP within this block."""
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED)
        with self.paused():
            yield
        server.process.send_signal(signal.SIGCONT)

    def assert_no_overcharge(self, charge: clock_pb2.ClockCharge) -> None:
        """Assert that the clock lost no more time than this watch has measured, and that the clock charge adds up."""
        assert charge.charged_us == max(
            0, charge.arrived_us - charge.asked_us - charge.stall_us - charge.network_credit_us
        )
        assert charge.before.time_left_us - charge.after.time_left_us == charge.charged_us
        assert charge.charged_us <= self.running_us + RESOLUTION_US

    def _lap_us(self) -> int:
        return (time.monotonic_ns() - self._since_ns) // 1000
