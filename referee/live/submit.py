"""Submits answers to turns and other requests, idempotently, and returns the verdicts on them.

A resent answer gets its original verdict: the match knows the last verdict on each seat, and the log has the ids of
all requests, so they are found later in the match, after it, and after a restart.
"""

import asyncio
from collections.abc import Sequence
from weakref import WeakValueDictionary

from msgspec import Struct, structs

from engines.api import Seat
from engines.game_errors import DetailedError, shortened
from referee.live.loop_lag import MessageArrival
from referee.live.match_history import MatchHistory, VerdictLocation
from referee.live.outbox import MoveAccepted, RequestAccepted
from referee.live.ports import EngineFault, Entry, Request
from referee.live.queued_command import DecisionCallback, MatchMoving
from referee.live.registry import LiveMatches
from referee.live.runner import MatchRunner
from referee.live.stored_matches import UnplayableMatch
from referee.match.clock import TimeControl
from referee.match.clock_charge import ClockCharge
from referee.match.commands import Command, SubmitMove
from referee.match.decide import decide
from referee.match.decision import Decision
from referee.match.events import Event, FlagFell, MovePlayed, MoveRejected, MoveSource, PlayEnded
from referee.match.match_errors import ClockExpired, MatchOver, RequestIdReused
from referee.match.result import Result
from referee.match.state import Match


class TurnAnswer(Struct, frozen=True, gc=False):
    """An answer of a seat to its turn."""

    match_id: str
    seat: Seat
    token: str
    move: str
    request_id: str = ""
    offers_draw: bool = False
    arrival: MessageArrival | None = None
    """When the answer was read; None: now."""
    score: int | None = None

    def to_command(self, runner: MatchRunner) -> SubmitMove:
        measured = runner.measure(self.seat, self.arrival)
        return SubmitMove(self.seat, self.token, self.move, measured, self.request_id, self.offers_draw, self.score)


class AttemptRefused(DetailedError):
    """The move is malformed or illegal. The attempt counts."""

    def __init__(self, event: MoveRejected, ply: int, repeated: bool = False) -> None:
        """`repeated`: the same answer was given before."""
        details = {"move": event.move, "ply": str(ply), "attempts_left": str(event.attempts_left)}
        if event.reason == "ILLEGAL_MOVE":
            super().__init__(event.sentence, rule=event.rule, why=event.sentence, **details)
        else:
            super().__init__(event.sentence, right=event.sentence, **details)
        self.reason = event.reason
        """MALFORMED_MOVE or ILLEGAL_MOVE."""
        self.attempts_left = event.attempts_left
        self.repeated = repeated


class LateAnswer(ClockExpired):
    """The flag fell before the answer arrived; `row` proves it."""

    def __init__(self, match_id: str, event: FlagFell, control: TimeControl, ply: int, repeated: bool = False) -> None:
        """`control` is the time control of the seat."""
        super().__init__({"match_id": match_id, "seat": str(event.seat), "ply": str(ply), **event.row.texts()})
        self.seat = event.seat
        self.row: ClockCharge = event.row
        self.control = control
        self.repeated = repeated


VERDICT_READ_BATCH = 2
"""Read two entries: the second usually belongs to the next decision."""
LOOK_UP_VERDICT = (ClockExpired, MatchOver, MatchMoving)
"""Errors after which the log is searched for an earlier verdict on the same answer."""


class AnswerSubmitter:
    def __init__(self, live: LiveMatches) -> None:
        self._live = live

    async def submit(self, answer: TurnAnswer) -> MoveAccepted:
        """See `Referee.submit`."""
        history = await self._live.stored.history(answer.match_id)
        if history.match.result or (answer.seat, answer.request_id) in history.requests:
            return await self._first_verdict(answer, MatchOver(str(history.match.result)))
        runner = await self._live.runner(answer.match_id)
        try:
            decided: Decision | Exception = await runner.submit(answer.to_command(runner))
        except Exception as error:
            decided = error
        return await self.find_verdict(answer, decided)

    def try_submit(self, answer: TurnAnswer, bot: str, done: DecisionCallback) -> bool:
        """Submit the answer of that bot if nothing has to be looked up for it; else return False: use `submit`.

        `done` is called with the decision or its error, perhaps before this returns.
        """
        live_match = self._live.index.find(answer.match_id)
        if live_match is None or live_match.runner is None or not live_match.holds(bot, answer.seat):
            return False
        try:
            live_match.runner.execute(answer.to_command(live_match.runner), done)
        except MatchMoving:
            return False
        return True

    async def find_verdict(self, answer: TurnAnswer, decided: Decision | Exception) -> MoveAccepted:
        """See `Referee.find_verdict`."""
        if isinstance(decided, LOOK_UP_VERDICT):
            return await self._first_verdict(answer, decided)
        if isinstance(decided, Exception):
            raise decided
        if not decided.events:
            return await self._first_verdict(answer, MatchMoving(answer.match_id))
        return _verdict_on(decided, decided.events)

    async def validate(self, answer: TurnAnswer) -> int:
        """See `Referee.validate`."""
        runner = await self._live.runner(answer.match_id)
        try:
            decided = decide(runner.match, answer.to_command(runner), runner.match_now())
        except LOOK_UP_VERDICT as error:
            await self._first_verdict(answer, error)
        else:
            if decided.events:
                _verdict_on(decided, _without_count(decided.events))
            else:
                await self._first_verdict(answer, MatchMoving(answer.match_id))
        return runner.match.number

    async def _first_verdict(self, answer: TurnAnswer, otherwise: Exception) -> MoveAccepted:
        """Return the original verdict on this answer. Raises `otherwise` if there is none."""
        history = await self._live.stored.history(answer.match_id)
        verdict = _locate_verdict(history, answer)
        if verdict is None:
            raise otherwise
        events = await self._read_decision(answer.match_id, verdict.number)
        if not is_verdict_on(events[0], answer.token, answer.move):
            reused = (answer.seat, answer.request_id) in history.requests
            raise RequestIdReused(answer.request_id) if reused else otherwise
        return verdict_of(history.match, verdict.number, events, verdict.ply, repeated=True)

    async def _read_decision(self, match_id: str, number: int) -> list[Event]:
        """Return the event of that entry, and those decided with it.

        Does not read the whole log, since repeating a request costs the caller nothing.
        """
        events: list[Event] = []
        while not events or events[-1].at_us == events[0].at_us:
            entries = await self._live.dependencies.log.read(match_id, number - 1 + len(events), VERDICT_READ_BATCH)
            if not entries:
                break
            events += [entry.event for entry in entries]
        return events


def _locate_verdict(history: MatchHistory, answer: TurnAnswer) -> VerdictLocation | None:
    """Return the location of the verdict on this request, or else on this turn if it was the seat's last, or None.

    Raises RequestIdReused if it was the id of another request than an answer.
    """
    verdict = history.requests.get((answer.seat, answer.request_id))
    if isinstance(verdict, Entry):
        raise RequestIdReused(answer.request_id)
    if verdict is None and 0 <= answer.seat < len(history.match.verdicts):
        last = history.match.verdicts[answer.seat]
        verdict = history.last_verdict[answer.seat] if last and last.token == answer.token else None
    return verdict


def verdict_if_known(decided: Decision | Exception) -> MoveAccepted | Exception | None:
    """Return the verdict by a decision, or the error that `submit` would raise. None: use `Referee.find_verdict`."""
    if isinstance(decided, Exception):
        return None if isinstance(decided, LOOK_UP_VERDICT) else decided
    events = decided.events
    if len(events) == 1 and type(event := events[0]) is MovePlayed:  # Nearly always.
        match = decided.match
        return MoveAccepted(event, match.controls[event.seat], match.number, match.ply - 1, None, repeated=False)
    try:
        return _verdict_on(decided, events) if events else None
    except Exception as error:
        return error


def _verdict_on(decided: Decision, events: tuple[Event, ...]) -> MoveAccepted:
    moves = sum(isinstance(event, MovePlayed) for event in events)
    return verdict_of(decided.match, decided.match.number - len(events) + 1, events, decided.match.ply - moves)


def _without_count(events: tuple[Event, ...]) -> tuple[Event, ...]:
    first, *rest = events
    if isinstance(first, MoveRejected):
        first = structs.replace(first, attempts_left=first.attempts_left + 1)
    return (first, *rest)


def seat_of(token: str) -> Seat | None:
    """Return the seat that a turn token names; None: it is not a token."""
    seat, _, rest = token.partition(".")
    return int(seat) if rest and seat.isascii() and seat.isdigit() and len(seat) < 4 else None


def verdict_of(match: Match, number: int, events: Sequence[Event], ply: int, repeated: bool = False) -> MoveAccepted:
    """Return the verdict on an answer, given the events that followed from it: entry `number`, and those after it.

    `ply` is the number of moves made before. Raises AttemptRefused, LateAnswer or EngineFault.
    """
    event, match_id, controls = events[0], match.setup.match_id, match.controls
    if isinstance(event, MoveRejected):
        raise AttemptRefused(event, ply, repeated)
    if isinstance(event, FlagFell):
        raise LateAnswer(match_id, event, controls[event.seat], ply, repeated)
    if isinstance(event, PlayEnded):
        raise EngineFault(match_id)
    assert isinstance(event, MovePlayed)
    return MoveAccepted(event, controls[event.seat], number, ply, _result_of(events), repeated)


def _result_of(events: Sequence[Event]) -> Result | None:
    """Return the result if the match ended in the decision that began with the first of these events, or None."""
    first, *rest = events
    for event in rest:
        if event.at_us != first.at_us or (isinstance(event, MovePlayed) and event.source is MoveSource.BOT):
            return None
        if isinstance(event, PlayEnded):
            return event.result
    return None


def is_verdict_on(event: Event, token: str, move: str) -> bool:
    """Return whether the event is the verdict on exactly that answer."""
    assert isinstance(event, MovePlayed | MoveRejected | FlagFell)
    return event.token == token and (isinstance(event, FlagFell) or shortened(event.move) == shortened(move))


class RequestSubmitter:
    def __init__(self, live: LiveMatches) -> None:
        self._live = live
        self._locks: WeakValueDictionary[tuple[str, int | str, str], asyncio.Lock] = WeakValueDictionary()
        """Locks that serialise requests with the same id, by match, caller and id."""

    async def submit(self, match_id: str, command: Command, by: Seat | str, request_id: str = "") -> RequestAccepted:
        """Return the result of the request, decided now or the first time; without an id it is always decided.

        A caller that disconnects may miss the answer. Raises RequestIdReused, or the error of the command, which
        changes nothing and is not remembered.
        """
        if not request_id:
            return await self._decide(match_id, command, None)
        request = Request(by, request_id, repr(command))
        return await asyncio.shield(self._live.start_task(self._submit_once(match_id, command, request)))

    async def _submit_once(self, match_id: str, command: Command, request: Request) -> RequestAccepted:
        lock = self._locks.setdefault((match_id, request.by, request.id), asyncio.Lock())
        async with lock:
            return await self._find_first(match_id, request) or await self._decide(match_id, command, request)

    async def _find_first(self, match_id: str, request: Request) -> RequestAccepted | None:
        """Return the original result of a repeated request; None: this is the first one. Raises RequestIdReused."""
        history = await self._live.stored.history_or_log(match_id)
        first = history.requests.get((request.by, request.id))
        if isinstance(first, Entry) and first.request == request:
            return RequestAccepted(first.number, first.event.result if isinstance(first.event, PlayEnded) else None)
        if first:
            raise RequestIdReused(request.id)
        if isinstance(history, UnplayableMatch) or history.match.result:
            # The history may be cached; the log raises MatchArchived if its entries have left it since.
            await self._live.dependencies.log.read(match_id, limit=1)
        return None

    async def _decide(self, match_id: str, command: Command, request: Request | None) -> RequestAccepted:
        runner = await self._live.runner(match_id)
        decided = await runner.submit(command, request)
        return RequestAccepted(decided.match.number, decided.match.result)
