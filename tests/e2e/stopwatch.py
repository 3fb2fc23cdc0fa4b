"""A bot's own watch beside the referee's clock, for tests in which the referee is held up."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from referee_api.v1 import clock_pb2

from tests.e2e.server import Running

GRAIN_US = 20_000
"""So much of a stall may be missed: the referee feels its own pulse every ten milliseconds."""


class Stopwatch:
    """It runs from the beginning, and stands still while the referee is held up."""

    def __init__(self) -> None:
        self._ran_us = 0
        self.held_us = 0
        """How long the referee was held up."""
        self._since_ns = time.monotonic_ns()

    @property
    def ran_us(self) -> int:
        return self._ran_us + self._lap_us()

    @contextmanager
    def standing(self) -> Iterator[None]:
        """The referee is held up while this goes on."""
        self._ran_us += self._lap_us()
        self._since_ns = time.monotonic_ns()
        yield
        self.held_us += self._lap_us()
        self._since_ns = time.monotonic_ns()

    @contextmanager
    def freezing(self, server: Running) -> Iterator[None]:
        """The whole server stands still while this goes on."""
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED)
        with self.standing():
            yield
        server.process.send_signal(signal.SIGCONT)

    def need_no_more_charged(self, row: clock_pb2.ClockRow) -> None:
        """The clock has lost no more than what this watch has run."""
        assert row.charged_us == max(0, row.arrived_us - row.asked_us - row.stall_us - row.network_credit_us)
        assert row.before.left_us - row.after.left_us == row.charged_us
        assert row.charged_us <= self.ran_us + GRAIN_US

    def _lap_us(self) -> int:
        return (time.monotonic_ns() - self._since_ns) // 1000
