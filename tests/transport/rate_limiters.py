"""Rate limiters for tests, with limits that a test does not reach unless it sets them."""

from referee.accounts.tokens import BudgetOwner, DefaultQuotas, Quota, Quotas
from referee.live.ports import Time
from referee.storage.stored_quotas import StoredQuotas
from referee.transport.guards.quota_cache import QuotaCache
from referee.transport.guards.rate_limit import RateLimiter, UsageObserver
from tests.storage.memory import MemoryDatabase


async def ignore_usage(_owner: BudgetOwner, _quota: str, _used: int, _limit: int) -> None:
    """A UsageObserver that does nothing."""


def create_rate_limiter(
    time: Time,
    quota: Quota,
    quotas: Quotas | None = None,
    *,
    max_streams: int = 100,
    observe_usage: UsageObserver = ignore_usage,
    max_calls_in_flight: int = 64,
    author_quota: Quota | None = None,
) -> RateLimiter:
    quotas = quotas or StoredQuotas(MemoryDatabase())
    return RateLimiter(
        quotas,
        QuotaCache(quotas, DefaultQuotas(quota, author_quota or quota), time),
        max_streams,
        time,
        observe_usage,
        max_calls_in_flight,
    )
