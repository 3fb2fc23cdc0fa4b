"""Tracing with OpenTelemetry: spans of calls, answers, decisions and appends. Off by default.

Like metrics, spans are recorded by wrappers outside of the traced code. While tracing is off it costs nothing, and its
libraries are not imported; they are installed with `referee[traces]`.
"""

from collections.abc import Sequence
from typing import Protocol

import grpc.aio

from referee.live.runner_dependencies import RunnerDependencies


class TracesUnavailable(Exception):
    """Tracing is enabled, but its libraries are not installed. `str()` is one sentence."""


class Tracing(Protocol):
    """Wrappers that record spans."""

    def around(self, dependencies: RunnerDependencies) -> RunnerDependencies:
        """Return the dependencies of a runner with spans of decisions, appends and announcements."""

    def interceptors(self) -> Sequence[grpc.aio.ServerInterceptor]:
        """Return interceptors for the gRPC server; they must precede the one that aborts rejected calls."""

    def close(self) -> None:
        """Export the remaining spans. This may block until a timeout if the collector does not respond."""


class Untraced:
    """Tracing that is switched off."""

    def around(self, dependencies: RunnerDependencies) -> RunnerDependencies:
        return dependencies

    def interceptors(self) -> Sequence[grpc.aio.ServerInterceptor]:
        return ()

    def close(self) -> None:
        """Does nothing."""


UNTRACED = Untraced()


def create_tracing(endpoint: str, one_in: int, version: str) -> Tracing:
    """Export one of `one_in` traces to an OTLP endpoint; none if it is empty. Raises TracesUnavailable."""
    if not endpoint:
        return UNTRACED
    try:
        from referee.observability.opentelemetry_tracing import create_traces  # noqa: PLC0415  # Optional dependencies.
    except ImportError as why:
        raise TracesUnavailable(f"traces_to requires the package {why.name}: pip install 'referee[traces]'") from None
    return create_traces(endpoint, one_in, version)
