"""Client for administrators: tokens, quotas, pausing bots, and decisions about matches.

It needs a token of that role; with other tokens every call raises NotAllowed.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from referee_api.conversion import enum_number, to_message, to_value
from referee_api.v1 import admin_service_pb2 as pb
from referee_api.v1 import quota_pb2, token_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_values import Bot, HolderQuota, Quota, QuotaUsage, Result, Role, Token

from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id, timestamp
from referee_client.organiser.responses import DrainState, NewToken


class AsyncAdministration:
    """All methods raise Refused (of which NotAllowed is a subclass), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = AdminServiceStub(calls.channel)

    async def make_token(
        self, role: Role, holder: str = "", *, bot: str = "", label: str = "", expires_at: datetime | None = None
    ) -> NewToken:
        """Create a token and return it with its secret, which cannot be read again later.

        With `bot`, its owner is the default `holder`.
        """
        # A retry after a lost answer leaves a token that nobody has. It is harmless, and visible in the list.
        request = pb.CreateTokenRequest(
            role=enum_number(token_pb2.Role, role),
            holder=holder,
            bot=bot,
            label=label,
            expire_time=timestamp(expires_at),
        )
        return await self._calls.fetch(NewToken, self._stub.CreateToken, request)

    async def tokens(self, holder: str = "", include_inactive: bool = False) -> AsyncIterator[Token]:
        """Return tokens, the newest first; with `include_inactive`, also those that are revoked or have expired."""
        request = pb.ListTokensRequest(holder=holder, include_inactive=include_inactive, page_size=PAGE_SIZE)
        async for token in self._calls.list_values(Token, self._stub.ListTokens, request, "tokens"):
            yield token

    async def revoke_token(self, token_id: str) -> Token:
        """Revoke a token, which ends its streams."""
        return await self._calls.fetch(Token, self._stub.RevokeToken, pb.RevokeTokenRequest(token_id=token_id), "token")

    async def pause_bot(self, bot: str, message: str) -> Bot:
        """Pause a bot, so that it gets no new matches; `message` tells its owner why."""
        return await self._calls.fetch(Bot, self._stub.PauseBot, pb.PauseBotRequest(bot=bot, message=message), "bot")

    async def resume_bot(self, bot: str) -> Bot:
        return await self._calls.fetch(Bot, self._stub.ResumeBot, pb.ResumeBotRequest(bot=bot), "bot")

    async def quota(self, holder: str = "") -> HolderQuota:
        """Return the limits of a holder, and how much of them it uses; without a holder, the default limits."""
        response = await self._calls.call(self._stub.GetQuota, pb.GetQuotaRequest(holder=holder))
        return HolderQuota(
            holder=holder,
            quota=to_value(response.quota, Quota),
            own_quota=to_value(response.own_quota, Quota),
            usage=to_value(response.usage, QuotaUsage),
        )

    async def quotas(self) -> AsyncIterator[HolderQuota]:
        """Return all holders of tokens, bots and quotas by name, with their limits and usage."""
        async for quota in self._calls.list_values(
            HolderQuota, self._stub.ListQuotas, pb.ListQuotasRequest(), "quotas"
        ):
            yield quota

    async def set_quota(self, holder: str, quota: Quota | None) -> Quota:
        """Set all limits of a holder and return those that now apply; None, or 0 for one limit: the default."""
        return await self._calls.fetch(
            Quota,
            self._stub.SetQuota,
            pb.SetQuotaRequest(holder=holder, quota=to_message(quota, quota_pb2.Quota) if quota else None),
            "quota",
        )

    async def drain(self, grace_ms: int = 0) -> DrainState:
        """Shut the referee down gracefully, like SIGTERM. 0: with the grace period that it is configured with."""
        return await self._calls.fetch(DrainState, self._stub.Drain, pb.DrainRequest(grace_period_ms=grace_ms))

    async def void(self, match_id: str, message: str) -> Result:
        """Declare an unfinished match void."""
        request = pb.VoidMatchRequest(request_id=request_id(), match_id=match_id, message=message)
        return await self._calls.fetch(Result, self._stub.VoidMatch, request, "result")

    async def adjudicate(self, match_id: str, side_scores: Sequence[float], message: str) -> Result:
        """Decide a match that is being played, by a score for each side, in the order of the sides."""
        request = pb.AdjudicateMatchRequest(
            request_id=request_id(), match_id=match_id, side_scores=side_scores, message=message
        )
        return await self._calls.fetch(Result, self._stub.AdjudicateMatch, request, "result")


class Administration(Blocking[AsyncAdministration]):
    """Blocking version of AsyncAdministration."""

    make_token = blocking(AsyncAdministration.make_token)
    tokens = blocking_iterator(AsyncAdministration.tokens)
    revoke_token = blocking(AsyncAdministration.revoke_token)
    pause_bot = blocking(AsyncAdministration.pause_bot)
    resume_bot = blocking(AsyncAdministration.resume_bot)
    quota = blocking(AsyncAdministration.quota)
    quotas = blocking_iterator(AsyncAdministration.quotas)
    set_quota = blocking(AsyncAdministration.set_quota)
    drain = blocking(AsyncAdministration.drain)
    void = blocking(AsyncAdministration.void)
    adjudicate = blocking(AsyncAdministration.adjudicate)
