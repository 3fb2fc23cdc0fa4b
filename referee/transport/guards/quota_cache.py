"""Quotas of holders with every default filled in, cached for some seconds."""

from dataclasses import dataclass, field

from referee.accounts.tokens import PROVIDER_HOLDER, DefaultQuotas, Quota, Quotas
from referee.live.ports import Time
from referee.match.clock import SECOND, Micros

QUOTA_CACHE_US: Micros = 3 * SECOND
"""Time for which a quota is cached, and therefore after which another node knows that it was changed."""
HOLDER_CACHE_SIZE = 10_000


@dataclass(eq=False)
class QuotaCache:
    """The effective quotas of all holders."""

    _quotas: Quotas
    _defaults: DefaultQuotas
    _time: Time
    _cache: dict[str, tuple[Quota, Micros]] = field(default_factory=dict, init=False)
    """Quotas by holder, and when they expire."""

    async def get(self, holder: str) -> Quota:
        """Return the quota with every default filled in. Raises StoreUnavailable."""
        now_us = self._time.monotonic_us()
        cached = self._cache.get(holder)
        if cached and cached[1] > now_us:
            return cached[0]
        is_author = holder.startswith(PROVIDER_HOLDER) or await self._quotas.is_author(holder)
        default = self._defaults.author if is_author else self._defaults.organiser
        quota = (await self._quotas.quota(holder) or Quota()).filled(default)
        if len(self._cache) >= HOLDER_CACHE_SIZE:
            self._cache = {name: entry for name, entry in self._cache.items() if entry[1] > now_us}
        self._cache[holder] = quota, now_us + QUOTA_CACHE_US
        return quota

    def forget(self, holder: str) -> None:
        """Remove the quota of the holder, because it may have changed."""
        self._cache.pop(holder, None)
