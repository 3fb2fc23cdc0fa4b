"""Client of the embedded server: registers bots, creates matches, watches them and downloads their records."""

from collections.abc import AsyncGenerator, Sequence
from types import TracebackType
from typing import Self
from uuid import uuid4

import grpc
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    game_pb2,
    match_pb2,
    match_service_pb2,
    token_pb2,
)
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from referee.local.entrant import entrant_of
from referee.local.plan import LocalPairing
from referee.transport.wire.terms import terms_of

TITLE_CHARS = 200
LABEL = "arena"
ANY_SIZE = -1
"""No limit on the size of responses, because the server is ours."""


class ArenaClient:
    """Connection to one server with an administrator's token; an async context manager."""

    def __init__(self, address: str, secret: str) -> None:
        self._channel = grpc.aio.insecure_channel(address, [("grpc.max_receive_message_length", ANY_SIZE)])
        self._metadata = (("authorization", f"Bearer {secret}"),)
        self._admin = AdminServiceStub(self._channel)
        self._bots = BotServiceStub(self._channel)
        self._matches = MatchServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._channel.close()

    async def register(self, bot: str) -> str:
        """Register a bot unless an earlier run has done so, and return a new token for it.

        Each entrant is a holder of its own, so that a bot is not credited with the delay that its own calls cause, but
        all others are.
        """
        request = bot_service_pb2.RegisterBotRequest(request_id=f"register {bot}", name=bot)
        await self._bots.RegisterBot(request, metadata=self._metadata)
        token = admin_service_pb2.CreateTokenRequest(
            role=token_pb2.ROLE_BOT, bot=bot, holder=f"bot {entrant_of(bot)}", label=LABEL
        )
        return (await self._admin.CreateToken(token, metadata=self._metadata)).secret

    async def is_ready(self, bot: str, game: str) -> bool:
        """Return whether the bot is online and accepts the game."""
        answer = await self._bots.GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=self._metadata)
        sessions = answer.bot.presence.sessions
        return any(one.max_matches and (not one.games or game in one.games) for one in sessions)

    async def refuses(self, bot: str, game: str) -> bool:
        """Return whether the bot is online, but accepts only other games."""
        answer = await self._bots.GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=self._metadata)
        sessions = answer.bot.presence.sessions
        return bool(sessions) and all(one.games and game not in one.games for one in sessions)

    async def is_playing(self, bot: str) -> bool:
        """Return whether the bot is in a match that has started."""
        request = match_service_pb2.ListMatchesRequest(bot=bot, phase=match_pb2.MATCH_PHASE_PLAYING, page_size=1)
        return bool((await self._matches.ListMatches(request, metadata=self._metadata)).matches)

    async def create_match(self, pairing: LocalPairing, seats: Sequence[str]) -> str:
        """Create a match of the pairing between the named bots and return its id."""
        game, terms = pairing.terms.game, pairing.terms.match_terms
        request = match_service_pb2.CreateMatchRequest(
            request_id=uuid4().hex,
            title=pairing.name[:TITLE_CHARS],
            terms=terms_of(terms, game.version),
            seats=[match_pb2.BotRef(bot=name) for name in seats],
            opening=game_pb2.Opening(position=pairing.opening),
        )
        answer = await self._matches.CreateMatch(request, metadata=self._metadata)
        return answer.match.id

    async def has_begun(self, match_id: str) -> bool:
        """Return whether the match has started, and perhaps ended."""
        request = match_service_pb2.GetMatchRequest(match_id=match_id)
        match = (await self._matches.GetMatch(request, metadata=self._metadata)).match
        return match.HasField("start_time")

    async def abort(self, match_id: str) -> None:
        """Abort a match. Does nothing if it is over."""
        request = match_service_pb2.AbortMatchRequest(request_id=uuid4().hex, match_id=match_id)
        try:
            await self._matches.AbortMatch(request, metadata=self._metadata)
        except grpc.aio.AioRpcError as refused:
            if refused.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise

    async def events(self, match_id: str) -> AsyncGenerator[str, None]:
        """Watch a match from its first entry and yield the kind of each."""
        request = match_service_pb2.WatchMatchRequest(match_id=match_id, after_number=0)
        async for response in self._matches.WatchMatch(request, metadata=self._metadata):
            for item in response.items:
                if item.HasField("entry"):
                    yield item.entry.WhichOneof("event") or ""

    async def record(self, match_id: str) -> bytes:
        """Return the record of a finished match."""
        request = match_service_pb2.GetRecordRequest(match_id=match_id)
        responses = self._matches.GetRecord(request, metadata=self._metadata)
        return b"".join([f"{line}\n".encode() async for response in responses for line in response.lines])
