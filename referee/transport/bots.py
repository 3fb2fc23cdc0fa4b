"""BotService: bots for those who own them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from referee_api.v1 import bot_service_pb2 as pb
from referee_api.v1.bot_service_pb2_grpc import BotServiceServicer

from referee.app.accounts import Accounts, Bot, NamesAtMost, Version, returned
from referee.app.bot_log import WantedLines
from referee.app.notices import Notices
from referee.app.ports import Time
from referee.app.referee import Referee
from referee.app.refusals import UnknownToken
from referee.app.scribe import Scribe
from referee.app.tokens import Role, Tokens, WantedTokens
from referee.transport.auth import CALLER
from referee.transport.convert.accounts import token_of, version_of
from referee.transport.convert.bot_log import line_of
from referee.transport.convert.times import unix_ms
from referee.transport.keys import Keys
from referee.transport.matches import check_request_id
from referee.transport.paging import after, page, page_size
from referee.transport.quota import Allowances
from referee.transport.refused import NotYours
from referee.transport.told_bots import told


class Bots(BotServiceServicer):
    def __init__(
        self,
        referee: Referee,
        accounts: Accounts,
        tokens: Tokens,
        scribe: Scribe,
        notices: Notices,
        keys: Keys,
        allowances: Allowances,
        time: Time,
        versions_per_bot_at_most: int,
    ) -> None:
        self._referee = referee
        self._accounts = accounts
        self._tokens = tokens
        self._scribe = scribe
        self._notices = notices
        self._keys = keys
        self._allowances = allowances
        self._time = time
        self._versions_per_bot_at_most = versions_per_bot_at_most

    async def RegisterBot(self, request: pb.RegisterBotRequest, context: Any) -> pb.RegisterBotResponse:
        check_request_id(request.request_id)
        owner = CALLER.get().holder
        bot = Bot(request.name, owner, self._time.wall_ms(), request.description)
        minted = self._keys.mint()
        token = self._keys.token(minted, Role.BOT, owner, bot.name)
        quota = await self._allowances.quota(owner)
        at_most = NamesAtMost(quota.bots_at_most, quota.tokens_at_most)
        registered = await self._accounts.register(request.request_id, bot, token, at_most)
        return pb.RegisterBotResponse(
            bot=told(self._referee, registered.bot),
            secret="" if registered.again else minted.secret,
            token=token_of(registered.token),
        )

    async def UpdateBot(self, request: pb.UpdateBotRequest, context: Any) -> pb.UpdateBotResponse:
        bot = await self._own(request.name)
        if request.HasField("description"):
            bot = await self._accounts.change_bot(bot.name, _described(request.description))
        return pb.UpdateBotResponse(bot=told(self._referee, bot))

    async def GetBot(self, request: pb.GetBotRequest, context: Any) -> pb.GetBotResponse:
        return pb.GetBotResponse(bot=told(self._referee, await self._accounts.bot(request.name)))

    async def ListBots(self, request: pb.ListBotsRequest, context: Any) -> pb.ListBotsResponse:
        size = page_size(request.page_size)
        bots: list[Bot] = []
        last = after(request)
        while len(bots) <= size and (some := await self._accounts.bots(request.owner, last, size + 1)):
            last = some[-1].name
            bots += [bot for bot in some if not request.present_only or self._referee.sessions.of_bot(bot.name)]
        shown, token = await page(request, bots, size, lambda bot: bot.name, lambda bot: told(self._referee, bot))
        return pb.ListBotsResponse(bots=shown, next_page_token=token)

    async def RegisterVersion(self, request: pb.RegisterVersionRequest, context: Any) -> pb.RegisterVersionResponse:
        bot = await self._own(request.bot)
        version = Version(bot.name, request.version, self._time.wall_ms(), request.note)
        entered = await self._accounts.add_version(version, self._versions_per_bot_at_most)
        return pb.RegisterVersionResponse(version=version_of(entered))

    async def ListVersions(self, request: pb.ListVersionsRequest, context: Any) -> pb.ListVersionsResponse:
        size = page_size(request.page_size)
        versions = await self._accounts.versions(request.bot, after(request), size + 1)
        shown, token = await page(request, versions, size, lambda version: version.version, version_of)
        return pb.ListVersionsResponse(versions=shown, next_page_token=token)

    async def CreateBotToken(self, request: pb.CreateBotTokenRequest, context: Any) -> pb.CreateBotTokenResponse:
        bot = await self._own(request.bot)
        expires_ms = unix_ms(request.expires_at, "expires_at") if request.HasField("expires_at") else None
        secret, token = await self._keys.make(Role.BOT, bot.owner, bot.name, request.label, expires_ms)
        return pb.CreateBotTokenResponse(secret=secret, token=token_of(token))

    async def ListBotTokens(self, request: pb.ListBotTokensRequest, context: Any) -> pb.ListBotTokensResponse:
        bot = await self._own(request.bot)
        tokens = await self._tokens.tokens(WantedTokens(bot=bot.name))
        return pb.ListBotTokensResponse(tokens=map(token_of, tokens))

    async def RevokeBotToken(self, request: pb.RevokeBotTokenRequest, context: Any) -> pb.RevokeBotTokenResponse:
        bot = await self._own(request.bot)
        if request.token_id not in {token.id for token in await self._tokens.tokens(WantedTokens(bot=bot.name))}:
            raise UnknownToken(request.token_id)
        return pb.RevokeBotTokenResponse(token=token_of(await self._keys.revoke(request.token_id)))

    async def ReturnBot(self, request: pb.ReturnBotRequest, context: Any) -> pb.ReturnBotResponse:
        name = (await self._own(request.name)).name
        bot = await self._accounts.change_bot(name, returned)
        self._notices.returned(bot)
        return pb.ReturnBotResponse(bot=told(self._referee, bot))

    async def ListBotLog(self, request: pb.ListBotLogRequest, context: Any) -> pb.ListBotLogResponse:
        bot = await self._own(request.bot)
        size = page_size(request.lines_at_most, "lines_at_most")
        if request.version:
            await self._accounts.versions(bot.name, request.version, 1)
        wanted = WantedLines(request.version, request.match_id)
        lines = await self._scribe.read(bot.name, wanted, request.after, size + 1)
        return pb.ListBotLogResponse(lines=map(line_of, lines[:size]), more=len(lines) > size)

    async def _own(self, name: str) -> Bot:
        """The bot, for itself, its owner and administrators. Raises UnknownBot or NotYours."""
        caller = CALLER.get()
        bot = await self._accounts.bot(name)
        if caller.role is Role.BOT and caller.bot != bot.name:
            raise NotYours(f"anything about {bot.name}")
        if caller.role is Role.ORGANISER and caller.holder != bot.owner:
            raise NotYours(f"anything about {bot.name}")
        return bot


def _described(description: str) -> Callable[[Bot], Bot]:
    return lambda bot: replace(bot, description=description)
