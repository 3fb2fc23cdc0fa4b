"""PlayService: one stream for all matches of a bot, in which the server sends turns and the bot answers."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import structlog
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server

from engines.api import Game
from referee.accounts.bots import Accounts, Version
from referee.accounts.tokens import BudgetOwner
from referee.live.match_request import find_game
from referee.live.ports import Time
from referee.live.referee import Referee
from referee.live.sessions import Hello, Session
from referee.match.clock import MS, SECOND
from referee.match.setup import Player
from referee.transport.contract_options import PACKAGE
from referee.transport.door_link import LinkedMethod
from referee.transport.forwarding.cluster_gate import ClusterGate
from referee.transport.guards.admission import require_readable
from referee.transport.guards.authentication import CALLER, Caller
from referee.transport.guards.field_limits import check_fields
from referee.transport.guards.rate_limit import RateLimiter, StreamKind
from referee.transport.play.pulled_stream import PulledStream
from referee.transport.play.pushed_stream import PushedStream
from referee.transport.play.reader import HeartbeatConfig, PlayStream
from referee.transport.services.bot_requests import PlayTools
from referee.transport.wire.matches import read_turn_options
from referee.transport.wire.wire_errors import HelloExpected

PATH = f"/{PACKAGE}PlayService/Play"
FIRST_VERSION = "1"
"""Version of a bot that has registered none and names none."""

log = structlog.get_logger("referee.transport")


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """Limits of every Play stream."""

    hello_timeout_ms: int
    heartbeat: HeartbeatConfig
    max_legal_moves: int
    max_matches_per_bot: int
    max_versions_per_bot: int
    max_message_bytes: int
    referee_version: str


class Play(PlayServiceServicer):
    def __init__(
        self,
        referee: Referee,
        games: Mapping[str, Game],
        accounts: Accounts,
        rate_limiter: RateLimiter,
        time: Time,
        tools: PlayTools,
        limits: PlayLimits,
        gate: ClusterGate | None,
    ) -> None:
        """`gate`: None, there are no other nodes."""
        self.map_error = tools.map_error
        self.match_context = tools.match_context
        self.count_repeated = tools.count_repeated
        self._referee = referee
        self._games = games
        self._accounts = accounts
        self._rejection_recorder = tools.rejection_recorder
        self._rate_limiter = rate_limiter
        self._time = time
        self._limits = limits
        self._gate = gate

    def add_to(self, server: grpc.aio.Server) -> None:
        add_PlayServiceServicer_to_server(self, server)

    def method(self, interceptors: Sequence[grpc.aio.ServerInterceptor]) -> LinkedMethod:
        handler = grpc.stream_stream_rpc_method_handler(
            self.Play, play_service_pb2.PlayRequest.FromString, play_service_pb2.PlayResponse.SerializeToString
        )
        return LinkedMethod(PATH, handler, interceptors)

    # It writes to the context itself instead of yielding messages.
    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]
        caller = CALLER.get()
        async with self._rate_limiter.stream(caller, StreamKind.PLAY):
            session, rest = await self._open_session(context, caller)
            try:
                await self._serve(session, context, rest, caller.budget_owner)
            except (Exception, asyncio.CancelledError) as why:
                self._rejection_recorder.record_session_lost(session, why)
                raise
            finally:
                self._referee.sessions.close(session)

    # On its own, so that an open stream does not keep its first message.
    async def _open_session(self, context: Any, caller: Caller) -> tuple[Session, list[play_pb2.BotItem]]:
        """Open a session by the Hello of a bot; return it, and the other items of the first message."""
        first, rest = await self._read_hello(context)
        hello = self.convert_hello(first)
        player = Player(caller.bot, await self._register_version(caller.bot, first.version))
        if self._gate:
            self._gate.check_takes_bots()
        session = self._referee.sessions.open(player, hello, caller.holder)
        structlog.contextvars.bind_contextvars(bot=player.bot, session_id=session.id)
        log.info("session opened", version=player.version, client=first.client[:64])
        return session, rest

    def convert_hello(self, message: play_pb2.Hello) -> Hello:
        """Convert a Hello, capped at the limits of the server. Raises UnknownGame."""
        max_matches = message.max_matches if message.HasField("max_matches") else 1
        return Hello(
            frozenset(find_game(self._games, name).name for name in message.games),
            min(max_matches, self._limits.max_matches_per_bot),
            read_turn_options(message.turn_options, self._limits.max_legal_moves),
            message.verdicts_with_turns,
        )

    def forward(self, session: Session, item: bytes) -> bool:
        return self._gate is not None and self._gate.forward_item(session, item)

    def make_welcome(self, session: Session) -> play_pb2.Welcome:
        heartbeat = self._limits.heartbeat
        return play_pb2.Welcome(
            bot=session.player.bot,
            version=session.player.version,
            session_id=session.id,
            referee_version=self._limits.referee_version,
            max_matches=session.hello.max_matches,
            matches_in_play=self._referee.count_in_play(session.player.bot),
            ping_interval_ms=heartbeat.ping_interval_ms,
            heartbeat_timeout_ms=heartbeat.timeout_us // MS,
            max_message_bytes=self._limits.max_message_bytes,
        )

    async def _serve(self, session: Session, context: Any, rest: list[play_pb2.BotItem], owner: BudgetOwner) -> None:
        # Welcome must be the first item, before those that wait in the outbox.
        await context.write(
            play_service_pb2.PlayResponse(items=[play_pb2.RefereeItem(welcome=self.make_welcome(session))])
        )
        stream = PlayStream(
            self._referee,
            session,
            owner,
            self,
            self._rate_limiter,
            self._rejection_recorder,
            self._time,
            self._limits.heartbeat,
        )
        # The context may be wrapped, so that its type does not tell whether it is that of a front door.
        driver = PushedStream if getattr(context, "push_to", None) else PulledStream
        await stream.run(driver(context, stream), rest)

    async def _read_hello(self, context: Any) -> tuple[play_pb2.Hello, list[play_pb2.BotItem]]:
        """Return the Hello, and the other items of the first message. Raises HelloExpected or BadField."""
        try:
            async with asyncio.timeout(self._limits.hello_timeout_ms * MS / SECOND):
                message = await context.read()
        except TimeoutError:
            raise HelloExpected("") from None
        items = list(getattr(require_readable(message), "items", ()))  # The end of the stream has no items.
        kind = items[0].WhichOneof("item") if items else None
        if kind != "hello":
            raise HelloExpected(kind or "")
        check_fields(items[0])
        return items[0].hello, items[1:]

    async def _register_version(self, bot: str, requested: str) -> str:
        """Return the version that plays, and register it if it is new. Raises TooManyNames."""
        version = requested or (await self._accounts.bot(bot)).latest_version or FIRST_VERSION
        entered = Version(bot, version, self._time.wall_ms())
        return (await self._accounts.add_version(entered, self._limits.max_versions_per_bot)).version
