"""Errors of the transport itself, each with its status code: authentication, rate limits, sizes, Play stream."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from google.rpc.code_pb2 import Code

from engines.game_errors import DetailedError, shortened

RETRY_AFTER_MS = 1_000
"""Default of `RetryInfo`."""

INVALID = Code.INVALID_ARGUMENT
FAILED = Code.FAILED_PRECONDITION
EXHAUSTED = Code.RESOURCE_EXHAUSTED


@dataclass(frozen=True, slots=True)
class ErrorMapping:
    """Status code and reason of a class of exceptions."""

    code: int
    blamed: str = "{field}"
    """The invalid field of the request, if the code is INVALID_ARGUMENT. Details replace their names in braces."""
    quota: bool = False
    retry_after_ms: int | None = None
    added: Mapping[str, str] = field(default_factory=dict)
    """Metadata of the contract that the exception does not have."""
    reason: str = ""
    """Empty: the name of the class in upper snake case."""


def reason_of(error: type[Exception]) -> str:
    """Return the name of a class in upper snake case: the reason of its errors, unless the mapping has another."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", error.__name__).upper()


class TransportError(DetailedError):
    """Base class of the errors of the transport."""

    mapping: ClassVar[ErrorMapping]


class NoToken(TransportError):
    mapping = ErrorMapping(Code.UNAUTHENTICATED)

    def __init__(self) -> None:
        super().__init__("missing token: send it as `authorization: Bearer TOKEN`")


class BadToken(TransportError):
    """The token is unknown, expired or revoked; the error does not disclose which."""

    mapping = ErrorMapping(Code.UNAUTHENTICATED)

    def __init__(self) -> None:
        super().__init__("invalid, expired or revoked token")


class NotYours(TransportError):
    """The role does not permit the call, or the object belongs to another holder."""

    mapping = ErrorMapping(Code.PERMISSION_DENIED)

    def __init__(self, method: str, right: str, what: str = "") -> None:
        """`right`: which token would be; `what` follows the method in the sentence."""
        super().__init__(f"this token does not allow {method}{what}; use {right}", method=method)


class TooManyCalls(TransportError):
    mapping = ErrorMapping(EXHAUSTED, quota=True)

    def __init__(self, limit: int, retry_after_ms: int) -> None:
        sentence = f"rate limit of {limit} calls per minute exceeded; retry in {retry_after_ms} ms"
        super().__init__(sentence, limit=str(limit), retry_after_ms=str(retry_after_ms))


class TooManyCallsInFlight(TransportError):
    mapping = ErrorMapping(EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS)

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"too many calls in flight: the limit is {limit}; retry when one of them has completed",
            limit=str(limit),
        )


class TooManyStreams(TransportError):
    mapping = ErrorMapping(EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS)

    def __init__(self, limit: int) -> None:
        super().__init__(f"too many open streams: the limit is {limit}", limit=str(limit))


class MessageTooLarge(TransportError):
    mapping = ErrorMapping(EXHAUSTED)

    def __init__(self, size: int, limit: int) -> None:
        sentence = f"the message has {size} bytes; the limit is {limit}"
        super().__init__(sentence, size_bytes=str(size), limit_bytes=str(limit))


class BadPageToken(TransportError):
    mapping = ErrorMapping(INVALID, "page_token")

    def __init__(self) -> None:
        super().__init__("invalid page token, or the page token of another request")


class HelloExpected(TransportError):
    mapping = ErrorMapping(INVALID, "items")

    def __init__(self, item: str) -> None:
        received = f"not {shortened(item)}" if item else "but no item was received"
        super().__init__(f"the first item of a Play stream must be a Hello, {received}", item=item)


class HeartbeatLost(TransportError):
    mapping = ErrorMapping(Code.UNAVAILABLE)

    def __init__(self, silent_ms: int) -> None:
        super().__init__(f"no pong received for {silent_ms} ms", silent_ms=str(silent_ms))


class NodeUnavailable(TransportError):
    """The node of the cluster that answers the call is unknown, unreachable, or has changed."""

    mapping = ErrorMapping(Code.UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS)

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; retry")


class NoDrawsHere(TransportError):
    mapping = ErrorMapping(FAILED)

    def __init__(self, game: str, why: str) -> None:
        super().__init__(why, game=game)


class NoDrawOffered(TransportError):
    mapping = ErrorMapping(FAILED)

    def __init__(self, match_id: str) -> None:
        super().__init__("there is no draw offer to answer", match_id=match_id)


class MatchNotOver(TransportError):
    mapping = ErrorMapping(FAILED)

    def __init__(self, match_id: str, why: str = "it is not over") -> None:
        super().__init__(f"match {match_id} has no record yet: {why}", match_id=match_id)


class TooMuchStored(TransportError):
    mapping = ErrorMapping(EXHAUSTED, quota=True)

    def __init__(self, limit: int) -> None:
        sentence = f"storage quota exceeded: the terms of your matches and contests use all of the {limit} bytes"
        super().__init__(sentence, limit_bytes=str(limit))


class TooManyBytes(TransportError):
    mapping = ErrorMapping(EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS)

    def __init__(self, limit: int) -> None:
        sentence = f"too many bytes sent: the limit is {limit} in a minute"
        super().__init__(sentence, limit_bytes=str(limit), retry_after_ms=str(RETRY_AFTER_MS))


class TooManyMatches(TransportError):
    mapping = ErrorMapping(EXHAUSTED, quota=True, retry_after_ms=RETRY_AFTER_MS)

    def __init__(self, limit: int) -> None:
        super().__init__(f"too many matches: the limit is {limit}", limit=str(limit))
