"""AdminService: adjudication, pauses, quotas, tokens and drain."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any

import grpc.aio
import structlog
from referee_api.v1 import admin_service_pb2 as pb
from referee_api.v1 import token_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceServicer, add_AdminServiceServicer_to_server

from referee.accounts.account_errors import BadField, BadSeats
from referee.accounts.bots import Accounts, BotPause, PauseCause, paused, resumed
from referee.accounts.names import check_words
from referee.accounts.tokens import HOLDER_CHARS, Quota, Quotas, Role, TokenFilter
from referee.live.bot_notices import BotNotifier
from referee.live.ports import EngineFault
from referee.live.referee import Referee
from referee.match.clock import MS, Micros
from referee.match.result import EndCause
from referee.match.state import MatchPhase
from referee.transport.guards.authentication import CALLER
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.services.bots import TokenIssuer, bot_view_of
from referee.transport.services.holder_usage import HolderUsage
from referee.transport.services.matches import MESSAGE_CHARS, check_request_id
from referee.transport.services.paging import convert_page, page_after_last, page_size, parse_page_token
from referee.transport.wire.accounts import quota_of, read_quota, token_of
from referee.transport.wire.basic_types import read_word, unix_ms
from referee.transport.wire.results import maybe_result

log = structlog.get_logger("referee.transport")


@dataclass(eq=False)
class Admin(AdminServiceServicer):
    _referee: Referee
    _accounts: Accounts
    _quotas: Quotas
    _holder_usage: HolderUsage
    _notifier: BotNotifier
    _token_issuer: TokenIssuer
    _rate_limiter: RateLimiter
    _drain: Callable[[Micros | None], None]
    """Starts the shutdown with this grace period; None: the configured one."""

    def add_to(self, server: grpc.aio.Server) -> None:
        add_AdminServiceServicer_to_server(self, server)

    async def Drain(self, request: pb.DrainRequest, context: Any) -> pb.DrainResponse:
        if request.grace_period_ms < 0:
            raise BadField("grace_period_ms", "it must not be negative")
        log.info("drain requested")
        self._drain(request.grace_period_ms * MS or None)
        in_play = sum(match.phase is MatchPhase.PLAYING for match in self._referee.live_matches)
        return pb.DrainResponse(matches_in_play=in_play, streams=self._rate_limiter.streams)

    async def AdjudicateMatch(self, request: pb.AdjudicateMatchRequest, context: Any) -> pb.AdjudicateMatchResponse:
        _check_ruling(request)
        scores = tuple(request.side_scores)
        with suppress(EngineFault):  # A repeated request gets its first answer although the game was removed since.
            sides = len((await self._referee.status(request.match_id)).match.table.sides)
            if len(scores) != sides:
                raise BadSeats("scores of sides", len(scores), sides)
        if not all(map(isfinite, scores)):
            raise BadField("side_scores", "each must be a finite number")
        ranks = tuple(1 + sum(score > mine for score in scores) for mine in scores)
        by = CALLER.get().holder
        done = await self._referee.adjudicate(request.match_id, ranks, request.message, by, request.request_id)
        log.info("match adjudicated", match_id=request.match_id, ranks=ranks)
        return pb.AdjudicateMatchResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def VoidMatch(self, request: pb.VoidMatchRequest, context: Any) -> pb.VoidMatchResponse:
        _check_ruling(request)
        by = CALLER.get().holder
        done = await self._referee.void(request.match_id, EndCause.DECLARED, request.message, by, request.request_id)
        log.info("match voided", match_id=request.match_id)
        return pb.VoidMatchResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def PauseBot(self, request: pb.PauseBotRequest, context: Any) -> pb.PauseBotResponse:
        pause = BotPause(PauseCause.ADMIN, request.message, self._holder_usage.time.wall_ms())
        bot = await self._accounts.change_bot(request.bot, lambda bot: paused(bot, pause))
        log.info("bot paused", bot=request.bot)
        self._notifier.paused(bot, pause)
        return pb.PauseBotResponse(bot=bot_view_of(self._referee, bot))

    async def ResumeBot(self, request: pb.ResumeBotRequest, context: Any) -> pb.ResumeBotResponse:
        bot = await self._accounts.change_bot(request.bot, resumed)
        log.info("bot resumed", bot=request.bot)
        self._notifier.returned(bot)
        return pb.ResumeBotResponse(bot=bot_view_of(self._referee, bot))

    async def GetQuota(self, request: pb.GetQuotaRequest, context: Any) -> pb.GetQuotaResponse:
        if not request.holder:
            return pb.GetQuotaResponse(quota=quota_of(await self._rate_limiter.quota("")))
        shown = await self._holder_usage.quota_of(request.holder)
        own = shown.own_quota if shown.HasField("own_quota") else None
        return pb.GetQuotaResponse(quota=shown.quota, usage=shown.usage, own_quota=own)

    async def ListQuotas(self, request: pb.ListQuotasRequest, context: Any) -> pb.ListQuotasResponse:
        size = page_size(request.page_size)
        holders = await self._quotas.holders(parse_page_token(request), size + 1)
        found = [await self._holder_usage.quota_of(holder) for holder in holders]
        shown, token = await convert_page(request, found, size, lambda quota: quota.holder, lambda quota: quota)
        return pb.ListQuotasResponse(quotas=shown, next_page_token=token)

    async def SetQuota(self, request: pb.SetQuotaRequest, context: Any) -> pb.SetQuotaResponse:
        check_words("holder", request.holder, HOLDER_CHARS, at_least=1)
        own = read_quota(request.quota) if request.HasField("quota") else None
        await self._quotas.set_quota(request.holder, own if own != Quota() else None)
        self._rate_limiter.forget(request.holder)
        log.info("quota set", holder=request.holder)
        return pb.SetQuotaResponse(quota=quota_of(await self._rate_limiter.quota(request.holder)))

    async def CreateToken(self, request: pb.CreateTokenRequest, context: Any) -> pb.CreateTokenResponse:
        if not request.role:
            raise BadField("role", "it is required")
        role = Role[read_word(token_pb2.Role, request.role, "role").upper()]
        holder = request.holder
        if role is Role.BOT:
            holder = holder or (await self._accounts.bot(request.bot)).owner
        expires_ms = unix_ms(request.expire_time, "expire_time") if request.HasField("expire_time") else None
        secret, token = await self._token_issuer.issue(role, holder, request.bot, request.label, expires_ms)
        log.info("token created", made_token_id=token.id, role=role.value)
        return pb.CreateTokenResponse(secret=secret, token=token_of(token))

    async def ListTokens(self, request: pb.ListTokensRequest, context: Any) -> pb.ListTokensResponse:
        size = page_size(request.page_size)
        valid_at_ms = None if request.include_inactive else self._holder_usage.time.wall_ms()
        wanted = TokenFilter(request.holder, valid_at_ms=valid_at_ms)
        with page_after_last():
            tokens = await self._token_issuer.tokens.tokens(wanted, parse_page_token(request), size + 1)
        shown, token = await convert_page(request, tokens, size, lambda token: token.id, token_of)
        return pb.ListTokensResponse(tokens=shown, next_page_token=token)

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Any) -> pb.RevokeTokenResponse:
        token = await self._token_issuer.revoke(request.token_id)
        log.info("token revoked", revoked_token_id=token.id)
        return pb.RevokeTokenResponse(token=token_of(token))


def _check_ruling(request: pb.AdjudicateMatchRequest | pb.VoidMatchRequest) -> None:
    check_request_id(request.request_id)
    check_words("message", request.message, MESSAGE_CHARS, at_least=1)
