"""Creates the tracer provider, the exporter, and the wrappers that record spans."""

from collections.abc import Sequence

import grpc.aio
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased

from referee.live.ports import RunnerDependencies
from referee.observability.traces.trace_interceptor import OpenSpans, TraceInterceptor
from referee.observability.traces.traced_runner import trace_runner


class Traces:
    """Tracing with OpenTelemetry. Nothing is global: two servers in one process have separate traces."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("referee")
        self._open_spans = OpenSpans()

    def around(self, dependencies: RunnerDependencies) -> RunnerDependencies:
        return trace_runner(dependencies, self._tracer, self._open_spans)

    def interceptors(self) -> Sequence[grpc.aio.ServerInterceptor]:
        return [TraceInterceptor(self._tracer, self._open_spans)]

    def close(self) -> None:
        self._provider.shutdown()


def create_traces(endpoint: str, one_in: int, version: str) -> Traces:
    """Export spans over OTLP and gRPC: in plaintext to an `http://` endpoint, over TLS otherwise."""
    resource = Resource({"service.name": "referee", "service.version": version})
    provider = TracerProvider(sampler=TraceIdRatioBased(1 / one_in), resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return Traces(provider)
