"""Serves the Play stream of one bot after Hello: dispatches its items, and composes messages of its outbox.

Reading and writing are independent: the reader does not wait for verdicts, and the writer has one message in flight
and batches all items that are queued meanwhile into the next one. What reads and writes is a `StreamDriver`.
"""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from engines.game_errors import DetailedError
from referee.accounts.account_errors import BadField
from referee.accounts.tokens import BudgetOwner
from referee.live.loop_lag import MessageArrival
from referee.live.outbox import HelloAccepted, MoveAccepted, OutboxItem, RequestAccepted, VerdictNotice
from referee.live.ports import StoreUnavailable, Time, Timer
from referee.live.queued_command import MatchMoving
from referee.live.referee import Referee
from referee.live.sessions import Hello, Session
from referee.live.submit import LateAnswer, TurnAnswer, seat_of, verdict_if_known
from referee.match.clock import MS, Micros
from referee.match.decision import Decision
from referee.transport.guards.admission import require_readable
from referee.transport.guards.field_limits import check_fields
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.play.bot_items import ReceivedItem, carry_out_request, received_move, submit_move
from referee.transport.play.writer import ITEM_WRITERS, ItemWriter
from referee.transport.services.bot_requests import RejectionRecorder
from referee.transport.services.paging import chunks
from referee.transport.wire.error_mapping import ErrorMapper
from referee.transport.wire.matches import MatchContext, score_of
from referee.transport.wire.wire_errors import HeartbeatLost, TooManyCalls

MAX_UNANSWERED = 1_000
"""Backpressure: reading pauses while this many items have no verdict yet, or this many verdicts are unread."""
IMMEDIATE = frozenset({"move", "pong"})
"""Items that are handled at once; each of the others starts a task."""
ITEMS_PER_YIELD = 16
"""Items of one message handled before the event loop may run other tasks."""
CLOSE_TIMEOUT_S = 0.1
"""Time in which a broken connection cancels the call; without a cancellation the bot has closed its stream."""


@dataclass(frozen=True, slots=True)
class HeartbeatConfig:
    max_items_per_message: int
    ping_interval_ms: int
    timeout_us: Micros


class StreamHost(Protocol):
    """The servicer that opened the stream."""

    map_error: ErrorMapper
    match_context: MatchContext

    def convert_hello(self, message: play_pb2.Hello) -> Hello:
        """Raises UnknownGame."""

    def make_welcome(self, session: Session) -> play_pb2.Welcome: ...

    def count_repeated(self) -> None:
        """Count an item that was repeated, and got its original verdict."""

    def forward(self, session: Session, item: bytes) -> bool:
        """Let the coordinator of the cluster handle an item; return whether there is one that can be reached."""


class StreamClosed(Exception):
    """The bot has closed its side of the stream."""


class StreamDriver(Protocol):
    """Reads the messages of a stream, and writes to it what its outbox holds."""

    async def run(self, first: PlayRequest | None) -> None:
        """Serve until the outbox is closed and empty, and raise why. `first` has the items that came with Hello.

        None: none came.
        """

    def end(self, why: Exception) -> None:
        """Let `run` raise that at once, without writing what is queued."""


class PlayStream:
    def __init__(
        self,
        referee: Referee,
        session: Session,
        owner: BudgetOwner,
        host: StreamHost,
        rate_limiter: RateLimiter,
        rejection_recorder: RejectionRecorder,
        time: Time,
        heartbeat: HeartbeatConfig,
    ) -> None:
        self._referee = referee
        self.lag = referee.lag
        self.outbox = session.outbox
        self._session = session
        self._owner = owner
        self._host = host
        self._rate_limiter = rate_limiter
        self._rejection_recorder = rejection_recorder
        self._time = time
        self._heartbeat = heartbeat
        self._in_progress: dict[asyncio.Future[Any], None] = {}
        """Tasks of items. A dictionary, since an empty set takes 216 bytes."""
        self._undecided = 0
        """Number of moves that are being decided without a task."""
        self._decided: asyncio.Event | None = None
        """Set by the next decision on them. None: nobody waits for it."""
        self._driver: StreamDriver
        self._next_ping: Timer | None = None
        self._ping_due_us: Micros = 0
        """When the next ping is due, in monotonic time."""
        self._writer = ItemWriter(
            referee, session, time, lambda: host.make_welcome(session), host.map_error, host.match_context
        )

    async def run(self, driver: StreamDriver, items: list[play_pb2.BotItem]) -> None:
        """Serve until the bot closes the stream; `items` came with Hello. Raises the error that ends it earlier."""
        self._driver = driver
        self._ping()
        try:
            await driver.run(PlayRequest(items=items) if items else None)
        except StreamClosed:
            # A broken connection may look the same at first, but then grpc cancels the call.
            await asyncio.sleep(CLOSE_TIMEOUT_S)
        finally:
            if self._next_ping:
                self._next_ping.cancel()

    def compose(self) -> PlayResponse | Coroutine[Any, Any, PlayResponse]:
        """Return a message of what is queued; it is empty if all of that is outdated."""
        response = PlayResponse()
        items = iter(self.outbox.drain(self._heartbeat.max_items_per_message))
        for item in items:
            if writing := ITEM_WRITERS[type(item)](self._writer, item, response.items):
                return self._compose_rest(response, writing, items)
        return response

    async def _compose_rest(
        self, response: PlayResponse, writing: Awaitable[None], items: Iterator[OutboxItem]
    ) -> PlayResponse:
        await writing
        for item in items:
            if more := ITEM_WRITERS[type(item)](self._writer, item, response.items):
                await more
        return response

    def _ping(self) -> None:
        """Ping the bot now and after each interval. By a timer, since a task for each stream takes a kilobyte."""
        self._session.ping()
        self._ping_due_us = self._time.monotonic_us() + self._heartbeat.ping_interval_ms * MS
        self._next_ping = self._time.call_at(self._ping_due_us, self._check_heartbeat)

    def _check_heartbeat(self) -> None:
        self._session.excuse_silence(self._time.monotonic_us() - self._ping_due_us)
        silent_us = self._session.silent_us
        if silent_us > self._heartbeat.timeout_us:
            # Nothing more is written: the bot may have stopped reading, too.
            self._driver.end(HeartbeatLost(silent_us // MS))
        else:
            self._ping()
        self.lag.charge_step()

    def receive(self, message: Any, arrived_us: Micros | None = None) -> Coroutine[Any, Any, None] | None:
        """Dispatch the items of a message; return what must be awaited before the next one. None: nothing.

        `arrived_us` is when the front door read the message, in monotonic time; None: there is no door.
        """
        items = require_readable(message).items
        if not items:
            self._start_task(self._count_call())
        arrival = self.lag.arrival(self._owner.holder, self._session.path.round_trip_us, arrived_us)
        if len(items) > ITEMS_PER_YIELD:
            return self._dispatch_in_chunks(items, arrival)
        self._dispatch_all(items, arrival, behind=False)
        return self._apply_backpressure() if self._is_full() else None

    async def _dispatch_in_chunks(self, items: Any, arrival: MessageArrival) -> None:
        """Yield between chunks, so that one large message cannot block the event loop."""
        behind = False
        for chunk in chunks(items, ITEMS_PER_YIELD):
            behind = self._dispatch_all(chunk, arrival, behind)
            self.lag.charge_step()
            await asyncio.sleep(0)
            await self._apply_backpressure()

    def _dispatch_all(self, items: Any, arrival: MessageArrival, behind: bool) -> bool:
        """Return whether one of these items, or an earlier one of the message (`behind`), runs in a task."""
        for item in items:
            kind = item.WhichOneof("item")
            self._dispatch(item, kind, arrival, behind)
            behind = behind or kind not in IMMEDIATE
        return behind

    def _is_full(self) -> bool:
        unread, undecided = len(self.outbox), self._undecided + len(self._in_progress)
        return unread >= MAX_UNANSWERED or undecided >= MAX_UNANSWERED

    async def _apply_backpressure(self) -> None:
        """Wait until fewer than MAX_UNANSWERED items are in progress, and as few verdicts are unread."""
        await self.outbox.room(MAX_UNANSWERED)
        while len(self._in_progress) >= MAX_UNANSWERED:
            await asyncio.wait(self._in_progress, return_when=asyncio.FIRST_COMPLETED)
        while self._undecided >= MAX_UNANSWERED:
            self._decided = asyncio.Event()
            await self._decided.wait()

    def _dispatch(self, item: play_pb2.BotItem, kind: str | None, arrival: MessageArrival, behind: bool) -> None:
        """`behind`: an earlier item of the message runs in a task, which a move must not overtake."""
        try:
            check_fields(item)
        except BadField as why:
            self._queue_verdict(ReceivedItem(item.item_id), why)
            return
        if kind == "pong":
            if not self._session.pong(item.pong.id):
                self._start_task(self._count_call())
        elif kind == "move":
            self._dispatch_move(item, arrival, behind)
        elif kind == "hello":
            self._start_answer(ReceivedItem(item.item_id), self._update_hello(item.hello))
        elif kind:
            request = getattr(item, kind)
            self._start_answer(ReceivedItem(item.item_id, request.match_id), self._handle_request(kind, request), item)
        else:
            self._start_answer(ReceivedItem(item.item_id), self._reject_unknown())

    def _dispatch_move(self, item: play_pb2.BotItem, arrival: MessageArrival, behind: bool) -> None:
        """Fast path: a move in a running match needs no task of its own."""
        received = received_move(item)
        seat = seat_of(received.token)
        if seat is not None and not behind:
            offers_draw, score = item.move.offer_draw, score_of(item.move)
            answer = TurnAnswer(received.match_id, seat, received.token, received.move, "", offers_draw, arrival, score)
            self._undecided += 1
            if self._referee.try_submit(answer, self._session.player.bot, partial(self._on_decision, received, answer)):
                return
            self._undecided -= 1
        answering = submit_move(self._referee, self._session, received, item.move, arrival)
        self._start_answer(received, answering, item)

    def _on_decision(self, received: ReceivedItem, answer: TurnAnswer, decided: Decision | Exception) -> None:
        self._undecided -= 1
        if self._decided:
            self._decided.set()
        outcome = verdict_if_known(decided)
        if outcome is None:
            self._start_answer(received, self._referee.find_verdict(answer, decided), _move_item(received, answer))
        else:  # Without a task, so that the verdict precedes the next turn.
            self._queue_verdict(received, outcome)

    def _start_answer(
        self, received: ReceivedItem, answer: Coroutine[Any, Any, Any], item: play_pb2.BotItem | None = None
    ) -> None:
        """Answer an item in a task. `item` is given if it concerns a match, which another node may run."""
        self._start_task(self._run_answer(received, answer, item))

    async def _run_answer(
        self, received: ReceivedItem, answer: Coroutine[Any, Any, Any], item: play_pb2.BotItem | None
    ) -> None:
        try:
            outcome = await answer
        except Exception as why:
            outcome = why
        if item and isinstance(outcome, MatchMoving) and self._host.forward(self._session, item.SerializeToString()):
            return  # The verdict comes from the coordinator.
        if outcome is None:  # An accepted Hello is answered by Welcome.
            self.outbox.put("welcome", HelloAccepted())
        else:
            self._queue_verdict(received, outcome)

    def _queue_verdict(self, received: ReceivedItem, outcome: MoveAccepted | RequestAccepted | Exception) -> None:
        """Queue the verdict. Rejected and repeated items count as calls."""
        verdict = VerdictNotice(received.item_id, received.match_id, received.token, outcome)
        if isinstance(outcome, MoveAccepted) and not outcome.repeated:
            self._session.accept_move(verdict)
            if row := outcome.event.row:
                self._session.record_answer_time(row.arrived_us - row.asked_us)
            return
        self.outbox.put(None, verdict)
        if isinstance(outcome, DetailedError):
            self._rejection_recorder.record_rejection(
                self._session.player, outcome, received.match_id, seat_of(received.token), received.move
            )
        repeated = getattr(outcome, "repeated", False)
        if repeated:
            self._host.count_repeated()
        if repeated or not isinstance(outcome, RequestAccepted | LateAnswer):
            self._start_task(self._count_call())

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._in_progress[task] = None
        task.add_done_callback(self._in_progress.pop)

    async def _update_hello(self, message: play_pb2.Hello) -> None:
        await self._count_call()
        self._referee.sessions.update_hello(self._session, self._host.convert_hello(message))

    async def _handle_request(self, kind: str, request: Any) -> RequestAccepted:
        self._start_task(self._count_call())  # Not awaited, or the next item would overtake this one.
        return await carry_out_request(self._referee, self._session, kind, request)

    async def _reject_unknown(self) -> RequestAccepted:
        raise BadField("item", "it is empty or of an unknown kind")

    async def _count_call(self) -> None:
        try:
            await self._rate_limiter.count_call(self._owner)
        except TooManyCalls as why:
            self.outbox.close(why)
        except StoreUnavailable:
            return  # Without a quota, calls are not counted.


def _move_item(received: ReceivedItem, answer: TurnAnswer) -> play_pb2.BotItem:
    move = play_pb2.Move(
        match_id=received.match_id,
        turn_token=received.token,
        move=received.move,
        offer_draw=answer.offers_draw,
        score=answer.score,
    )
    return play_pb2.BotItem(item_id=received.item_id, move=move)
