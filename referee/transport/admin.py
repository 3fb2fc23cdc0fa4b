"""AdminService: what a person decides."""

from collections.abc import Callable
from math import isfinite
from typing import Any

import structlog
from referee_api.v1 import admin_service_pb2 as pb
from referee_api.v1 import quota_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceServicer

from referee.app.accounts import Accounts, Pause, PauseCause, paused, resumed
from referee.app.names import check_words
from referee.app.notices import Notices
from referee.app.ports import Time
from referee.app.quotas import Quota, Quotas
from referee.app.referee import Referee
from referee.app.refusals import BadField
from referee.app.tokens import HOLDER_CHARS, Role, Tokens, WantedTokens
from referee.core.clock import MS, Micros
from referee.core.match import Phase
from referee.core.result import Cause
from referee.transport.auth import CALLER
from referee.transport.convert.accounts import ROLES, quota_of, read_quota, token_of
from referee.transport.convert.results import maybe_result
from referee.transport.convert.times import unix_ms
from referee.transport.convert.words import chosen
from referee.transport.keys import Keys
from referee.transport.matches import MESSAGE_CHARS, check_request_id
from referee.transport.paging import after, page, page_size
from referee.transport.quota import Allowances
from referee.transport.refused import BadSeats
from referee.transport.told_bots import told

log = structlog.get_logger("referee.transport")


class Admin(AdminServiceServicer):
    def __init__(
        self,
        referee: Referee,
        accounts: Accounts,
        tokens: Tokens,
        quotas: Quotas,
        notices: Notices,
        keys: Keys,
        allowances: Allowances,
        time: Time,
        go: Callable[[Micros | None], None],
    ) -> None:
        """`go` begins the drain, with so much grace, or as much as is set."""
        self._referee = referee
        self._accounts = accounts
        self._tokens = tokens
        self._quotas = quotas
        self._notices = notices
        self._keys = keys
        self._allowances = allowances
        self._time = time
        self._go = go

    async def Drain(self, request: pb.DrainRequest, context: Any) -> pb.DrainResponse:
        if request.grace_ms < 0:
            raise BadField("grace_ms", "it is not below 0")
        log.info("an administrator lets the referee go")
        self._go(request.grace_ms * MS or None)
        in_play = sum(match.phase is Phase.PLAYING for match in self._referee.live)
        return pb.DrainResponse(matches_in_play=in_play, streams=self._allowances.streams)

    async def AdjudicateMatch(self, request: pb.AdjudicateMatchRequest, context: Any) -> pb.AdjudicateMatchResponse:
        _check(request)
        sides = len((await self._referee.standing(request.match_id)).match.table.sides)
        scores = tuple(request.side_scores)
        if len(scores) != sides:
            raise BadSeats("scores of sides", len(scores), sides)
        if not all(map(isfinite, scores)):
            raise BadField("side_scores", "each is a finite number")
        ranks = tuple(1 + sum(score > mine for score in scores) for mine in scores)
        by = CALLER.get().holder
        done = await self._referee.adjudicate(request.match_id, ranks, request.message, by, request.request_id)
        log.info("a match is adjudicated", match_id=request.match_id, ranks=ranks)
        return pb.AdjudicateMatchResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def VoidMatch(self, request: pb.VoidMatchRequest, context: Any) -> pb.VoidMatchResponse:
        _check(request)
        by = CALLER.get().holder
        done = await self._referee.void(request.match_id, Cause.DECLARED, request.message, by, request.request_id)
        log.info("a match is declared void", match_id=request.match_id)
        return pb.VoidMatchResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def PauseBot(self, request: pb.PauseBotRequest, context: Any) -> pb.PauseBotResponse:
        pause = Pause(PauseCause.ADMIN, request.message, self._time.wall_ms())
        bot = await self._accounts.change_bot(request.bot, lambda bot: paused(bot, pause))
        log.info("a bot is paused", bot=request.bot)
        self._notices.paused(bot, pause)
        return pb.PauseBotResponse(bot=told(self._referee, bot))

    async def ResumeBot(self, request: pb.ResumeBotRequest, context: Any) -> pb.ResumeBotResponse:
        bot = await self._accounts.change_bot(request.bot, resumed)
        log.info("a bot is no longer paused", bot=request.bot)
        self._notices.returned(bot)
        return pb.ResumeBotResponse(bot=told(self._referee, bot))

    async def GetQuota(self, request: pb.GetQuotaRequest, context: Any) -> pb.GetQuotaResponse:
        quota = await self._allowances.quota(request.holder)
        used = await self._used(request.holder) if request.holder else None
        return pb.GetQuotaResponse(quota=quota_of(quota), used=used)

    async def SetQuota(self, request: pb.SetQuotaRequest, context: Any) -> pb.SetQuotaResponse:
        check_words("holder", request.holder, HOLDER_CHARS, at_least=1)
        own = read_quota(request.quota) if request.HasField("quota") else None
        await self._quotas.set_quota(request.holder, own if own != Quota() else None)
        self._allowances.forget(request.holder)
        log.info("a quota is set", holder=request.holder)
        return pb.SetQuotaResponse(quota=quota_of(await self._allowances.quota(request.holder)))

    async def CreateToken(self, request: pb.CreateTokenRequest, context: Any) -> pb.CreateTokenResponse:
        if not request.role:
            raise BadField("role", "which role?")
        role = chosen(ROLES, request.role, "role")
        holder = request.holder
        if role is Role.BOT:
            holder = holder or (await self._accounts.bot(request.bot)).owner
        expires_ms = unix_ms(request.expires_at, "expires_at") if request.HasField("expires_at") else None
        secret, token = await self._keys.make(role, holder, request.bot, request.label, expires_ms)
        log.info("a token is made", made_token_id=token.id, role=role.value)
        return pb.CreateTokenResponse(secret=secret, token=token_of(token))

    async def ListTokens(self, request: pb.ListTokensRequest, context: Any) -> pb.ListTokensResponse:
        size = page_size(request.page_size)
        good_at_ms = None if request.with_spent else self._time.wall_ms()
        wanted = WantedTokens(request.holder, good_at_ms=good_at_ms)
        tokens = await self._tokens.tokens(wanted, after(request), size + 1)
        shown, token = await page(request, tokens, size, lambda token: token.id, token_of)
        return pb.ListTokensResponse(tokens=shown, next_page_token=token)

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Any) -> pb.RevokeTokenResponse:
        token = await self._keys.revoke(request.token_id)
        log.info("a token is revoked", revoked_token_id=token.id)
        return pb.RevokeTokenResponse(token=token_of(token))

    async def _used(self, holder: str) -> quota_pb2.QuotaUse:
        tokens = await self._tokens.tokens(WantedTokens(holder, good_at_ms=self._time.wall_ms()))
        return quota_pb2.QuotaUse(
            matches=self._referee.not_over_of(holder),
            streams=self._allowances.streams_of(holder),
            calls=self._allowances.calls_of(holder),
            bots=len(await self._accounts.bots(holder)),
            tokens=len(tokens),
            stored_bytes=await self._quotas.stored_bytes(holder),
        )


def _check(request: pb.AdjudicateMatchRequest | pb.VoidMatchRequest) -> None:
    check_request_id(request.request_id)
    check_words("message", request.message, MESSAGE_CHARS, at_least=1)
