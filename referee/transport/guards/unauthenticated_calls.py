"""Limits of concurrent calls without a valid token."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack

from referee.transport.guards.caller_address import caller_address
from referee.transport.guards.open_calls import OpenCall
from referee.transport.wire.wire_errors import TooManyCallsInFlight

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

    def admit(self, call: OpenCall) -> Callable[[], None]:
        """Count a call until its end, or until the returned function is called.

        Raises TooManyCallsInFlight; far beyond the limit the call is reset.
        """
        address = caller_address(call)
        counted = ExitStack()
        counted.callback(self.end_call, address)
        call.at_end(counted.close)
        try:
            self.begin_call(address)
        except CallMustBeReset:
            call.reset()
            raise asyncio.CancelledError from None
        return counted.close

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
