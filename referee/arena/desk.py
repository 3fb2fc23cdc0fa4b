"""The organiser's desk: registers bots, makes matches and hears how they end, by the contract."""

from collections.abc import AsyncGenerator, Sequence
from types import TracebackType
from typing import Self
from uuid import uuid4

import grpc
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    clock_pb2,
    match_pb2,
    match_service_pb2,
    token_pb2,
)
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_api.v1.match_service_pb2_grpc import MatchServiceStub

from referee.arena.entrant import entrant_of
from referee.arena.schedule import Pairing
from referee.transport.convert.controls import rule_of
from referee.transport.convert.policies import policies_of
from referee.transport.convert.rules import rules_of

TITLE_CHARS = 200
LABEL = "of an arena"
ANY_SIZE = -1
"""No limit: what the referee says, its own organiser reads."""


class Desk:
    """Speaks to one referee by an administrator's token, from `async with` to its end."""

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
        """The secret of a bot, which is registered unless that was done in an earlier run.

        Its holder is its entrant, as if every entrant had an author of its own: no bot gets back the time that its own
        calls have cost the referee, and all others do.
        """
        request = bot_service_pb2.RegisterBotRequest(request_id=f"register {bot}", name=bot)
        await self._bots.RegisterBot(request, metadata=self._metadata)
        token = admin_service_pb2.CreateTokenRequest(
            role=token_pb2.ROLE_BOT, bot=bot, holder=f"bot {entrant_of(bot)}", label=LABEL
        )
        return (await self._admin.CreateToken(token, metadata=self._metadata)).secret

    async def is_ready(self, bot: str, game: str) -> bool:
        """Is it there, and does it take this game?"""
        answer = await self._bots.GetBot(bot_service_pb2.GetBotRequest(name=bot), metadata=self._metadata)
        sessions = answer.bot.presence.sessions
        return any(one.matches_at_most and (not one.games or game in one.games) for one in sessions)

    async def plays(self, bot: str) -> bool:
        """Is it in a match that has begun?"""
        request = match_service_pb2.ListMatchesRequest(bot=bot, phase=match_pb2.PHASE_PLAYING, page_size=1)
        return bool((await self._matches.ListMatches(request, metadata=self._metadata)).matches)

    async def make(self, pairing: Pairing, seats: Sequence[str]) -> str:
        """The id of a new match of this pairing, between the bots of these names."""
        terms = pairing.terms
        request = match_service_pb2.CreateMatchRequest(
            request_id=uuid4().hex,
            title=pairing.name[:TITLE_CHARS],
            terms=match_pb2.MatchTerms(
                rules=rules_of(terms.game.name, terms.game.version, terms.settings),
                time_control=clock_pb2.TimeControl(rule=rule_of(terms.control)),
                policies=policies_of(terms.policies),
            ),
            seats=[match_pb2.BotRef(bot=name) for name in seats],
        )
        answer = await self._matches.CreateMatch(request, metadata=self._metadata)
        return answer.match.id

    async def call_off(self, match_id: str) -> None:
        """That it is over already is as good."""
        request = match_service_pb2.AbortMatchRequest(request_id=uuid4().hex, match_id=match_id)
        try:
            await self._matches.AbortMatch(request, metadata=self._metadata)
        except grpc.aio.AioRpcError as refused:
            if refused.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise

    async def happenings(self, match_id: str) -> AsyncGenerator[str, None]:
        """What happens in a match, from its beginning to its end: the kind of each entry."""
        request = match_service_pb2.WatchMatchRequest(match_id=match_id, after=0)
        async for response in self._matches.WatchMatch(request, metadata=self._metadata):
            for item in response.items:
                if item.HasField("entry"):
                    yield item.entry.WhichOneof("event") or ""

    async def record(self, match_id: str) -> bytes:
        """The file of a match that is over."""
        request = match_service_pb2.GetRecordRequest(match_id=match_id)
        responses = self._matches.GetRecord(request, metadata=self._metadata)
        return b"".join([f"{line}\n".encode() async for response in responses for line in response.lines])
