"""Quotas: limits of one holder, over all of its tokens and bots."""

from dataclasses import dataclass, fields
from typing import Protocol

from referee.accounts.account_errors import BadField


@dataclass(frozen=True, slots=True)
class Quota:
    """Limits; 0 means the default of the server. Raises BadField."""

    matches_at_most: int = 0
    streams_at_most: int = 0
    calls_per_minute: int = 0
    bots_at_most: int = 0
    tokens_at_most: int = 0
    stored_bytes_at_most: int = 0

    def __post_init__(self) -> None:
        for limit in fields(self):
            if getattr(self, limit.name) < 0:
                raise BadField(limit.name, "a limit is not below 0")

    def filled(self, usual: "Quota") -> "Quota":
        """Return this quota with the limits of `usual` where it has none."""
        return Quota(*(getattr(self, limit.name) or getattr(usual, limit.name) for limit in fields(self)))


class Quotas(Protocol):
    """Store of quotas. Every method raises LogUnavailable if it cannot be used now."""

    async def quota(self, holder: str) -> Quota | None:
        """Return the quota of a holder; None: the default limits apply."""

    async def stored_bytes(self, holder: str) -> int:
        """Return the stored size of the terms of all matches and contests that the holder created."""

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        """Set the quota of a holder; None removes it."""
