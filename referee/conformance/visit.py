"""One session of the bot, as a clause sees it: what it said, and what it is told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from google.protobuf.text_format import MessageToString
from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from referee.conformance.failed import Failed
from referee.transport.door import refuse
from referee.transport.refusals import Said

SHOWN_CHARS = 160
SHOWN_ITEMS = 4
QUIET_S = 0.4
"""How long a bot that says something wrong may take to say it."""
PING_EVERY_S = 5.0
HEARTBEAT = 1 << 50
"""The id of the pings that keep a session alive while a clause waits. No clause looks at their pongs."""

Fits = Callable[[play_pb2.FromBot], bool]


class Visit:
    """From the first message of a Play stream to its end."""

    def __init__(self, metadata: dict[str, str], peer: str, patience_s: float) -> None:
        self.metadata = metadata
        self.peer = peer
        """The bot's end of the connection."""
        self.patience_s = patience_s
        self.open = True
        self.heard: list[play_pb2.FromBot] = []
        """All that the bot has said."""
        self._heeded = 0
        self._waiting: list[play_pb2.FromBot] = []
        """Of that, what no clause has waited for yet."""
        self._told: list[str] = []
        self._silent = False
        self._out: asyncio.Queue[PlayResponse | Said | None] = asyncio.Queue()
        self._news = asyncio.Event()
        self._pings = 1 << 40

    # What the server does for it.

    async def lasts(self, requests: AsyncIterator[PlayRequest], context: Any) -> None:
        """Carry what is said both ways, until a clause ends it or the bot leaves."""
        listening = asyncio.create_task(self._listen(requests))
        try:
            while isinstance(message := await self._next(), PlayResponse):
                await context.write(message)
            if message:
                await refuse(context, message)
        finally:
            self._leave()
            listening.cancel()

    async def _next(self) -> PlayResponse | Said | None:
        """What is to be said; a ping, if that is nothing for a while."""
        while True:
            try:
                async with asyncio.timeout(PING_EVERY_S):
                    return await self._out.get()
            except TimeoutError:
                if not self._silent:
                    return PlayResponse(items=[play_pb2.FromReferee(ping=play_pb2.Ping(id=HEARTBEAT))])

    async def _listen(self, requests: AsyncIterator[PlayRequest]) -> None:
        async for request in requests:
            items = [item for item in request.items if item.pong.id != HEARTBEAT]
            self.heard += items
            self._waiting += items
            self._news.set()
        self._leave()
        self._out.put_nowait(None)

    def _leave(self) -> None:
        self.open = False
        self._news.set()

    # What a clause does with it.

    async def hello(self) -> play_pb2.Hello:
        """What it said first of all."""
        if not self.heard:
            await self._first(lambda _: True, "a Hello")
        return self.heard[0].hello

    def say(self, **items: Any) -> None:
        """One item: `say(turn=...)`."""
        self.say_all(play_pb2.FromReferee(**items))

    def say_all(self, *items: play_pb2.FromReferee) -> None:
        """In one message."""
        self._told += [_short(item) for item in items]
        self._out.put_nowait(PlayResponse(items=items))

    def end(self, why: Said | None = None) -> None:
        """None: the stream ends in good order."""
        self.open = False
        self._out.put_nowait(why)

    def fall_silent(self) -> None:
        """Say nothing more, and keep the stream open."""
        self._silent = True
        self.open = False

    async def answer(self, turn: play_pb2.Turn) -> play_pb2.Move:
        """What it answers to a turn: the first answer that no clause has looked at."""
        item = await self._first(lambda said: _answers(said, turn), f"a move for the token {turn.token!r}")
        return item.move

    async def hears(self, kind: str) -> play_pb2.FromBot:
        """The next item of a kind, such as `resignation`."""
        return await self._first(lambda said: said.WhichOneof("item") == kind, f"an item {kind}")

    async def has_read_all(self) -> None:
        """All that it was told before has been read, and what it has to say to it has had time to come."""
        self._pings += 1
        number = self._pings
        self.say(ping=play_pb2.Ping(id=number))
        await self._first(lambda said: said.pong.id == number, f"a Pong of id {number}")
        await asyncio.sleep(QUIET_S)

    def answers(self, turn: play_pb2.Turn) -> list[str]:
        """Every move that it has ever said to this token, in this session."""
        return [said.move.move for said in self.heard if _answers(said, turn)]

    def begin(self) -> None:
        """Another clause begins: what came before is no matter."""
        self._waiting.clear()
        self._told.clear()
        self._heeded = len(self.heard)

    def _came(self) -> list[play_pb2.FromBot]:
        return self.heard[self._heeded :]

    async def _first(self, fits: Fits, expected: str) -> play_pb2.FromBot:
        try:
            async with asyncio.timeout(self.patience_s):
                while True:
                    found = next((said for said in self._waiting if fits(said)), None)
                    if found is not None:
                        self._waiting.remove(found)
                        return found
                    if not self.open:
                        raise Failed(f"the bot left; {self._account(expected)}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise Failed(f"nothing of the kind within {self.patience_s:g} s; {self._account(expected)}") from None

    def _account(self, expected: str) -> str:
        came = [_short(said) for said in self._came()]
        return "\n".join(
            [
                f"expected: {expected}",
                *(f"told: {item}" for item in self._told[-SHOWN_ITEMS:]),
                *(f"came: {item}" for item in came[-SHOWN_ITEMS:]),
                *([] if came else ["came: nothing"]),
            ]
        )


def _answers(said: play_pb2.FromBot, turn: play_pb2.Turn) -> bool:
    return said.move.token == turn.token and said.move.match_id == turn.match_id


def _short(item: play_pb2.FromBot | play_pb2.FromReferee) -> str:
    text = MessageToString(item, as_one_line=True) or "an item of a kind that this kit does not know"
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
