"""Traces: where the time of a call, or of a bot's answer, goes. Off by default.

Nothing in the house asks for them: they stand around it, as the metrics do. While they are off they cost nothing,
and what they need is not even imported; it comes with `referee[traces]`.
"""

from collections.abc import Sequence
from typing import Protocol

import grpc.aio

from referee.app.desk import Desk


class TracesUnavailable(Exception):
    """They are wanted, and cannot be had. `str()` is one sentence."""


class Tracing(Protocol):
    """What stands around the house."""

    def around(self, desk: Desk) -> Desk:
        """The same desk, traced: what is decided at it, written, and announced."""

    def interceptors(self) -> Sequence[grpc.aio.ServerInterceptor]:
        """For the server: to be its first."""

    def close(self) -> None:
        """Send what is still to be sent. It may take a while, if nobody takes it."""


class Untraced:
    """Tracing that is off."""

    def around(self, desk: Desk) -> Desk:
        return desk

    def interceptors(self) -> Sequence[grpc.aio.ServerInterceptor]:
        return ()

    def close(self) -> None:
        """Nothing is to be sent."""


UNTRACED = Untraced()


def tracing(to: str, one_in: int, version: str) -> Tracing:
    """Send one of so many traces to the OTLP endpoint `to`; empty: none. Raises TracesUnavailable."""
    if not to:
        return UNTRACED
    try:
        from referee.telemetry.traces.sending import sending  # noqa: PLC0415  # Who wants no traces need not have it.
    except ImportError as why:
        raise TracesUnavailable(f"traces_to is set, and there is no {why.name}: pip install referee[traces]") from None
    return sending(to, one_in, version)
