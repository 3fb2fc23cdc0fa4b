"""Calls, traced by a server interceptor: each is a span, and so is each answer to a turn within a stream.

A stream may last for days: it is a span of its own, and the answers within it are traces of their own that are linked
to it. No token of a turn, and no move, is ever written into a span.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio
import structlog
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Tracer, format_trace_id, use_span

from referee.telemetry.traces.overheard import Overheard
from referee.telemetry.traces.underway import Answer, Underway

NAMED = ("match_id", "request_id", "bot", "ladder", "tournament")
"""Fields of requests that say what they are about."""


class TracedCalls(grpc.aio.ServerInterceptor):
    def __init__(self, tracer: Tracer, underway: Underway) -> None:
        self._tracer = tracer
        self._underway = underway

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
        async def answering(request: Any, context: Any) -> Any:
            answer = Answer(getattr(request, "match_id", ""), getattr(request, "token", ""))
            with self._span(name, request, context) as span, use_span(span, record_exception=False):
                self._underway.comes(answer, span)
                try:
                    return await handler.unary_unary(request, context)
                finally:
                    self._underway.goes(answer, span)

        return grpc.unary_unary_rpc_method_handler(answering, handler.request_deserializer, handler.response_serializer)

    def _traced_stream(self, handler: Any, name: str) -> Any:
        behaviour = handler.stream_stream or handler.unary_stream
        make = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )

        async def answering(request: Any, context: Any) -> Any:
            # Not as the current one: what begins within a stream would all become one endless trace.
            with self._span(name, request, context) as span:
                overheard = Overheard(context, self._tracer, self._underway, span)
                try:
                    return await behaviour(request, overheard)
                finally:
                    overheard.ends()

        return make(answering, handler.request_deserializer, handler.response_serializer)

    @contextmanager
    def _span(self, name: str, request: Any, context: Any) -> Iterator[Span]:
        """A trace of its own: what strangers say of theirs is not believed."""
        about = {"rpc.system": "grpc", "rpc.method": name} | _named(request)
        span = self._tracer.start_span(name, Context(), SpanKind.SERVER, about)
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
