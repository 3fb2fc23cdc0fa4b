"""How much of its quota a holder uses, and the limit of its contests."""

from dataclasses import dataclass
from typing import Any

from referee_api.v1 import quota_pb2

from referee.accounts.account_errors import TooManyNames
from referee.accounts.bots import Accounts
from referee.accounts.invitations import Invitations
from referee.accounts.tokens import BudgetOwner, Quotas, TokenFilter, Tokens
from referee.hosting.contest_host import ContestHost
from referee.hosting.ladder_host import LadderHost
from referee.hosting.tournament_host import TournamentHost
from referee.live.ports import Time
from referee.live.referee import Referee
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.wire.accounts import quota_of


@dataclass(frozen=True, slots=True)
class ContestLimit:
    """Limits the ladders and tournaments of a holder that are not over."""

    ladders: LadderHost
    tournaments: TournamentHost
    rate_limiter: RateLimiter

    def count(self, holder: str) -> int:
        return self.ladders.count_active(holder) + self.tournaments.count_active(holder)

    async def check_creation(self, holder: str, host: ContestHost[Any, Any], request_id: str) -> None:
        """Raise TooManyNames if the holder may create no more contests; a repeated request creates none."""
        limit = (await self.rate_limiter.quota(holder)).max_contests
        if self.count(holder) >= limit and not host.has_created(holder, request_id):
            raise TooManyNames("contests", limit)


@dataclass(frozen=True, slots=True)
class HolderUsage:
    referee: Referee
    accounts: Accounts
    tokens: Tokens
    quotas: Quotas
    invitations: Invitations
    contest_limit: ContestLimit
    rate_limiter: RateLimiter
    time: Time

    async def quota_of(self, holder: str) -> quota_pb2.HolderQuota:
        """Raises StoreUnavailable."""
        own = await self.quotas.quota(holder)
        return quota_pb2.HolderQuota(
            holder=holder,
            quota=quota_of(await self.rate_limiter.quota(holder)),
            own_quota=quota_of(own) if own else None,
            usage=await self._usage_of(holder),
        )

    async def _usage_of(self, holder: str) -> quota_pb2.QuotaUsage:
        now_ms = self.time.wall_ms()
        bots = await self.accounts.bots(holder)
        own = self.rate_limiter.usage_of(BudgetOwner(holder))
        of_bots = [self.rate_limiter.usage_of(BudgetOwner(holder, bot.name)) for bot in bots]
        return quota_pb2.QuotaUsage(
            matches=self.referee.count_unfinished(holder),
            streams=own.streams,
            calls=own.calls,
            bots=len(bots),
            tokens=len(await self.tokens.tokens(TokenFilter(holder, valid_at_ms=now_ms))),
            stored_bytes=await self.quotas.stored_bytes(holder),
            authors=await self.invitations.authors(holder, now_ms),
            bot_streams=max((usage.streams for usage in of_bots), default=0),
            bot_calls=max((usage.calls for usage in of_bots), default=0),
            contests=self.contest_limit.count(holder),
            received_bytes=max(usage.received_bytes for usage in (own, *of_bots)),
        )
