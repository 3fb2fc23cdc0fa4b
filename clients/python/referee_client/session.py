"""One session: from Hello to the end of the stream."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import grpc
from referee_api.v1 import play_pb2

from referee_client import local
from referee_client.address import Address
from referee_client.errors import NotAllowed, Refusal, TakenOver, refused_by
from referee_client.pauses import Pauses
from referee_client.seats import Seats
from referee_client.stream import Outbox, Silence, Stream

log = logging.getLogger("referee_client")

CLIENT = f"referee-client-python/{version('referee-client')}"
MAX_LEGAL_MOVES = 5_000
NONCE_BYTES = 32


@dataclass(frozen=True)
class Wanted:
    """What a bot requests of its sessions."""

    version: str = ""
    games: Sequence[str] = ()
    max_matches: int = 1
    view: bool = False
    verdicts_with_turns: bool = False

    def hello(self, listed: bool) -> play_pb2.BotItem:
        """Return the Hello. `listed`: whether the referee should list legal moves."""
        wishes = play_pb2.TurnOptions(max_legal_moves=MAX_LEGAL_MOVES if listed else 0, include_view=self.view)
        return play_pb2.BotItem(
            hello=play_pb2.Hello(
                version=self.version,
                games=self.games,
                max_matches=self.max_matches,
                turn_options=wishes,
                client=CLIENT,
                verdicts_with_turns=self.verdicts_with_turns,
            )
        )


class Session:
    def __init__(self, wanted: Wanted, seats: Seats, pauses: Pauses) -> None:
        self.wanted = wanted
        """After the Welcome, this contains the version that the session plays as."""
        self._seats = seats
        self._pauses = pauses
        self._outbox = Outbox()
        self._stream: Stream | None = None
        self._target = ""
        self._listed = True
        self._return_after_s: float | None = None
        self._handlers: dict[str, Callable[[Any], None]] = {
            "welcome": self._welcomed,
            "ping": self._pinged,
            "turn": lambda turn: seats.on_turn(turn, self._listed),
            "verdict": seats.on_verdict,
            "turn_expired": seats.on_turn_expired,
            "match_started": seats.on_match_started,
            "match_ended": seats.on_match_ended,
            "nonce_request": self._nonce_wanted,
            "draining": self._draining,
            "notice": _noticed,
            "session_taken_over": _taken_over,
        }

    async def lasts(self, address: Address) -> float:
        """Run the session, and return how many seconds to wait before the next one.

        Raises TakenOver, NotAllowed or Misconfigured.
        """
        with address.channel() as channel:
            self._listed = not await asyncio.to_thread(local.same_as, channel, address.metadata)
            self._outbox.say(self.wanted.hello(self._listed))
            stream = self._stream = Stream(channel, address.metadata, self._outbox)
            self._target = address.target
            self._seats.connect(self._outbox.say)
            try:
                return await self._listens(stream)
            finally:
                self._seats.disconnect()
                stream.close()

    async def _listens(self, stream: Stream) -> float:
        why = "it ended the stream"
        try:
            async for message in stream.messages():
                for item in message.items:
                    self._hear(item)
        except grpc.RpcError as ended:
            refused = refused_by(ended)
            if isinstance(refused, NotAllowed | TakenOver):
                raise refused from None
            why = str(refused)
        except Silence as silence:
            why = str(silence)
        return self._away_s(why)

    def _away_s(self, why: str) -> float:
        if self._return_after_s is not None:
            pause_s = self._pauses.after_draining(self._return_after_s)
        else:
            pause_s = self._pauses.after_break()
        log.warning("the referee is away: %s; coming back in %.1f s", why, pause_s)
        return pause_s

    def _hear(self, item: play_pb2.RefereeItem) -> None:
        """Handle an item. Items that this library does not know are ignored."""
        kind = item.WhichOneof("item")
        if kind in self._handlers:
            self._handlers[kind](getattr(item, kind))

    def _welcomed(self, welcome: play_pb2.Welcome) -> None:
        self._pauses.welcomed()
        # Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
        self.wanted = replace(self.wanted, version=welcome.version)
        if self._stream and welcome.heartbeat_timeout_ms:
            self._stream.max_silence_s = welcome.heartbeat_timeout_ms / 1_000
        log.info("connected to %s as %s, version %s", self._target, welcome.bot, welcome.version)

    def _pinged(self, ping: play_pb2.Ping) -> None:
        self._outbox.say(play_pb2.BotItem(pong=play_pb2.Pong(id=ping.id)))

    def _nonce_wanted(self, wanted: play_pb2.NonceRequest) -> None:
        """Contribute random bytes to the seed, so that nobody can choose it alone."""
        nonce = play_pb2.Nonce(match_id=wanted.match_id, seat=wanted.seat, nonce=secrets.token_bytes(NONCE_BYTES))
        self._outbox.say(play_pb2.BotItem(nonce=nonce))

    def _draining(self, draining: play_pb2.Draining) -> None:
        self._return_after_s = draining.reconnect_delay_ms / 1_000


def _noticed(notice: play_pb2.Notice) -> None:
    log.warning("the referee says: %s", notice.message)


def _taken_over(news: play_pb2.SessionTakenOver) -> None:
    sentence = f"a newer session of this bot plays its matches now: {news.new_session_id}"
    raise TakenOver(Refusal("SESSION_TAKEN_OVER", sentence))
