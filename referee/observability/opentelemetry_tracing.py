"""Tracing with OpenTelemetry: the provider, the exporter, and spans of calls and of answers within a stream.

This module is imported only if tracing is enabled: see `tracing`. A stream may last for days. Therefore the answers
within it are traces of their own, linked to the span of the stream. Spans never contain moves or turn tokens.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio
import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.trace import Link, Span, SpanKind, Tracer, format_trace_id, use_span

from referee.live.runner_dependencies import RunnerDependencies
from referee.observability.traced_runner import Answer, OpenSpans, trace_runner

NAMED = ("match_id", "request_id", "bot", "ladder", "tournament")
"""Fields of requests that become attributes of spans."""


class TracedStreamContext:
    """The context of a stream. Records each answer from when it was read until its verdict was written."""

    push_to = None
    """A front door must not push messages past `read` and `write`."""

    def __init__(self, context: Any, tracer: Tracer, open_spans: OpenSpans, stream: Span) -> None:
        self._context = context
        self._tracer = tracer
        self._open_spans = open_spans
        self._stream = stream
        self._spans: dict[Answer, Span] = {}
        """Spans of answers without a verdict."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def read(self) -> Any:
        message = await self._context.read()
        for item in getattr(message, "items", ()):
            if item.HasField("move"):
                self._start(Answer(item.move.match_id, item.move.turn_token))
        return message

    async def write(self, message: Any) -> None:
        await self._context.write(message)
        for item in getattr(message, "items", ()):
            if "verdict" in item.DESCRIPTOR.fields_by_name and item.HasField("verdict"):
                self._end(Answer(item.verdict.match_id, item.verdict.turn_token))

    def close(self) -> None:
        """End all open spans at the end of the stream."""
        for answer in list(self._spans):
            self._end(answer)

    def _start(self, answer: Answer) -> None:
        self._end(answer)  # The same answer was sent again.
        about = {"referee.match_id": answer.match_id}
        links = [Link(self._stream.get_span_context())]
        span = self._tracer.start_span("answer", Context(), SpanKind.SERVER, about, links)
        self._spans[answer] = span
        self._open_spans.add(answer, span)

    def _end(self, answer: Answer) -> None:
        span = self._spans.pop(answer, None)
        if span:
            self._open_spans.remove(answer, span)
            span.end()


class TraceInterceptor(grpc.aio.ServerInterceptor):
    """Records a span for each call, and for each answer to a turn within a stream."""

    def __init__(self, tracer: Tracer, open_spans: OpenSpans) -> None:
        self._tracer = tracer
        self._open_spans = open_spans

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        name = handler_call_details.method.rpartition(".")[2]
        return self._traced_stream(handler, name) if handler.response_streaming else self._traced_call(handler, name)

    def _traced_call(self, handler: Any, name: str) -> Any:
        async def call(request: Any, context: Any) -> Any:
            answer = Answer(getattr(request, "match_id", ""), getattr(request, "turn_token", ""))
            with self._span(name, request, context) as span, use_span(span, record_exception=False):
                self._open_spans.add(answer, span)
                try:
                    return await handler.unary_unary(request, context)
                finally:
                    self._open_spans.remove(answer, span)

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)

    def _traced_stream(self, handler: Any, name: str) -> Any:
        behaviour = handler.stream_stream or handler.unary_stream
        make = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )

        async def call(request: Any, context: Any) -> Any:
            # Not the current span: otherwise everything within the stream would become one endless trace.
            with self._span(name, request, context) as span:
                traced = TracedStreamContext(context, self._tracer, self._open_spans, span)
                try:
                    return await behaviour(request, traced)
                finally:
                    traced.close()

        return make(call, handler.request_deserializer, handler.response_serializer)

    @contextmanager
    def _span(self, name: str, request: Any, context: Any) -> Iterator[Span]:
        """Record a root span: incoming trace headers are ignored."""
        attributes = {"rpc.system": "grpc", "rpc.method": name} | _named(request)
        span = self._tracer.start_span(name, Context(), SpanKind.SERVER, attributes)
        structlog.contextvars.bind_contextvars(trace_id=format_trace_id(span.get_span_context().trace_id))
        try:
            yield span
        finally:
            code = context.code() or grpc.StatusCode.OK
            span.set_attribute("rpc.grpc.status", getattr(code, "name", str(code)))
            span.end()


def _named(request: Any) -> dict[str, str]:
    found = {f"referee.{name}": getattr(request, name, "") for name in NAMED}
    return {name: text for name, text in found.items() if text and isinstance(text, str)}


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
