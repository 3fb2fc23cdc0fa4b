"""Traces of the whole house, and where they go."""

from collections.abc import Sequence

import grpc.aio
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased

from referee.app.desk import Desk
from referee.telemetry.traces.calls import TracedCalls
from referee.telemetry.traces.desk import traced_desk
from referee.telemetry.traces.underway import Underway


class Traces:
    """Tracing by OpenTelemetry. Nothing is global: two in one process do not hear of each other."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("referee")
        self._underway = Underway()

    def around(self, desk: Desk) -> Desk:
        return traced_desk(desk, self._tracer, self._underway)

    def interceptors(self) -> Sequence[grpc.aio.ServerInterceptor]:
        return [TracedCalls(self._tracer, self._underway)]

    def close(self) -> None:
        self._provider.shutdown()


def sending(to: str, one_in: int, version: str) -> Traces:
    """To a collector, over OTLP and gRPC; in plaintext to `http://`, else over TLS."""
    resource = Resource({"service.name": "referee", "service.version": version})
    provider = TracerProvider(sampler=TraceIdRatioBased(1 / one_in), resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=to)))
    return Traces(provider)
