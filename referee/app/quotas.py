"""Quotas: how much of the referee one holder may use, over all of its tokens and bots."""

from dataclasses import dataclass, fields
from typing import Protocol

from referee.app.refusals import BadField


@dataclass(frozen=True, slots=True)
class Quota:
    """Limits; 0 stands for the referee's own default. Raises BadField."""

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
        """With the usual limits where this one has none of its own."""
        return Quota(*(getattr(self, limit.name) or getattr(usual, limit.name) for limit in fields(self)))


class Quotas(Protocol):
    """The limits of those who have their own. Every method raises LogUnavailable if they cannot be read now."""

    async def quota(self, holder: str) -> Quota | None:
        """None: the usual limits hold."""

    async def stored_bytes(self, holder: str) -> int:
        """Stored size of the terms of all matches and contests that the holder created; 0 if nothing is stored."""

    async def set_quota(self, holder: str, quota: Quota | None) -> None:
        """Give a holder limits of its own, or None to take them back."""
