"""Answers of bots that are underway: by which span each is looked after, until its verdict has left."""

from typing import NamedTuple

from opentelemetry.context import Context
from opentelemetry.trace import Span, set_span_in_context


class Answer(NamedTuple):
    """To a turn, by the turn's token. That is no name for a span: who knows it could answer instead."""

    match_id: str
    token: str


class Underway:
    def __init__(self) -> None:
        self._spans: dict[Answer, Span] = {}

    def comes(self, answer: Answer, span: Span) -> None:
        """From now on, what is done about the answer belongs to that span."""
        self._spans[answer] = span

    def goes(self, answer: Answer, span: Span) -> None:
        """Its verdict has left, or never will. The same answer may have come again meanwhile, by another span."""
        if self._spans.get(answer) is span:
            del self._spans[answer]

    def context(self, answer: Answer) -> Context | None:
        """In which to decide it. None: nobody looks after it."""
        span = self._spans.get(answer)
        return set_span_in_context(span, Context()) if span else None
