"""One session: from Hello to the end of the stream."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import grpc
from referee_api.v1 import play_pb2

from referee_client import local
from referee_client.address import Address
from referee_client.backoff import Backoff
from referee_client.errors import NotAllowed, Refusal, TakenOver, stream_error
from referee_client.seats import Seats
from referee_client.stream import HeartbeatTimeout, Outbox, Stream

log = logging.getLogger("referee_client")

CLIENT = f"referee-client-python/{version('referee-client')}"
MAX_LEGAL_MOVES = 5_000


@dataclass(frozen=True)
class SessionOptions:
    """What the Hello of a bot requests."""

    version: str = ""
    games: Sequence[str] = ()
    max_matches: int = 1
    view: bool = False
    verdicts_with_turns: bool = False
    full_history: bool = False
    listed: bool | None = None
    """Whether the referee should list legal moves. None: not known before its games are."""
    referee_version: str = ""
    """Version of the referee's software when `listed` was decided."""

    def hello(self, listed: bool) -> play_pb2.BotItem:
        """Return the Hello. `listed`: whether the referee should list legal moves."""
        turn_options = play_pb2.TurnOptions(
            max_legal_moves=MAX_LEGAL_MOVES if listed else 0,
            include_view=self.view,
            full_move_history=self.full_history,
        )
        return play_pb2.BotItem(
            hello=play_pb2.Hello(
                version=self.version,
                games=self.games,
                max_matches=self.max_matches,
                turn_options=turn_options,
                client=CLIENT,
                verdicts_with_turns=self.verdicts_with_turns,
            )
        )


class RefereeChanged(Exception):
    """The moves that this process lists may be wrong: the referee's games must be compared again."""


class Session:
    def __init__(self, options: SessionOptions, seats: Seats, backoff: Backoff) -> None:
        self.options = options
        """After the Welcome, this contains the version that the session plays as, and what is known of the games."""
        self._seats = seats
        self._backoff = backoff
        self._outbox = Outbox()
        self._stream: Stream | None = None
        self._target = ""
        self._listed = True
        self._reconnect_delay_s: float | None = None
        self._handlers: dict[str, Callable[[Any], None]] = {
            "welcome": self._on_welcome,
            "ping": self._on_ping,
            "turn": lambda turn: seats.on_turn(turn, self._listed),
            "verdict": seats.on_verdict,
            "turn_expired": seats.on_turn_expired,
            "match_started": seats.on_match_started,
            "match_ended": seats.on_match_ended,
            "nonce_request": lambda request: self._outbox.put(seats.nonces.on_request(request)),
            "draining": self._on_draining,
            "notice": _on_notice,
            "session_taken_over": _on_takeover,
        }

    async def run(self, address: Address) -> float:
        """Run the session, and return how many seconds to wait before the next one.

        Raises TakenOver, NotAllowed or Misconfigured.
        """
        with address.channel() as channel:
            # Asked for again after each broken connection, the games would cost the bot its clock.
            if self.options.listed is None:
                self._listed = not await asyncio.to_thread(local.has_same_games, channel, address.metadata)
            else:
                self._listed = self.options.listed
            self._outbox.put(self.options.hello(self._listed))
            stream = self._stream = Stream(channel, address.metadata, self._outbox)
            self._target = address.target
            self._seats.connect(self._outbox.put)
            try:
                return await self._handle_messages(stream)
            finally:
                self._seats.disconnect()
                stream.close()

    async def _handle_messages(self, stream: Stream) -> float:
        reason = "the referee ended the stream"
        try:
            async for message in stream.messages():
                for item in message.items:
                    self._handle(item)
        except grpc.RpcError as error:
            refused = stream_error(error)
            if isinstance(refused, NotAllowed | TakenOver):
                raise refused from None
            reason = str(refused)
        except (HeartbeatTimeout, RefereeChanged) as why:
            reason = str(why)
        return self._pause_s(reason)

    def _pause_s(self, reason: str) -> float:
        if self._reconnect_delay_s is not None:
            pause_s = self._backoff.after_draining(self._reconnect_delay_s)
        else:
            pause_s = self._backoff.after_failure(self._seats.has_open_turn)
        log.warning("disconnected: %s; reconnecting in %.1f s", reason, pause_s)
        return pause_s

    def _handle(self, item: play_pb2.RefereeItem) -> None:
        """Handle an item. Items that this library does not know are ignored."""
        kind = item.WhichOneof("item")
        if kind in self._handlers:
            self._handlers[kind](getattr(item, kind))

    def _on_welcome(self, welcome: play_pb2.Welcome) -> None:
        self._backoff.on_welcome()
        known = self.options.referee_version
        # Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
        self.options = replace(
            self.options, version=welcome.version, listed=self._listed, referee_version=welcome.referee_version
        )
        if known not in ("", welcome.referee_version) and not self._listed:
            self.options = replace(self.options, listed=None, referee_version="")
            raise RefereeChanged(f"the referee has another version, {welcome.referee_version}, and maybe other games")
        if self._stream and welcome.heartbeat_timeout_ms > 0:
            self._stream.heartbeat_timeout_s = welcome.heartbeat_timeout_ms / 1_000
        log.info("connected to %s as %s, version %s", self._target, welcome.bot, welcome.version)

    def _on_ping(self, ping: play_pb2.Ping) -> None:
        self._outbox.put(play_pb2.BotItem(pong=play_pb2.Pong(id=ping.id)))

    def _on_draining(self, draining: play_pb2.Draining) -> None:
        self._reconnect_delay_s = draining.reconnect_delay_ms / 1_000


def _on_notice(notice: play_pb2.Notice) -> None:
    log.warning("notice of the referee: %s", notice.message)


def _on_takeover(message: play_pb2.SessionTakenOver) -> None:
    error = f"a newer session of this bot has taken over its seats: {message.new_session_id}"
    raise TakenOver(Refusal("SESSION_TAKEN_OVER", error))
