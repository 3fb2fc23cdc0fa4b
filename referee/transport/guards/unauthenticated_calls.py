"""Limits of concurrent calls without a valid token."""

from collections import Counter

from referee.wire.wire_errors import TooManyCallsInFlight

RESET_FACTOR = 2
"""Beyond this multiple of the limit a call is reset: an error would use memory until the caller reads it."""


class CallMustBeReset(Exception):
    """The limit is exceeded so far that the call must be reset without an answer."""


class UnauthenticatedCalls:
    """Limits of concurrent calls without a valid token: for each address and in total."""

    def __init__(self, max_calls: int, max_calls_per_address: int) -> None:
        self._max_calls = max_calls
        self._max_calls_per_address = max_calls_per_address
        self._by_address: Counter[str] = Counter()
        self._open = 0

    def begin_call(self, address: str) -> None:
        """Count a call until `end_call`, even if this raises TooManyCallsInFlight or CallMustBeReset."""
        self._by_address[address] += 1
        self._open += 1
        for calls, limit in ((self._by_address[address], self._max_calls_per_address), (self._open, self._max_calls)):
            if calls > RESET_FACTOR * limit:
                raise CallMustBeReset
            if calls > limit:
                raise TooManyCallsInFlight(limit)

    def end_call(self, address: str) -> None:
        self._open -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]
