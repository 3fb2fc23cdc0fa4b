"""Stopwatch that measures a bot's own time, for tests in which the server is delayed."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from referee_api.v1 import clock_pb2

from tests.e2e.server import ServerProcess

GRAIN_US = 20_000
"""Amount of a delay that may go unnoticed: the server measures its loop lag every ten milliseconds."""


class Stopwatch:
    """Runs from its creation on, and stops while the server is delayed."""

    def __init__(self) -> None:
        self._ran_us = 0
        self.held_us = 0
        """Total time for which the server was delayed."""
        self._since_ns = time.monotonic_ns()

    @property
    def ran_us(self) -> int:
        return self._ran_us + self._lap_us()

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Stop the watch within this block, in which the server is delayed."""
        self._ran_us += self._lap_us()
        self._since_ns = time.monotonic_ns()
        yield
        self.held_us += self._lap_us()
        self._since_ns = time.monotonic_ns()

    @contextmanager
    def freezing(self, server: ServerProcess) -> Iterator[None]:
        """Stop the server process with SIGSTOP within this block."""
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED)
        with self.standing():
            yield
        server.process.send_signal(signal.SIGCONT)

    def need_no_more_charged(self, row: clock_pb2.ClockCharge) -> None:
        """Assert that the clock lost no more time than this watch has measured, and that the clock charge adds up."""
        assert row.charged_us == max(0, row.arrived_us - row.asked_us - row.stall_us - row.network_credit_us)
        assert row.before.time_left_us - row.after.time_left_us == row.charged_us
        assert row.charged_us <= self.ran_us + GRAIN_US

    def _lap_us(self) -> int:
        return (time.monotonic_ns() - self._since_ns) // 1000
