"""What the referee says no to, and what else can go wrong, as types."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import grpc
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from referee_api.v1 import refusal_pb2

STATUS = "grpc-status-details-bin"
PREFIX = "REFUSAL_REASON_"


@dataclass(frozen=True)
class Refusal:
    """What the referee said no to."""

    reason: str
    """One word of the contract, such as `ILLEGAL_MOVE`. Go by it, never by the sentence."""
    message: str
    """One sentence for a person."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Every variable of the sentence by name."""
    retry_delay: float | None = None
    """Seconds, of the `RetryInfo` of a call that ended."""

    @property
    def retry_after(self) -> float | None:
        """In how many seconds it may go better; None: nobody knows that it ever will."""
        ms = self.metadata.get("retry_after_ms")
        return int(ms) / 1_000 if ms else self.retry_delay

    def __str__(self) -> str:
        return f"{self.message} ({self.reason})" if self.reason else self.message


class RefereeError(Exception):
    """Everything that this library raises."""


class Misconfigured(RefereeError):
    """A setting of the bot program that is missing or cannot be."""


class Gone(RefereeError):
    """The referee cannot be reached, and trying again did not help."""


class Refused(RefereeError):
    """The referee says no."""

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
    """The token is no good for this, or the request can never be taken. To try again changes nothing."""


class NotServed(Refused):
    """The referee does not serve this (yet)."""


class TakenOver(Refused):
    """A newer session of the same bot and version plays its matches now."""


NEVER = {
    grpc.StatusCode.UNAUTHENTICATED: NotAllowed,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowed,
    grpc.StatusCode.INVALID_ARGUMENT: NotAllowed,
    grpc.StatusCode.UNIMPLEMENTED: NotServed,
}
"""Statuses that no second try will change."""


def refusal_in(message: refusal_pb2.Refusal) -> Refusal:
    """As it stands in a stream. A reason that is newer than this library is its number."""
    known = message.reason in refusal_pb2.RefusalReason.values()
    name = refusal_pb2.RefusalReason.Name(message.reason) if known else str(message.reason)
    return Refusal(name.removeprefix(PREFIX), message.message, dict(message.metadata))


def refused_by(why: grpc.RpcError) -> Refused:
    """What a call ended with, as one of the types above."""
    refusal = _refusal_of(why)
    if refusal.reason == "SESSION_TAKEN_OVER":
        return TakenOver(refusal)
    return NEVER.get(why.code(), Refused)(refusal)


def _refusal_of(why: grpc.RpcError) -> Refusal:
    """By its details; a status that the referee did not write has its code for a reason."""
    packed = (one.value for one in why.trailing_metadata() or () if one.key == STATUS)
    info, retry = ErrorInfo(reason=why.code().name), RetryInfo()
    for detail in Status.FromString(next(packed, b"")).details:
        _ = detail.Unpack(info) or detail.Unpack(retry)
    delay_s = retry.retry_delay.ToTimedelta().total_seconds() if retry.HasField("retry_delay") else None
    return Refusal(info.reason, why.details() or "", dict(info.metadata), delay_s)
