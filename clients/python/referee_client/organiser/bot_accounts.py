"""Client for the owners of bots: descriptions, versions, tokens and pauses."""

from collections.abc import AsyncIterator
from datetime import datetime

from referee_api.conversion import to_message, to_value
from referee_api.v1 import bot_pb2
from referee_api.v1 import bot_service_pb2 as pb
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub
from referee_values import Bot, BotVersion, Consent, Token

from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator
from referee_client.organiser.calls import PAGE_SIZE, Calls, timestamp
from referee_client.organiser.responses import NewToken


class AsyncBotAccounts:
    """All methods raise Refused (of which NotAllowed is a subclass), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = BotServiceStub(calls.channel)

    async def get(self, bot: str) -> Bot:
        return await self._calls.fetch(Bot, self._stub.GetBot, pb.GetBotRequest(name=bot), "bot")

    async def update(self, bot: str, description: str | None = None, consent: Consent | None = None) -> Bot:
        """Change what is given; a consent, which says from whom the bot takes matches, replaces the previous one."""
        request = pb.UpdateBotRequest(
            name=bot, description=description, consent=to_message(consent, bot_pb2.Consent) if consent else None
        )
        return await self._calls.fetch(Bot, self._stub.UpdateBot, request, "bot")

    async def reinstate(self, bot: str) -> Bot:
        """Resume a bot that was paused for its faults."""
        return await self._calls.fetch(Bot, self._stub.ReinstateBot, pb.ReinstateBotRequest(name=bot), "bot")

    async def register_version(self, bot: str, version: str, note: str = "") -> BotVersion:
        request = pb.RegisterVersionRequest(bot=bot, version=version, note=note)
        return await self._calls.fetch(BotVersion, self._stub.RegisterVersion, request, "version")

    async def versions(self, bot: str) -> AsyncIterator[BotVersion]:
        """Return the versions of a bot, the newest first."""
        request = pb.ListVersionsRequest(bot=bot, page_size=PAGE_SIZE)
        async for version in self._calls.list_values(BotVersion, self._stub.ListVersions, request, "versions"):
            yield version

    async def make_token(self, bot: str, label: str = "", expires_at: datetime | None = None) -> NewToken:
        """Create a token of a bot and return it with its secret, which cannot be read again later."""
        # A retry after a lost answer leaves a token that nobody has. It is harmless, and visible in the list.
        request = pb.CreateBotTokenRequest(bot=bot, label=label, expire_time=timestamp(expires_at))
        return await self._calls.fetch(NewToken, self._stub.CreateBotToken, request)

    async def tokens(self, bot: str) -> list[Token]:
        """Return the tokens of a bot without their secrets, the newest first."""
        response = await self._calls.call(self._stub.ListBotTokens, pb.ListBotTokensRequest(bot=bot))
        return [to_value(token, Token) for token in response.tokens]

    async def revoke_token(self, bot: str, token_id: str) -> Token:
        """Revoke a token of a bot, which ends its streams."""
        request = pb.RevokeBotTokenRequest(bot=bot, token_id=token_id)
        return await self._calls.fetch(Token, self._stub.RevokeBotToken, request, "token")


class BotAccounts(Blocking[AsyncBotAccounts]):
    """Blocking version of AsyncBotAccounts."""

    get = blocking(AsyncBotAccounts.get)
    update = blocking(AsyncBotAccounts.update)
    reinstate = blocking(AsyncBotAccounts.reinstate)
    register_version = blocking(AsyncBotAccounts.register_version)
    versions = blocking_iterator(AsyncBotAccounts.versions)
    make_token = blocking(AsyncBotAccounts.make_token)
    tokens = blocking(AsyncBotAccounts.tokens)
    revoke_token = blocking(AsyncBotAccounts.revoke_token)
