"""Wraps the dependencies of a match runner to record spans of decisions, appends and announcements.

The parent of a decision is the span of the answer that caused it; a decision without one, such as the fall of a flag,
starts a trace of its own. Appends and announcements belong to the last decision of their match, since a match handles
one command at a time.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import structlog
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, format_trace_id, set_span_in_context

from engines.api import Seat
from referee.live.match_history import MatchStep
from referee.live.ports import Append, AppendCallback, Entry, EventLog, SeatDelays
from referee.live.runner_dependencies import Decide, RunnerDependencies, RunnerObserver
from referee.match.clock import Micros
from referee.match.commands import Command, SubmitMove
from referee.match.decision import Decision
from referee.match.state import Match, MatchPhase
from referee.observability.event_log_metrics import WrappedEventLog

LatestContexts = dict[str, Context]
"""The context of the last decision of each match."""


class Answer(NamedTuple):
    """An answer to a turn. The token must not become an attribute: whoever knows it could answer instead of the bot."""

    match_id: str
    token: str


class OpenSpans:
    """Spans of answers that have no verdict yet, by which decisions find their parent."""

    def __init__(self) -> None:
        self._spans: dict[Answer, Span] = {}

    def add(self, answer: Answer, span: Span) -> None:
        """Make the span the parent of everything that is done about the answer."""
        self._spans[answer] = span

    def remove(self, answer: Answer, span: Span) -> None:
        """Remove the span, unless the same answer has been sent again and has another one."""
        if self._spans.get(answer) is span:
            del self._spans[answer]

    def context(self, answer: Answer) -> Context | None:
        """Return the context of the answer's span, or None."""
        span = self._spans.get(answer)
        return set_span_in_context(span, Context()) if span else None


def trace_runner(dependencies: RunnerDependencies, tracer: Tracer, open_spans: OpenSpans) -> RunnerDependencies:
    latest = LatestContexts()
    return replace(
        dependencies,
        log=TracedLog(dependencies.log, tracer, latest),
        observer=TracedObserver(dependencies.observer, tracer, latest),
        decide=TracedDecide(dependencies.decide, tracer, open_spans, latest),
    )


class TracedDecide:
    """A Decide that records a span for each decision."""

    def __init__(self, decide: Decide, tracer: Tracer, open_spans: OpenSpans, latest: LatestContexts) -> None:
        self._decide = decide
        self._tracer = tracer
        self._open_spans = open_spans
        self._latest = latest

    def __call__(self, match: Match, command: Command, now_us: Micros) -> Decision:
        parent = self._answer_context(match, command)
        with self._tracer.start_as_current_span(
            # Not the current context, which the task inherited when the match was created.
            "decide",
            parent or Context(),
            attributes=_about(match, command),
            record_exception=False,  # Its text may contain hidden information.
            set_status_on_exception=False,
        ) as span:
            self._latest[match.setup.match_id] = parent or set_span_in_context(span, Context())
            # So that later log events of the runner can be found by the trace.
            structlog.contextvars.bind_contextvars(trace_id=format_trace_id(span.get_span_context().trace_id))
            return self._decide_in_span(span, match, command, now_us)

    def _decide_in_span(self, span: Span, match: Match, command: Command, now_us: Micros) -> Decision:
        try:
            decided = self._decide(match, command, now_us)
        except Exception as why:
            span.set_attribute("referee.refused", type(why).__name__)
            raise
        span.set_attribute("referee.events", [type(event).__name__ for event in decided.events])
        return decided

    def _answer_context(self, match: Match, command: Command) -> Context | None:
        if not isinstance(command, SubmitMove):
            return None
        return self._open_spans.context(Answer(match.setup.match_id, command.token))


class TracedLog(WrappedEventLog):
    """Records a span for each append to a log."""

    def __init__(self, log: EventLog, tracer: Tracer, latest: LatestContexts) -> None:
        super().__init__(log)
        self._tracer = tracer
        self._latest = latest

    def begin_append(self, append: Append, done: AppendCallback) -> None:
        match_id = append.match_id
        about: dict[str, Any] = {
            "referee.match_id": match_id,
            "referee.after": append.after,
            "referee.entries": len(append.events),
        }
        if append.request:
            about["referee.request_id"] = append.request.id
        if append.co_append:
            about["referee.co_append"] = append.co_append.contest
        span = self._tracer.start_span("append", self._latest.get(match_id), SpanKind.CLIENT, about)

        def appended(written: list[Entry] | Exception) -> None:
            if isinstance(written, Exception):
                span.record_exception(written)
                span.set_status(Status(StatusCode.ERROR, f"{type(written).__name__}: {written}"))
            span.end()
            done(written)

        super().begin_append(append, appended)


class TracedObserver:
    """A RunnerObserver that records a span for each announcement."""

    def __init__(self, observer: RunnerObserver, tracer: Tracer, latest: LatestContexts) -> None:
        self._observer = observer
        self._tracer = tracer
        self._latest = latest

    def on_stored(self, steps: Sequence[MatchStep]) -> None:
        match = steps[-1].state
        match_id = match.setup.match_id
        about: dict[str, str | int] = {
            "referee.match_id": match_id,
            "referee.number": match.number,
            "referee.game": match.terms.game,
        }
        with self._tracer.start_as_current_span("announce", self._latest.get(match_id), attributes=about):
            self._observer.on_stored(steps)
        if match.phase is MatchPhase.OVER:
            self._latest.pop(match_id, None)

    def on_received(self, steps: Sequence[MatchStep]) -> None:
        match = steps[-1].state
        self._observer.on_received(steps)
        if match.phase is MatchPhase.OVER:
            self._latest.pop(match.setup.match_id, None)

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        return self._observer.seat_delays(match_id, seat)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        self._observer.on_fault(match_id, fault)

    def on_stopped(self, match_id: str) -> None:
        self._latest.pop(match_id, None)
        self._observer.on_stopped(match_id)


def _about(match: Match, command: Command) -> dict[str, str | int]:
    setup = match.setup
    about: dict[str, str | int] = {
        "referee.match_id": setup.match_id,
        "referee.game": setup.terms.game,
        "referee.ply": match.ply,
        "referee.command": type(command).__name__,
    }
    seat = getattr(command, "seat", None)
    if seat is not None and 0 <= seat < len(match.players):
        about |= {"referee.seat": seat, "referee.bot": match.players[seat].bot}
    request_id = getattr(command, "request_id", "")
    return about | {"referee.request_id": request_id} if request_id else about
