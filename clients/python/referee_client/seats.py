"""The bot's seats, over all its sessions: what each was asked last, and what it says to that.

Never two answers to one token: while a turn is thought about nothing more happens when it is asked again,
and once there is an answer, that very answer is said again.
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

Say = Callable[[play_pb2.FromBot], None]


@dataclass
class Seat:
    """One seat in one match."""

    now: Exchange | None = None
    """None: it owes nothing."""
    rules: game_pb2.Rules | None = None
    """Those of its match, as it was told last: turns leave large ones out."""
    refused: Refusal | None = None
    """What was wrong with what it said last."""

    def owes_nothing(self) -> None:
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

    def speak_by(self, say: Say) -> None:
        """There is a stream."""
        self._say = say

    def fall_silent(self) -> None:
        """The stream has ended. What is found meanwhile is said when the turn is asked again."""
        self._say = None

    def close(self) -> None:
        """Nothing needs an answer any more."""
        for seat in self._seats.values():
            seat.owes_nothing()

    def started(self, news: play_pb2.MatchStarted) -> None:
        match = match_in(news.match)
        key = (match.id, news.seat)
        if key not in self._seats:
            self._seats[key] = Seat(rules=news.match.terms.rules)
            self._tell_bot(self._thinker.started(key, match))

    def asked(self, message: play_pb2.Turn, listed: bool) -> None:
        """`listed`: the referee was asked to list legal moves."""
        key = (message.match_id, message.seat)
        seat = self._seats.setdefault(key, Seat())
        if message.HasField("rules"):
            seat.rules = message.rules
        if seat.now is None or seat.now.turn.token != message.token:
            seat.owes_nothing()
            seat.now = Exchange(turn_in(message, listed, seat.rules))
            self._think(key, seat, seat.now)
        elif seat.now.said:
            self._tell_referee(seat.now.said)

    def judged(self, verdict: play_pb2.Verdict) -> None:
        for key, seat in self._seats.items():
            if seat.now and seat.now.is_meant(verdict):
                self._heed(verdict, key, seat, seat.now)

    def lapsed(self, news: play_pb2.TurnLapsed) -> None:
        for (match_id, _), seat in self._seats.items():
            if match_id == news.match_id and seat.now and seat.now.turn.token == news.token:
                seat.owes_nothing()

    def ended(self, news: play_pb2.MatchEnded) -> None:
        """The bot hears it the first time, and only of matches that it was told of."""
        key = (news.match_id, news.seat)
        seat = self._seats.pop(key, None)
        if seat:
            seat.owes_nothing()
            self._tell_bot(self._thinker.ended(key, end_in(news)))

    def _heed(self, verdict: play_pb2.Verdict, key: Key, seat: Seat, exchange: Exchange) -> None:
        """A stale answer is left alone: nobody will ask for it again."""
        outcome = verdict.WhichOneof("outcome")
        if outcome == "accepted":
            seat.refused = None
        elif outcome == "refused":
            self._heed_refusal(refusal_in(verdict.refused.refusal), key, seat, exchange)

    def _heed_refusal(self, refusal: Refusal, key: Key, seat: Seat, exchange: Exchange) -> None:
        log.warning("match %s, seat %d, ply %d: %s", *key, exchange.turn.ply, refusal)
        said = exchange.said
        if said is None:  # Nothing was said to this turn that could be refused.
            return
        if refusal.retry_after is not None:
            asyncio.get_running_loop().call_later(refusal.retry_after, self._tell_referee, said)
            return
        seat.refused = refusal
        if not (said.HasField("move") or said.HasField("resignation")):
            # A claim that does not hold is no answer to the turn, which still waits for one.
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

    def _tell_referee(self, item: play_pb2.FromBot) -> None:
        if self._say:
            self._say(item)

    def _tell_bot(self, news: Coroutine[None, None, None]) -> None:
        """Beside everything else."""
        task = asyncio.create_task(_told(news))
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)


async def _told(news: Coroutine[None, None, None]) -> None:
    try:
        await news
    except BotBroke as why:
        log.error("the bot broke:\n%s", why)
