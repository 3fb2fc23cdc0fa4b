"""One bot's stream once Hello is said: what it says goes to its matches, what waits for it goes out.

Nothing waits for anything but itself: the reader does not wait for verdicts, the writer has one message in
flight and takes all that has come up meanwhile into the next.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayResponse

from engines.api import Seat
from engines.refusals import Refusal
from referee.app.answers import Answered, Done, LateAnswer, seat_of
from referee.app.bot_log import BotLog, Note, Refused
from referee.app.outbox import Judged, Welcomed
from referee.app.ports import LogUnavailable, Time
from referee.app.referee import Referee
from referee.app.refusals import BadField
from referee.app.sessions import Hello, Session
from referee.core.clock import MS, SECOND, Micros
from referee.transport.door import readable, said_or_fault
from referee.transport.quota import Allowances
from referee.transport.refused import HeartbeatLost, TooManyCalls
from referee.transport.seats import answer_draw, held_seat, offer_draw
from referee.transport.speaking import Speaker

UNANSWERED_AT_MOST = 1_000
"""So much of what a bot has said may wait for its verdict, or its verdict for the bot; then it is not listened to."""


@dataclass(frozen=True, slots=True)
class Pace:
    items_per_message_at_most: int
    ping_every_ms: int
    gone_after_us: Micros


class Host(Protocol):
    """Who has opened the conversation."""

    def hello(self, said: play_pb2.Hello) -> Hello:
        """Raises UnknownGame."""

    def welcome(self, session: Session) -> play_pb2.Welcome: ...


class HungUp(Exception):
    """The bot has said all it wanted to."""


class Conversation:
    def __init__(
        self,
        referee: Referee,
        session: Session,
        holder: str,
        host: Host,
        allowances: Allowances,
        bot_log: BotLog,
        time: Time,
        pace: Pace,
    ) -> None:
        self._referee = referee
        self._session = session
        self._holder = holder
        self._host = host
        self._allowances = allowances
        self._bot_log = bot_log
        self._time = time
        self._pace = pace
        self._answering: set[asyncio.Task[None]] = set()
        self._speaker = Speaker(referee, session, time, lambda: host.welcome(session), said_or_fault)

    async def go_on(self, context: Any, said: list[play_pb2.FromBot]) -> None:
        """Until the bot hangs up. Raises why it ended otherwise."""
        beside = [asyncio.create_task(self._listen(context, said)), asyncio.create_task(self._ping())]
        for task in beside:
            task.add_done_callback(self._ends)
        try:
            await self._speak(context)
        except HungUp:
            pass
        finally:
            for task in beside:
                task.cancel()

    def _ends(self, task: asyncio.Task[None]) -> None:
        why = None if task.cancelled() else task.exception()
        if isinstance(why, Exception):
            self._session.outbox.close(why)

    async def _speak(self, context: Any) -> None:
        outbox = self._session.outbox
        while True:
            await outbox.wait()
            items = [await self._speaker.item(item) for item in outbox.drain(self._pace.items_per_message_at_most)]
            told = [item for item in items if item]
            if told:
                await context.write(PlayResponse(items=told))
            if not outbox and outbox.closed:
                raise outbox.closed

    async def _ping(self) -> None:
        while True:
            self._session.ping()
            await asyncio.sleep(self._pace.ping_every_ms * MS / SECOND)
            silent_us = self._session.silent_us
            if silent_us > self._pace.gone_after_us:
                raise HeartbeatLost(silent_us // MS)

    async def _listen(self, context: Any, said: list[play_pb2.FromBot]) -> None:
        self._hear_all(said)
        while True:
            message = readable(await context.read())
            if not hasattr(message, "items"):  # grpc's sign that the bot has hung up.
                raise HungUp
            self._hear_all(message.items)
            await self._catch_up()

    async def _catch_up(self) -> None:
        """Read on only when what was said before has its verdicts, and the bot reads them."""
        await self._session.outbox.room(UNANSWERED_AT_MOST)
        while len(self._answering) >= UNANSWERED_AT_MOST:
            await asyncio.wait(self._answering, return_when=asyncio.FIRST_COMPLETED)

    def _hear_all(self, items: Any) -> None:
        for item in items:
            self._hear(item)

    def _hear(self, item: play_pb2.FromBot) -> None:
        kind = item.WhichOneof("item")
        if kind == "pong":
            self._session.pong(item.pong.id)
        elif kind == "move":
            move = item.move
            self._answer(item.item_id, move.match_id, move.token, self._move(move))
        elif kind == "hello":
            self._answer(item.item_id, "", "", self._hello(item.hello))
        elif kind:
            said = getattr(item, kind)
            self._answer(item.item_id, said.match_id, "", self._say(kind, said))
        else:
            self._answer(item.item_id, "", "", self._nothing())

    def _answer(self, item_id: int, match_id: str, token: str, answer: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(self._judge(item_id, match_id, token, answer))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _judge(self, item_id: int, match_id: str, token: str, answer: Coroutine[Any, Any, Any]) -> None:
        outcome = await _outcome(answer)
        if outcome is None:  # A Hello that is taken: its answer is Welcome.
            self._session.outbox.put("welcome", Welcomed())
            return
        self._session.outbox.put(None, Judged(item_id, match_id, token, outcome))
        if isinstance(outcome, Exception) and not isinstance(outcome, LateAnswer):
            await self._count()

    async def _move(self, move: play_pb2.Move) -> Answered:
        seat = seat_of(move.token)
        try:
            await self._need_seat(move.match_id, seat)
            assert seat is not None
            return await self._referee.submit(move.match_id, seat, move.token, move.move, offers_draw=move.offer_draw)
        except Refusal as why:
            await self._note(move, seat, why)
            raise

    async def _need_seat(self, match_id: str, seat: Seat | None) -> None:
        match = (await self._referee.standing(match_id)).match
        if seat is None:
            raise BadField("token", "this is no token of a turn")
        held_seat(match, self._session.player.bot, seat)

    async def _hello(self, said: play_pb2.Hello) -> None:
        await self._count()
        self._referee.sessions.says_hello(self._session, self._host.hello(said))

    async def _say(self, kind: str, said: Any) -> Done:
        await self._count()
        seat = said.seat if kind == "nonce" or said.HasField("seat") else None
        seat = held_seat((await self._referee.standing(said.match_id)).match, self._session.player.bot, seat)
        return await SAYINGS[kind](self._referee, said, seat)

    async def _nothing(self) -> Done:
        raise BadField("item", "it says nothing that this referee knows")

    async def _count(self) -> None:
        try:
            await self._allowances.count_call(self._holder)
        except TooManyCalls as why:
            self._session.outbox.close(why)

    async def _note(self, move: play_pb2.Move, seat: Seat | None, why: Refusal) -> None:
        """For the bot's author. If it cannot be written, the verdict says it all the same."""
        told = said_or_fault(why, move.match_id)
        what = Refused(told.reason, told.sentence, tuple(told.metadata.items()), move.move)
        note = Note(self._time.wall_ms(), self._session.player.version, what, move.match_id, seat)
        with suppress(LogUnavailable):
            await self._bot_log.append(self._session.player.bot, [note])


async def _outcome(answer: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await answer
    except Exception as why:
        return why


SAYINGS: dict[str, Callable[[Referee, Any, Seat], Awaitable[Done]]] = {
    "resignation": lambda referee, said, seat: referee.resign(said.match_id, seat),
    "draw_offer": lambda referee, said, seat: offer_draw(referee, said.match_id, seat),
    "draw_answer": lambda referee, said, seat: answer_draw(referee, said.match_id, seat, said.accept),
    "draw_claim": lambda referee, said, seat: referee.claim_draw(said.match_id, seat),
    "nonce": lambda referee, said, seat: referee.give_nonce(said.match_id, seat, said.nonce),
}
"""By the name of the item."""
