"""Limits of callers without a token, where the server lets the public read.

They are told apart by their addresses only. Their calls and streams are counted here and nowhere else, so whatever they
do, holders of tokens keep their own limits.
"""

from collections import Counter
from dataclasses import dataclass

from referee.accounts.tokens import Role, Token
from referee.live.ports import Time
from referee.transport.guards.pace import AddressPace
from referee.transport.wire.wire_errors import TooManyStreams

PUBLIC_HOLDER = "public:"
"""Holder of nothing; tokens cannot be issued to holders with this prefix."""
NO_SECRET = bytes(32)
PUBLIC_TOKEN = Token(NO_SECRET, Role.PUBLIC, PUBLIC_HOLDER, 0)
"""Stands for the token that callers without one do not have. It is not stored, and no secret has this hash."""


@dataclass(frozen=True, slots=True)
class PublicLimits:
    calls_per_minute: int
    """Limit of one address."""
    streams: int
    """Limit of one address."""
    all_streams: int
    """Limit of all addresses together."""


class PublicReading:
    """Usage of all callers without a token, on one event loop."""

    def __init__(self, limits: PublicLimits, time: Time) -> None:
        self._limits = limits
        self._pace = AddressPace(limits.calls_per_minute, time)
        self._streams: Counter[str] = Counter()

    def count_call(self, address: str) -> None:
        """Raises TooManyCalls."""
        self._pace.count_call(address)

    def begin_stream(self, address: str) -> None:
        """Count a stream as open until `end_stream`. Raises TooManyStreams, and then it is not counted."""
        if self._streams.get(address, 0) >= self._limits.streams:
            raise TooManyStreams(self._limits.streams)
        if self._streams.total() >= self._limits.all_streams:
            raise TooManyStreams(self._limits.all_streams)
        self._streams[address] += 1

    def end_stream(self, address: str) -> None:
        self._streams[address] -= 1
        if not self._streams[address]:
            del self._streams[address]
