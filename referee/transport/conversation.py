"""One bot's stream once Hello is said: what it says goes to its matches, what waits for it goes out.

Nothing waits for anything but itself: the reader does not wait for verdicts, the writer has one message in
flight and takes all that has come up meanwhile into the next.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayResponse

from engines.api import Seat
from engines.refusals import Refusal
from referee.app.answering import Answer
from referee.app.answers import Answered, Done, LateAnswer, seat_of
from referee.app.lag import Arrival
from referee.app.outbox import Judged, Welcomed
from referee.app.ports import LogUnavailable, Time
from referee.app.referee import Referee
from referee.app.refusals import BadField
from referee.app.sessions import Hello, Session
from referee.core.clock import MS, SECOND, Micros
from referee.core.commands import MAX_MOVE_CHARS
from referee.core.deciding import Decided
from referee.transport.admission import readable
from referee.transport.convert.matches import Aside
from referee.transport.field_limits import check_fields
from referee.transport.noting import Noting
from referee.transport.paging import parted
from referee.transport.quota import Allowances
from referee.transport.refusals import Say
from referee.transport.refused import HeartbeatLost, TooManyCalls
from referee.transport.seats import answer_draw, held_seat, offer_draw
from referee.transport.speaking import Speaker

UNANSWERED_AT_MOST = 1_000
"""So much of what a bot has said may wait for its verdict, or its verdict for the bot; then it is not listened to."""
AT_ONCE = frozenset({"move", "pong"})
"""What is taken when it is heard; all else has a task of its own, which begins in its turn."""
HEARD_AT_ONCE = 16
"""Of what a bot has said in one message."""
BREAKS_WITHIN_S = 0.1
"""After so long, who has hung up has done so by its own wish."""


@dataclass(frozen=True, slots=True)
class Pace:
    items_per_message_at_most: int
    ping_every_ms: int
    gone_after_us: Micros


class Host(Protocol):
    """Who has opened the conversation."""

    say: Say
    aside: Aside

    def hello(self, said: play_pb2.Hello) -> Hello:
        """Raises UnknownGame."""

    def welcome(self, session: Session) -> play_pb2.Welcome: ...


class HungUp(Exception):
    """The bot has said all it wanted to."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Of an item from the bot, what is needed to say what became of it."""

    item_id: int
    match_id: str = ""
    token: str = ""
    move: str = ""


class Conversation:
    def __init__(
        self,
        referee: Referee,
        session: Session,
        holder: str,
        host: Host,
        allowances: Allowances,
        noting: Noting,
        time: Time,
        pace: Pace,
    ) -> None:
        self._referee = referee
        self._session = session
        self._holder = holder
        self._host = host
        self._allowances = allowances
        self._noting = noting
        self._time = time
        self._pace = pace
        self._answering: set[asyncio.Future[Any]] = set()
        self._speaker = Speaker(referee, session, time, lambda: host.welcome(session), host.say, host.aside)

    async def go_on(self, context: Any, said: list[play_pb2.FromBot]) -> None:
        """Until the bot hangs up. Raises why it ended otherwise."""
        speaking = asyncio.create_task(self._speak(context))
        listening = asyncio.create_task(self._listen(context, said))
        pinging = asyncio.create_task(self._ping())
        listening.add_done_callback(self._ends)
        try:
            # Who gives no sign of life may have stopped reading, too: nothing more is said to it.
            ended, _ = await asyncio.wait((speaking, pinging), return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        except HungUp:
            # A connection that breaks may look the same at first; then its call is cancelled.
            await asyncio.sleep(BREAKS_WITHIN_S)
        finally:
            for task in (speaking, listening, pinging):
                task.cancel()

    def _ends(self, task: asyncio.Task[None]) -> None:
        why = None if task.cancelled() else task.exception()
        if isinstance(why, Exception):
            self._session.outbox.close(why)

    async def _speak(self, context: Any) -> None:
        outbox = self._session.outbox
        while True:
            await outbox.wait()
            await asyncio.sleep(0)  # The verdict on a move comes up just behind the turn that follows from it.
            told = PlayResponse()
            for item in outbox.drain(self._pace.items_per_message_at_most):
                await self._speaker.tell(item, told.items)
            if told.items:
                await context.write(told)
            if not outbox and outbox.closed:
                raise outbox.closed

    async def _ping(self) -> None:
        every_us = self._pace.ping_every_ms * MS
        while True:
            self._session.ping()
            awake_at_us = self._time.monotonic_us() + every_us
            await asyncio.sleep(every_us / SECOND)
            self._session.excuse(self._time.monotonic_us() - awake_at_us)
            silent_us = self._session.silent_us
            if silent_us > self._pace.gone_after_us:
                raise HeartbeatLost(silent_us // MS)

    async def _listen(self, context: Any, said: list[play_pb2.FromBot]) -> None:
        await self._hear_all(said)
        while True:
            message = readable(await context.read())
            if not hasattr(message, "items"):  # grpc's sign that the bot has hung up.
                raise HungUp
            if not message.items:
                self._start(self._count())
            await self._hear_all(message.items)

    async def _catch_up(self) -> None:
        """Read on only when what was said before has its verdicts, and the bot reads them."""
        if len(self._session.outbox) >= UNANSWERED_AT_MOST:
            await self._session.outbox.room(UNANSWERED_AT_MOST)
        while len(self._answering) >= UNANSWERED_AT_MOST:
            await asyncio.wait(self._answering, return_when=asyncio.FIRST_COMPLETED)

    async def _hear_all(self, items: Any) -> None:
        """With turns for others in between: no bot is to stall all matches by its words."""
        arrival = self._referee.arrival(self._holder)
        behind = False
        for some in parted(items, HEARD_AT_ONCE):
            for item in some:
                kind = item.WhichOneof("item")
                self._hear(item, kind, arrival, behind)
                behind = behind or kind not in AT_ONCE
            if len(items) > HEARD_AT_ONCE:
                await asyncio.sleep(0)
            await self._catch_up()

    def _hear(self, item: play_pb2.FromBot, kind: str | None, arrival: Arrival, behind: bool) -> None:
        """`behind`: something in the same message is on its way that no move is to overtake."""
        try:
            check_fields(item)
        except BadField as why:
            self._judge(Heard(item.item_id), why)
            return
        if kind == "pong":
            if not self._session.pong(item.pong.id):
                self._start(self._count())
        elif kind == "move":
            self._hear_move(item.item_id, item.move, arrival, behind)
        elif kind == "hello":
            self._answer(Heard(item.item_id), self._hello(item.hello))
        elif kind:
            said = getattr(item, kind)
            self._answer(Heard(item.item_id, said.match_id), self._say(kind, said))
        else:
            self._answer(Heard(item.item_id), self._nothing())

    def _hear_move(self, item_id: int, move: play_pb2.Move, arrival: Arrival, behind: bool) -> None:
        """Nearly all moves are decided and judged without a task of their own."""
        heard = Heard(item_id, move.match_id, move.token, move.move[: MAX_MOVE_CHARS + 1])
        seat = seat_of(heard.token)
        if seat is not None and not behind:
            answer = Answer(heard.match_id, seat, heard.token, heard.move, "", move.offer_draw, arrival)
            decision = self._referee.begin(answer, self._session.player.bot)
            if decision:
                self._answering.add(decision)
                decision.add_done_callback(lambda decision: self._decided(heard, answer, decision))
                return
        self._answer(heard, self._move(heard, move.offer_draw, arrival))

    def _decided(self, heard: Heard, answer: Answer, decision: asyncio.Future[Decided]) -> None:
        self._answering.discard(decision)
        outcome = self._referee.outcome(answer, decision)
        if outcome is None:
            self._answer(heard, self._referee.conclude(answer, decision))
        else:  # At once, so that it goes out before the turn that follows from it.
            self._judge(heard, outcome)

    def _answer(self, heard: Heard, answer: Coroutine[Any, Any, Any]) -> None:
        self._start(self._answered(heard, answer))

    async def _answered(self, heard: Heard, answer: Coroutine[Any, Any, Any]) -> None:
        try:
            outcome = await answer
        except Exception as why:
            outcome = why
        if outcome is None:  # A Hello that is taken: its answer is Welcome.
            self._session.outbox.put("welcome", Welcomed())
        else:
            self._judge(heard, outcome)

    def _judge(self, heard: Heard, outcome: Answered | Done | Exception) -> None:
        """Say what became of it. What was refused, or had been judged before, counts as a call."""
        self._session.outbox.put(None, Judged(heard.item_id, heard.match_id, heard.token, outcome))
        if isinstance(outcome, Refusal):
            self._noting.refused(self._session.player, outcome, heard.match_id, seat_of(heard.token), heard.move)
        if isinstance(outcome, Answered) and outcome.event.row:
            self._session.answered_within(outcome.event.row.arrived_us - outcome.event.row.asked_us)
        late = isinstance(outcome, LateAnswer)
        if getattr(outcome, "again", False) or (isinstance(outcome, Exception) and not late):
            self._start(self._count())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _move(self, heard: Heard, offers_draw: bool, arrival: Arrival) -> Answered:
        match = await self._referee.match(heard.match_id)
        seat = seat_of(heard.token)
        if seat is None:
            raise BadField("token", "this is no token of a turn")
        held_seat(match, self._session.player.bot, seat)
        return await self._referee.submit(heard.match_id, seat, heard.token, heard.move, "", offers_draw, arrival)

    async def _hello(self, said: play_pb2.Hello) -> None:
        await self._count()
        self._referee.sessions.says_hello(self._session, self._host.hello(said))

    async def _say(self, kind: str, said: Any) -> Done:
        self._start(self._count())  # Not to be waited for, or what is said next would be decided before.
        seat = said.seat if kind == "nonce" or said.HasField("seat") else None
        seat = held_seat(await self._referee.match(said.match_id), self._session.player.bot, seat)
        return await SAYINGS[kind](self._referee, said, seat)

    async def _nothing(self) -> Done:
        raise BadField("item", "it says nothing that this referee knows")

    async def _count(self) -> None:
        try:
            await self._allowances.count_call(self._holder)
        except TooManyCalls as why:
            self._session.outbox.close(why)
        except LogUnavailable:
            return  # Whose quota is not known now is not counted.


SAYINGS: dict[str, Callable[[Referee, Any, Seat], Awaitable[Done]]] = {
    "resignation": lambda referee, said, seat: referee.resign(said.match_id, seat),
    "draw_offer": lambda referee, said, seat: offer_draw(referee, said.match_id, seat),
    "draw_answer": lambda referee, said, seat: answer_draw(referee, said.match_id, seat, said.accept),
    "draw_claim": lambda referee, said, seat: referee.claim_draw(said.match_id, seat),
    "nonce": lambda referee, said, seat: referee.give_nonce(said.match_id, seat, said.nonce),
}
"""By the name of the item."""
