"""Exceptions of this library, and the errors of the referee as values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from referee_api.conversion import to_value
from referee_api.v1 import error_pb2
from referee_values import ErrorDetail

STATUS_KEY = "grpc-status-details-bin"

MILLISECONDS = re.compile("0*([0-9]{1,5})")
MAX_RETRY_AFTER_MS = 60_000
DEFAULT_RETRY_AFTER_MS = 1_000
"""Replaces a `retry_after_ms` that is not a number from 0 to the maximum."""

LIKELY_CAUSES = {
    "Socket closed": "the server may use TLS at this port: set BOT_CA to the file of its certificate authority, or, "
    "for another machine with a public one, do not set BOT_PLAINTEXT",
    "WRONG_VERSION_NUMBER": "the server uses no TLS at this port: do not set BOT_CA, and for another machine set "
    "BOT_PLAINTEXT=1",
    "CERTIFICATE_VERIFY_FAILED": "BOT_CA must be the file of the authority that issued the server's certificate",
    "http1.x": "this port is for HTTP; bots connect to another one, usually 7700",
    "%5B::1%5D": "localhost has two addresses; set 127.0.0.1 instead to see what its server answers",
}
"""What is likely wrong, by a part of gRPC's message about a failed connection, which does not say so."""


@dataclass(frozen=True)
class Refusal:
    """An error with which the referee rejected an answer or a call."""

    reason: str
    """Upper-case name from the contract, such as `ILLEGAL_MOVE`. Programs should use it, never the message."""
    message: str
    """One sentence for people."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The variables of the message by name."""
    retry_delay: float | None = None
    """Seconds from the `RetryInfo` of a failed call."""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which a retry may succeed; None if it is not known that a retry will ever succeed."""
        text = self.metadata.get("retry_after_ms")
        if text is None:
            return self.retry_delay
        found = MILLISECONDS.fullmatch(text)
        ms = int(found[1]) if found else DEFAULT_RETRY_AFTER_MS
        return (ms if ms <= MAX_RETRY_AFTER_MS else DEFAULT_RETRY_AFTER_MS) / 1_000

    def __str__(self) -> str:
        return f"{self.message} ({self.reason})" if self.reason else self.message


class RefereeError(Exception):
    """Base class of all exceptions that this library raises."""


class Misconfigured(RefereeError):
    """A setting of the bot program is missing or invalid."""


class Unreachable(RefereeError):
    """The referee cannot be reached, and retries have failed."""


class Refused(RefereeError):
    """The referee rejected a call."""

    repeated = False
    """Whether the call was repeated after an attempt without a response, which may have succeeded."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    @property
    def reason(self) -> str:
        return self.refusal.reason

    @property
    def message(self) -> str:
        return self.refusal.message

    @property
    def metadata(self) -> Mapping[str, str]:
        return self.refusal.metadata


class NotAllowed(Refused):
    """The token lacks the permission, or the request can never be accepted. A retry does not help."""


class NotServed(Refused):
    """The referee does not implement this service or method."""


class TakenOver(Refused):
    """A newer session of the same bot and version has taken over its matches."""


PERMANENT_ERRORS = {
    grpc.StatusCode.UNAUTHENTICATED: NotAllowed,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowed,
    grpc.StatusCode.INVALID_ARGUMENT: NotAllowed,
    grpc.StatusCode.UNIMPLEMENTED: NotServed,
}
"""Status codes for which a retry does not help."""


def refusal_in(message: error_pb2.ErrorDetail) -> Refusal:
    """Return an error that was received in a stream. A reason that this library does not know stays a number."""
    detail = to_value(message, ErrorDetail)
    return Refusal(detail.reason, detail.message, detail.metadata)


def call_error(error: grpc.RpcError) -> Refused:
    """Return the exception for a failed call."""
    return PERMANENT_ERRORS.get(error.code(), Refused)(_refusal_of(error))


def stream_error(error: grpc.RpcError) -> Refused:
    """Return the exception for a Play stream that has ended with an error. Only its status code decides which one."""
    # The contract uses this code of a stream for one reason only: SESSION_TAKEN_OVER.
    return TakenOver(_refusal_of(error)) if error.code() == grpc.StatusCode.ABORTED else call_error(error)


def _refusal_of(error: grpc.RpcError) -> Refusal:
    """Return the error of a failed call; if it was not written by the referee, the status code is its reason."""
    info, retry = ErrorInfo(reason=error.code().name), RetryInfo()
    try:
        for detail in Status.FromString(_status_details(error)).details:
            _ = detail.Unpack(info) or detail.Unpack(retry)
    except DecodeError:  # A proxy may have changed them.
        info, retry = ErrorInfo(reason=error.code().name), RetryInfo()
    delay_s = retry.retry_delay.ToTimedelta().total_seconds() if retry.HasField("retry_delay") else None
    return Refusal(info.reason, _message_of(error), dict(info.metadata), delay_s)


def _message_of(error: grpc.RpcError) -> str:
    details = error.details() or ""
    if error.code() == grpc.StatusCode.UNAVAILABLE and details.startswith("failed to connect"):
        causes = [cause for sign, cause in LIKELY_CAUSES.items() if sign in details]
        return "; ".join([details, *causes])
    return details


def _status_details(error: grpc.RpcError) -> Any:
    metadata: Any = error.trailing_metadata() or ()
    if isinstance(metadata, grpc.aio.Metadata):  # The error of an asynchronous call.
        return metadata.get(STATUS_KEY, b"")
    return next((item.value for item in metadata if item.key == STATUS_KEY), b"")
