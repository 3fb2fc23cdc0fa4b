"""Errors as a caller receives them: the status of a call, and all of its details."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, QuotaFailure, RetryInfo
from grpc_status.rpc_status import from_call
from referee_api.v1 import clock_pb2

from tests.docs import contract
from tests.transport.wire.test_error_mapping import PROMISES

KINDS = (BadRequest, QuotaFailure, RetryInfo)
DETAILS = {
    reason: {kind.DESCRIPTOR.name for kind in KINDS if kind.DESCRIPTOR.name in comment}
    | ({"BadRequest"} if "INVALID_ARGUMENT" in comment else set())
    for comment, reason in contract.REASON.findall(contract.ERROR_PROTO.read_text(encoding="utf-8"))
}
"""Types of details that the contract promises, by reason."""
MAY_BE_EMPTY = {"current", "item", "owing", "rule"}
"""Metadata whose value may be empty, which means that there is none."""


@dataclass(frozen=True, slots=True)
class CallError:
    reason: str
    code: str
    sentence: str
    metadata: dict[str, str]
    details: dict[str, Any]
    """Details other than the ErrorInfo, by the name of their type."""


def parse_error(error: grpc.RpcError) -> CallError:
    """Return the error of a failed call, with its details parsed."""
    call: Any = error  # The error is also the call, which its type does not show.
    status = from_call(call)
    assert status, f"{call.code()}: {call.details()}"
    first, *more = status.details
    info = ErrorInfo()
    assert first.Unpack(info)
    assert info.domain == "referee"
    assert status.message == call.details()
    return CallError(info.reason, call.code().name, status.message, dict(info.metadata), dict(map(_unpacked, more)))


def error_of(call: Callable[..., Any], *arguments: Any, **fields: Any) -> CallError:
    """Return the error of a call, which must fail; a stream is read to its end."""
    try:
        answer = call(*arguments, **fields)
        if isinstance(answer, grpc.Call):
            list(answer)  # type: ignore[call-overload]  # The call is also the stream, which its type does not show.
    except grpc.RpcError as error:
        return parse_error(error)
    raise AssertionError("the call succeeded")


def assert_refused(reason: str, call: Callable[..., Any], *arguments: Any, **fields: Any) -> CallError:
    """Assert that a call fails for this reason as the contract promises, and return its error."""
    error = error_of(call, *arguments, **fields)
    assert error.reason == reason
    assert_matches_contract(error)
    return error


def reason_of(call: Callable[..., Any], *arguments: Any, **fields: Any) -> str:
    """Return the reason of the error of a call, or nothing if it succeeds; of a stream, one message is read."""
    try:
        answer = call(*arguments, **fields)
        if isinstance(answer, grpc.Call):
            next(answer, None)  # type: ignore[call-overload]  # The call is also the stream.
            answer.cancel()
    except grpc.RpcError as error:
        return parse_error(error).reason
    return ""


def _unpacked(detail: Any) -> tuple[str, Message]:
    (kind,) = (kind for kind in KINDS if detail.Is(kind.DESCRIPTOR))
    message = kind()
    detail.Unpack(message)
    return kind.DESCRIPTOR.name, message


def assert_matches_contract(error: CallError) -> None:
    """Assert that the error has the code, metadata and details that the contract promises for its reason."""
    code, names = PROMISES[error.reason]
    assert error.code == code
    assert_metadata_complete(error.reason, error.metadata)
    assert error.details.keys() == DETAILS[error.reason]
    if "BadRequest" in error.details:
        (violation,) = error.details["BadRequest"].field_violations
        assert violation.field
        assert violation.reason == error.reason
    if "retry_after_ms" in names:
        assert error.details["RetryInfo"].retry_delay.ToMilliseconds() == int(error.metadata["retry_after_ms"])


def assert_metadata_complete(reason: str, metadata: Mapping[str, str]) -> None:
    """Assert that all metadata that the contract promises are present and not empty."""
    _, names = PROMISES[reason]
    if reason == "CLOCK_EXPIRED":
        names = names | {field.name for field in clock_pb2.ClockCharge.DESCRIPTOR.fields if field.name.endswith("_us")}
    assert names <= metadata.keys()
    assert not [name for name in names - MAY_BE_EMPTY if not metadata[name]]
