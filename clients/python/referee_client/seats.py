"""The bot's seats across all its sessions: the last turn of each, and the answer to it.

A turn token never gets two answers: if a turn is repeated while the bot is thinking about it, nothing happens, and if
there is an answer already, the same answer is sent again.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from itertools import count

from referee_api.v1 import game_pb2, play_pb2

from referee_client.answers import RESIGN, spoken
from referee_client.bot import Key
from referee_client.errors import Refusal, refusal_in
from referee_client.exchange import Exchange
from referee_client.matches import end_in, match_in
from referee_client.thinking import BotBroke, Thinker
from referee_client.turn import turn_in

log = logging.getLogger("referee_client")

Say = Callable[[play_pb2.BotItem], None]


@dataclass
class Seat:
    """One seat in one match."""

    now: Exchange | None = None
    """The open turn; None if the seat is not to move."""
    rules: game_pb2.Rules | None = None
    """The rules of its match as last received; turns omit large ones."""
    refused: Refusal | None = None
    """The error of its last answer."""

    def drop_turn(self) -> None:
        if self.now:
            self.now.forget()
        self.now = None


class Seats:
    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._seats: dict[Key, Seat] = {}
        self._say: Say | None = None
        self._item_ids = count(1)
        self._beside: set[asyncio.Task[None]] = set()

    def connect(self, say: Say) -> None:
        """Send answers through a new stream."""
        self._say = say

    def disconnect(self) -> None:
        """Stop sending, because the stream has ended. New answers are sent when their turn is repeated."""
        self._say = None

    def close(self) -> None:
        """Drop all open turns."""
        for seat in self._seats.values():
            seat.drop_turn()

    def on_match_started(self, news: play_pb2.MatchStarted) -> None:
        match = match_in(news.match)
        key = (match.id, news.seat)
        if key not in self._seats:
            self._seats[key] = Seat(rules=news.match.terms.rules)
            self._tell_bot(self._thinker.started(key, match))

    def on_turn(self, message: play_pb2.Turn, listed: bool) -> None:
        """Handle a turn. `listed`: whether the referee was asked to list legal moves."""
        key = (message.match_id, message.seat)
        seat = self._seats.setdefault(key, Seat())
        if message.HasField("rules"):
            seat.rules = message.rules
        if seat.now is None or seat.now.turn.token != message.turn_token:
            seat.drop_turn()
            seat.now = Exchange(turn_in(message, listed, seat.rules))
            self._think(key, seat, seat.now)
        elif seat.now.said:
            self._tell_referee(seat.now.said)

    def on_verdict(self, verdict: play_pb2.Verdict) -> None:
        for key, seat in self._seats.items():
            if seat.now and seat.now.is_meant(verdict):
                self._on_own_verdict(verdict, key, seat, seat.now)

    def on_turn_expired(self, news: play_pb2.TurnExpired) -> None:
        for (match_id, _), seat in self._seats.items():
            if match_id == news.match_id and seat.now and seat.now.turn.token == news.turn_token:
                seat.drop_turn()

    def on_match_ended(self, news: play_pb2.MatchEnded) -> None:
        """Handle the end of a match. The bot is notified once, and only of matches that it has heard of before."""
        key = (news.match_id, news.seat)
        seat = self._seats.pop(key, None)
        if seat:
            seat.drop_turn()
            self._tell_bot(self._thinker.ended(key, end_in(news)))

    def _on_own_verdict(self, verdict: play_pb2.Verdict, key: Key, seat: Seat, exchange: Exchange) -> None:
        """Handle a verdict on the current answer. Stale answers need nothing, as their turn is no longer open."""
        outcome = verdict.WhichOneof("outcome")
        if outcome == "accepted":
            seat.refused = None
        elif outcome == "rejected":
            self._on_refusal(refusal_in(verdict.rejected.error), key, seat, exchange)

    def _on_refusal(self, refusal: Refusal, key: Key, seat: Seat, exchange: Exchange) -> None:
        log.warning("match %s, seat %d, ply %d: %s", *key, exchange.turn.ply, refusal)
        said = exchange.said
        if said is None:  # There is no answer to this turn that could be rejected.
            return
        if refusal.retry_after is not None:
            asyncio.get_running_loop().call_later(refusal.retry_after, self._tell_referee, said)
            return
        seat.refused = refusal
        if not (said.HasField("move") or said.HasField("resignation")):
            # A rejected draw claim or reply is no answer to the turn, which is still open.
            seat.now = Exchange(exchange.turn)
            self._think(key, seat, seat.now)

    def _think(self, key: Key, seat: Seat, exchange: Exchange) -> None:
        exchange.thinking = asyncio.create_task(self._answer(key, seat, exchange))

    async def _answer(self, key: Key, seat: Seat, exchange: Exchange) -> None:
        try:
            answer = await self._thinker.choose(key, exchange.after(seat.refused))
        except BotBroke as why:
            log.error("match %s, seat %d, ply %d: the bot broke, and resigns:\n%s", *key, exchange.turn.ply, why)
            answer = RESIGN
        exchange.said = spoken(exchange.turn, answer)
        exchange.said.item_id = next(self._item_ids)
        self._tell_referee(exchange.said)

    def _tell_referee(self, item: play_pb2.BotItem) -> None:
        if self._say:
            self._say(item)

    def _tell_bot(self, news: Coroutine[None, None, None]) -> None:
        """Notify the bot in a background task."""
        task = asyncio.create_task(_run_logged(news))
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)


async def _run_logged(news: Coroutine[None, None, None]) -> None:
    try:
        await news
    except BotBroke as why:
        log.error("the bot broke:\n%s", why)
