"""The desk of a match, traced: what is decided at it, written, and announced, each as a span.

A decision belongs to the trace of the answer that asked for it; one that nobody asked for, such as the fall of a flag,
begins a trace of its own. What is written and announced belongs to the last decision of its match: a match does one
thing after the other.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import structlog
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Tracer, format_trace_id, set_span_in_context

from engines.api import Seat
from referee.app.contests.log import Beside
from referee.app.desk import Decide, Delays, Desk, Keeper
from referee.app.ports import Entry, EventLog, Request, Summaries
from referee.app.wish import EVERY_MATCH, MatchFilter
from referee.core.clock import Micros
from referee.core.commands import Command, SubmitMove
from referee.core.deciding import Decided
from referee.core.events import Event
from referee.core.match import Match, Phase
from referee.telemetry.traces.underway import Answer, Underway


def traced_desk(desk: Desk, tracer: Tracer, underway: Underway) -> Desk:
    latest = _Latest()
    return replace(
        desk,
        log=TracedLog(desk.log, tracer, latest),
        keeper=TracedKeeper(desk.keeper, tracer, latest),
        decide=TracedDecide(desk.decide, tracer, underway, latest),
    )


class _Latest:
    """By match: within what the last decision was taken."""

    def __init__(self) -> None:
        self._contexts: dict[str, Context] = {}

    def note(self, match_id: str, context: Context) -> None:
        self._contexts[match_id] = context

    def of(self, match_id: str) -> Context | None:
        """None: nothing was decided yet. Whoever has it made looks after it."""
        return self._contexts.get(match_id)

    def forget(self, match_id: str) -> None:
        self._contexts.pop(match_id, None)


class TracedDecide:
    """A Decide that is another one, traced."""

    def __init__(self, decide: Decide, tracer: Tracer, underway: Underway, latest: _Latest) -> None:
        self._decide = decide
        self._tracer = tracer
        self._underway = underway
        self._latest = latest

    def __call__(self, match: Match, command: Command, now_us: Micros) -> Decided:
        asked = self._asked(match, command)
        with self._tracer.start_as_current_span(
            # Not within whatever made the match, long ago: that is what the runner's task would inherit.
            "decide",
            asked or Context(),
            attributes=_about(match, command),
            record_exception=False,  # It may tell of what is hidden from others.
            set_status_on_exception=False,
        ) as span:
            self._latest.note(match.setup.match_id, asked or set_span_in_context(span, Context()))
            # What the match's runner logs from now on can be found by it.
            structlog.contextvars.bind_contextvars(trace_id=format_trace_id(span.get_span_context().trace_id))
            return self._answered(span, match, command, now_us)

    def _answered(self, span: Span, match: Match, command: Command, now_us: Micros) -> Decided:
        try:
            decided = self._decide(match, command, now_us)
        except Exception as why:
            span.set_attribute("referee.refused", type(why).__name__)
            raise
        span.set_attribute("referee.events", [type(event).__name__ for event in decided.events])
        return decided

    def _asked(self, match: Match, command: Command) -> Context | None:
        if not isinstance(command, SubmitMove):
            return None
        return self._underway.context(Answer(match.setup.match_id, command.token))


class TracedLog:
    """An EventLog that is another one, traced."""

    def __init__(self, log: EventLog, tracer: Tracer, latest: _Latest) -> None:
        self._log = log
        self._tracer = tracer
        self._latest = latest

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        about: dict[str, Any] = {"referee.match_id": match_id, "referee.after": after, "referee.entries": len(events)}
        if request:
            about["referee.request_id"] = request.id
        if beside:
            about["referee.beside"] = beside.contest
        with self._tracer.start_as_current_span("append", self._latest.of(match_id), SpanKind.CLIENT, about):
            return await self._log.append(match_id, after, events, request, beside)

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        return await self._log.read(match_id, after, at_most)

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        return await self._log.summaries(wanted, before, at_most)

    async def unfinished(self) -> list[str]:
        return await self._log.unfinished()

    async def close(self) -> None:
        await self._log.close()


class TracedKeeper:
    """A Keeper that is another one, traced."""

    def __init__(self, keeper: Keeper, tracer: Tracer, latest: _Latest) -> None:
        self._keeper = keeper
        self._tracer = tracer
        self._latest = latest

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        match_id = match.setup.match_id
        about: dict[str, str | int] = {
            "referee.match_id": match_id,
            "referee.number": match.number,
            "referee.game": match.setup.game,
        }
        with self._tracer.start_as_current_span("announce", self._latest.of(match_id), attributes=about):
            self._keeper.announce(before, entries, match)
        if match.phase is Phase.OVER:
            self._latest.forget(match_id)

    def delays(self, match_id: str, seat: Seat) -> Delays:
        return self._keeper.delays(match_id, seat)

    def broke(self, match_id: str, fault: Exception) -> None:
        self._keeper.broke(match_id, fault)

    def left(self, match_id: str) -> None:
        self._latest.forget(match_id)
        self._keeper.left(match_id)


def _about(match: Match, command: Command) -> dict[str, str | int]:
    setup = match.setup
    about: dict[str, str | int] = {
        "referee.match_id": setup.match_id,
        "referee.game": setup.game,
        "referee.ply": match.ply,
        "referee.command": type(command).__name__,
    }
    seat = getattr(command, "seat", None)
    if seat is not None and 0 <= seat < len(match.players):
        about |= {"referee.seat": seat, "referee.bot": match.players[seat].bot}
    request_id = getattr(command, "request_id", "")
    return about | {"referee.request_id": request_id} if request_id else about
