"""BotService: registration, versions, tokens and private logs of bots, for their owners."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc.aio
from msgspec.structs import replace
from referee_api.v1 import bot_pb2
from referee_api.v1 import bot_service_pb2 as pb
from referee_api.v1.bot_service_pb2_grpc import BotServiceServicer, add_BotServiceServicer_to_server

from referee.accounts.account_errors import BadField, NoSuchToken
from referee.accounts.bot_log import LineFilter
from referee.accounts.bots import Accounts, Bot, MaxNames, Version, returned
from referee.accounts.consent import Consent
from referee.accounts.tokens import (
    PROVIDER_HOLDER,
    MintedSecret,
    Role,
    Token,
    TokenFilter,
    Tokens,
    mint_secret,
    revoked,
)
from referee.hosting.contest_log import LADDER, TOURNAMENT, contest_id
from referee.live.bot_notices import BotLogRecorder, BotNotifier
from referee.live.ports import Time
from referee.live.referee import Referee
from referee.transport.guards.authentication import CALLER, Authenticator
from referee.transport.guards.public_reading import PUBLIC_HOLDER
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.services.matches import check_request_id, method_of
from referee.transport.services.paging import convert_page, page_after_last, page_size, parse_page_token
from referee.transport.wire.accounts import bot_log_entry_of, bot_of, read_consent, token_of, version_of
from referee.transport.wire.basic_types import unix_ms
from referee.transport.wire.wire_errors import NotYours

RESERVED_HOLDERS = (contest_id(LADDER, ""), contest_id(TOURNAMENT, ""), PUBLIC_HOLDER)
"""Prefixes of the holders of matches that contests create, and of callers without a token."""


@dataclass(eq=False)
class TokenIssuer:
    """Creates and revokes tokens, for the servicers and for the first token of an administrator."""

    tokens: Tokens
    _authenticator: Authenticator
    _rate_limiter: RateLimiter
    _time: Time
    _random_bytes: Callable[[], bytes]
    """Returns 32 bytes from a secure random source."""

    def mint(self) -> MintedSecret:
        return mint_secret(self._random_bytes())

    def token(
        self,
        minted: MintedSecret,
        role: Role,
        holder: str,
        bot: str = "",
        label: str = "",
        expires_ms: int | None = None,
    ) -> Token:
        """Return the token of a secret, as it is stored. Raises BadName or BadField."""
        if holder.startswith(RESERVED_HOLDERS):
            raise BadField("holder", f"the prefixes {', '.join(RESERVED_HOLDERS)} are reserved")
        if holder.startswith(PROVIDER_HOLDER) and role is not Role.BOT:
            raise BadField("holder", f"the prefix {PROVIDER_HOLDER} is reserved for the identity provider")
        return Token(minted.sha256, role, holder, self._time.wall_ms(), bot, label, expires_ms)

    async def issue(
        self, role: Role, holder: str, bot: str = "", label: str = "", expires_ms: int | None = None
    ) -> tuple[str, Token]:
        """Store a new token; return its secret and the token. Raises BadName, BadField or TooManyNames."""
        minted = self.mint()
        token = self.token(minted, role, holder, bot, label, expires_ms)
        await self.tokens.add_token(token, (await self._rate_limiter.quota(holder)).max_tokens)
        self._rate_limiter.forget(holder)  # Its default limits depend on the roles of its tokens.
        return minted.secret, token

    async def revoke(self, token_id: str) -> Token:
        """Revoke a token, and end the streams that were opened with it. Raises NoSuchToken."""
        token = await self.tokens.change_token(token_id, revoked)
        self._authenticator.forget(token)
        self._rate_limiter.end_streams(token.id)
        self._rate_limiter.forget(token.holder)
        return token


@dataclass(eq=False)
class Bots(BotServiceServicer):
    _referee: Referee
    _accounts: Accounts
    _recorder: BotLogRecorder
    _notifier: BotNotifier
    _token_issuer: TokenIssuer
    _rate_limiter: RateLimiter
    _time: Time
    _max_versions_per_bot: int

    def add_to(self, server: grpc.aio.Server) -> None:
        add_BotServiceServicer_to_server(self, server)

    async def RegisterBot(self, request: pb.RegisterBotRequest, context: Any) -> pb.RegisterBotResponse:
        check_request_id(request.request_id)
        owner = CALLER.get().holder
        consent = read_consent(request.consent)
        bot = Bot(request.name, owner, self._time.wall_ms(), request.description, consent=consent)
        minted = self._token_issuer.mint()
        token = self._token_issuer.token(minted, Role.BOT, owner, bot.name)
        quota = await self._rate_limiter.quota(owner)
        limits = MaxNames(quota.max_bots, quota.max_tokens)
        registered = await self._accounts.register(request.request_id, bot, token, limits)
        return pb.RegisterBotResponse(
            bot=bot_view_of(self._referee, registered.bot),
            secret="" if registered.repeated else minted.secret,
            token=token_of(registered.token),
        )

    async def UpdateBot(self, request: pb.UpdateBotRequest, context: Any) -> pb.UpdateBotResponse:
        bot = await self._own_bot(request.name, method_of(request))
        description = request.description if request.HasField("description") else None
        consent = read_consent(request.consent) if request.HasField("consent") else None
        if description is not None or consent:
            bot = await self._accounts.change_bot(bot.name, lambda bot: _updated(bot, description, consent))
        return pb.UpdateBotResponse(bot=bot_view_of(self._referee, bot))

    async def GetBot(self, request: pb.GetBotRequest, context: Any) -> pb.GetBotResponse:
        return pb.GetBotResponse(bot=bot_view_of(self._referee, await self._accounts.bot(request.name)))

    async def ListBots(self, request: pb.ListBotsRequest, context: Any) -> pb.ListBotsResponse:
        size = page_size(request.page_size)
        bots: list[Bot] = []
        last = parse_page_token(request)
        while len(bots) <= size and (batch := await self._accounts.bots(request.owner, last, size + 1)):
            last = batch[-1].name
            bots += [bot for bot in batch if not request.online_only or self._referee.sessions.of_bot(bot.name)]
        shown, token = await convert_page(
            request, bots, size, lambda bot: bot.name, lambda bot: bot_view_of(self._referee, bot)
        )
        return pb.ListBotsResponse(bots=shown, next_page_token=token)

    async def RegisterVersion(self, request: pb.RegisterVersionRequest, context: Any) -> pb.RegisterVersionResponse:
        bot = await self._own_bot(request.bot, method_of(request))
        version = Version(bot.name, request.version, self._time.wall_ms(), request.note)
        entered = await self._accounts.add_version(version, self._max_versions_per_bot)
        return pb.RegisterVersionResponse(version=version_of(entered))

    async def ListVersions(self, request: pb.ListVersionsRequest, context: Any) -> pb.ListVersionsResponse:
        size = page_size(request.page_size)
        with page_after_last():
            versions = await self._accounts.versions(request.bot, parse_page_token(request), size + 1)
        shown, token = await convert_page(request, versions, size, lambda version: version.version, version_of)
        return pb.ListVersionsResponse(versions=shown, next_page_token=token)

    async def CreateBotToken(self, request: pb.CreateBotTokenRequest, context: Any) -> pb.CreateBotTokenResponse:
        bot = await self._own_bot(request.bot, method_of(request))
        expires_ms = unix_ms(request.expire_time, "expire_time") if request.HasField("expire_time") else None
        secret, token = await self._token_issuer.issue(Role.BOT, bot.owner, bot.name, request.label, expires_ms)
        return pb.CreateBotTokenResponse(secret=secret, token=token_of(token))

    async def ListBotTokens(self, request: pb.ListBotTokensRequest, context: Any) -> pb.ListBotTokensResponse:
        bot = await self._own_bot(request.bot, method_of(request))
        tokens = await self._token_issuer.tokens.tokens(TokenFilter(bot=bot.name))
        return pb.ListBotTokensResponse(tokens=map(token_of, tokens))

    async def RevokeBotToken(self, request: pb.RevokeBotTokenRequest, context: Any) -> pb.RevokeBotTokenResponse:
        bot = await self._own_bot(request.bot, method_of(request))
        if request.token_id not in {
            token.id for token in await self._token_issuer.tokens.tokens(TokenFilter(bot=bot.name))
        }:
            raise NoSuchToken(request.token_id)
        return pb.RevokeBotTokenResponse(token=token_of(await self._token_issuer.revoke(request.token_id)))

    async def ReinstateBot(self, request: pb.ReinstateBotRequest, context: Any) -> pb.ReinstateBotResponse:
        name = (await self._own_bot(request.name, method_of(request))).name
        bot = await self._accounts.change_bot(name, returned)
        self._notifier.returned(bot)
        return pb.ReinstateBotResponse(bot=bot_view_of(self._referee, bot))

    async def ListBotLogEntries(
        self, request: pb.ListBotLogEntriesRequest, context: Any
    ) -> pb.ListBotLogEntriesResponse:
        bot = await self._own_bot(request.bot, method_of(request))
        size = page_size(request.page_size, "page_size")
        if request.version:
            await self._accounts.versions(bot.name, request.version, 1)
        wanted = LineFilter(request.version, request.match_id)
        lines = await self._recorder.read(bot.name, wanted, request.after_number, size + 1)
        return pb.ListBotLogEntriesResponse(entries=map(bot_log_entry_of, lines[:size]), has_more=len(lines) > size)

    async def _own_bot(self, name: str, method: str) -> Bot:
        """Return the bot if the caller is that bot, its owner or an administrator. Raises NoSuchBot or NotYours."""
        caller = CALLER.get()
        bot = await self._accounts.bot(name)
        if caller.role is Role.ADMIN:
            return bot
        is_own = caller.bot == bot.name if caller.role is Role.BOT else caller.holder == bot.owner
        if not is_own:
            raise NotYours(method, "the bot's token, or one of its owner or an administrator", f" for bot {bot.name}")
        return bot


def bot_view_of(referee: Referee, bot: Bot) -> bot_pb2.Bot:
    """Convert a bot, with its presence."""
    sessions = referee.sessions
    return bot_of(bot, sessions.of_bot(bot.name), sessions.since_ms(bot.name), referee.count_in_play(bot.name))


def _updated(bot: Bot, description: str | None, consent: Consent | None) -> Bot:
    """Return the bot with what is given; the rest is unchanged."""
    return replace(
        bot,
        description=bot.description if description is None else description,
        consent=consent or bot.consent,
    )
