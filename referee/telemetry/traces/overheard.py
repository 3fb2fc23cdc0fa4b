"""What a bot answers in its stream, overheard: from when it was read until its verdict was written."""

from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind, Tracer

from referee.telemetry.traces.underway import Answer, Underway


class Overheard:
    """The context of a stream."""

    def __init__(self, context: Any, tracer: Tracer, underway: Underway, stream: Span) -> None:
        self._context = context
        self._tracer = tracer
        self._underway = underway
        self._stream = stream
        self._spans: dict[Answer, Span] = {}
        """Of answers without a verdict yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def read(self) -> Any:
        message = await self._context.read()
        for item in getattr(message, "items", ()):
            if item.HasField("move"):
                self._comes(Answer(item.move.match_id, item.move.token))
        return message

    async def write(self, message: Any) -> None:
        await self._context.write(message)
        for item in getattr(message, "items", ()):
            if "verdict" in item.DESCRIPTOR.fields_by_name and item.HasField("verdict"):
                self._goes(Answer(item.verdict.match_id, item.verdict.token))

    def ends(self) -> None:
        """No verdict will be written any more."""
        for answer in list(self._spans):
            self._goes(answer)

    def _comes(self, answer: Answer) -> None:
        self._goes(answer)  # Who says it again has forgotten the first.
        about = {"referee.match_id": answer.match_id}
        links = [Link(self._stream.get_span_context())]
        span = self._tracer.start_span("answer", Context(), SpanKind.SERVER, about, links)
        self._spans[answer] = span
        self._underway.comes(answer, span)

    def _goes(self, answer: Answer) -> None:
        span = self._spans.pop(answer, None)
        if span:
            self._underway.goes(answer, span)
            span.end()
