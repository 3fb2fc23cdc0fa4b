"""One Play stream of the bot, as clauses use it: send items, and wait for items of the bot."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any

from google.protobuf.text_format import MessageToString
from referee_api.v1 import match_pb2, play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from referee.conformance.clause import ClauseFailed
from referee.conformance.protocol_observer import ProtocolObserver
from referee.transport.guards.error_interceptor import abort_with
from referee.transport.wire.error_mapping import WireError, error_detail_of

SHOWN_CHARS = 160
SHOWN_ITEMS = 4
QUIET_S = 0.4
"""How long to wait for items that a bot should not send."""
PING_EVERY_S = 5.0
FIRST_PING_ID = 1 << 40
"""Ids of the pings that clauses do not choose themselves start here."""

Fits = Callable[[play_pb2.BotItem], bool]


class BotSession:
    """One Play stream, from its first message to its end."""

    def __init__(self, context: Any, observer: ProtocolObserver, patience_s: float) -> None:
        self.metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        self.patience_s = patience_s
        self.observer = observer
        self._observed = observer.on_open(self.metadata, context.peer(), context.time_remaining() is not None)
        self.open = True
        self.received: list[play_pb2.BotItem] = []
        """All items of the bot, except the pongs for heartbeats."""
        self.messages: list[list[play_pb2.BotItem]] = []
        """These items of the clause, by message."""
        self._clause_start = 0
        self._unread: list[play_pb2.BotItem] = []
        """Received items that no clause has consumed."""
        self._sent: list[str] = []
        self._muted = False
        self._outgoing: asyncio.Queue[PlayResponse | WireError | None] = asyncio.Queue()
        self._changed = asyncio.Event()
        self._ping_ids = count(FIRST_PING_ID)
        self._heartbeats: set[int] = set()
        """Ids of the pings that keep the session alive while a clause waits."""

    # Called by the server.

    async def serve(self, requests: AsyncIterator[PlayRequest], context: Any) -> None:
        """Transfer items in both directions until a clause or the bot ends the stream."""
        listening = asyncio.create_task(self._read(requests))
        try:
            while isinstance(message := await self._next_message(), PlayResponse):
                self.observer.on_sent(self._observed, message)
                await context.write(message)
            if message:
                await abort_with(context, message)
        finally:
            self._close()
            listening.cancel()

    async def _next_message(self) -> PlayResponse | WireError | None:
        """Wait for the next message to send. Returns a ping if there is none for a while."""
        while True:
            try:
                async with asyncio.timeout(PING_EVERY_S):
                    return await self._outgoing.get()
            except TimeoutError:
                if not self._muted:
                    heartbeat = play_pb2.Ping(id=next(self._ping_ids))
                    self._heartbeats.add(heartbeat.id)
                    return PlayResponse(items=[play_pb2.RefereeItem(ping=heartbeat)])

    async def _read(self, requests: AsyncIterator[PlayRequest]) -> None:
        async for request in requests:
            self.observer.on_received(self._observed, request)
            items = [item for item in request.items if item.pong.id not in self._heartbeats]
            self.received += items
            self.messages.append(items)
            self._unread += items
            self._changed.set()
        if self.open:
            self.observer.on_half_close()
        self._close()
        self._outgoing.put_nowait(None)

    def _close(self) -> None:
        self.open = False
        self._changed.set()

    # Called by clauses.

    async def hello(self) -> play_pb2.Hello:
        """Wait for the first item of the bot and return it."""
        if not self.received:
            await self._wait_for(lambda _: True, "a Hello")
        return self.received[0].hello

    def send(self, **items: Any) -> None:
        """Send one item: `send(turn=...)`."""
        self.send_batch(play_pb2.RefereeItem(**items))

    def send_batch(self, *items: play_pb2.RefereeItem) -> None:
        """Send several items in one message."""
        self._sent += [_format_item(item) for item in items]
        self._outgoing.put_nowait(PlayResponse(items=items))

    def send_started(self, match: match_pb2.Match, seat: int) -> None:
        """Send the start of a match."""
        self.send(match_started=play_pb2.MatchStarted(match=match, seat=seat))

    def accept(self, turn: play_pb2.Turn) -> None:
        """Send the verdict that the answer to a turn was accepted."""
        self._send_verdict(turn, accepted=play_pb2.Acceptance(ply=turn.ply + 1))

    def reject(self, turn: play_pb2.Turn, error: WireError, attempts_left: int) -> None:
        """Send the verdict that the answer to a turn was rejected."""
        rejection = play_pb2.Rejection(error=error_detail_of(error), attempts_left=attempts_left)
        self._send_verdict(turn, rejected=rejection)

    def declare_stale(self, turn: play_pb2.Turn) -> None:
        """Send the verdict that the answer to a turn came too late to count."""
        self._send_verdict(turn, stale=play_pb2.StaleAnswer())

    def _send_verdict(self, turn: play_pb2.Turn, **outcome: Any) -> None:
        self.send(verdict=play_pb2.Verdict(match_id=turn.match_id, turn_token=turn.turn_token, **outcome))

    def end(self, why: WireError | None = None) -> None:
        """End the stream with an error, or normally if None."""
        self.open = False
        self._outgoing.put_nowait(why)

    def go_silent(self) -> None:
        """Send nothing more, not even pings, but keep the stream open."""
        self._muted = True
        self.open = False

    async def answer_to(self, turn: play_pb2.Turn) -> play_pb2.Move:
        """Wait for the answer to a turn: the first one that no clause has consumed. Raises ClauseFailed."""
        item = await self._wait_for(lambda it: answers_turn(it, turn), f"a move for the token {turn.turn_token!r}")
        return item.move

    async def receive(self, kind: str) -> play_pb2.BotItem:
        """Wait for the next item of a kind, such as `resignation`. Raises ClauseFailed."""
        return await self._wait_for(lambda it: it.WhichOneof("item") == kind, f"an item {kind}")

    async def wait_until_read(self) -> None:
        """Wait until the bot has read everything sent before, and had time to send what it should not."""
        await self.wait_until_handled()
        await asyncio.sleep(QUIET_S)
        await self.wait_until_handled()

    async def wait_until_handled(self) -> None:
        """Wait until the bot has answered a ping. Raises ClauseFailed."""
        number = next(self._ping_ids)
        self.send(ping=play_pb2.Ping(id=number))
        await self._wait_for(lambda it: it.pong.id == number, f"a Pong of id {number}")

    def start_clause(self) -> None:
        """Discard what was received before the clause."""
        self._unread.clear()
        self.messages.clear()
        self._sent.clear()
        self._clause_start = len(self.received)

    def _received_in_clause(self) -> list[play_pb2.BotItem]:
        return self.received[self._clause_start :]

    async def _wait_for(self, fits: Fits, expected: str) -> play_pb2.BotItem:
        try:
            async with asyncio.timeout(self.patience_s):
                while True:
                    self._check(expected)
                    found = next((it for it in self._unread if fits(it)), None)
                    if found is not None:
                        self._unread.remove(found)
                        return found
                    if not self.open:
                        raise ClauseFailed(f"the bot ended the stream; {self._describe(expected)}")
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise ClauseFailed(f"not received within {self.patience_s:g} s; {self._describe(expected)}") from None

    def _check(self, expected: str) -> None:
        try:
            self.observer.check()
        except ClauseFailed as why:
            raise ClauseFailed(f"{why}; {self._describe(expected)}") from None

    def _describe(self, expected: str) -> str:
        received = [_format_item(it) for it in self._received_in_clause()]
        return "\n".join(
            [
                f"expected: {expected}",
                *(f"sent: {item}" for item in self._sent[-SHOWN_ITEMS:]),
                *(f"received: {item}" for item in received[-SHOWN_ITEMS:]),
                *([] if received else ["received: nothing"]),
            ]
        )


def answers_turn(it: play_pb2.BotItem, turn: play_pb2.Turn) -> bool:
    """Whether the item is a move for the token of the turn."""
    return it.move.turn_token == turn.turn_token and it.move.match_id == turn.match_id


def _format_item(item: play_pb2.BotItem | play_pb2.RefereeItem) -> str:
    text = MessageToString(item, as_one_line=True) or "an unknown item"
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
