"""Calls of any method that the server lists, and checks of their outcomes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status.rpc_status import from_call
from referee_api.v1 import error_pb2

from tests.e2e.call_errors import parse_error
from tests.e2e.fuzz_messages import parts_of
from tests.e2e.server import TIMEOUT_S, bearer

PACKAGE_PREFIX = "/referee_api."
FAULTS = frozenset({"REFEREE_FAULT", "ENGINE_FAULT"})
REASONS = {value.number: value.name.removeprefix("ERROR_REASON_") for value in error_pb2.ErrorReason.DESCRIPTOR.values}
ALLOWED_REASONS = frozenset(REASONS.values()) - FAULTS - {REASONS[0]}
FORBIDDEN_CODES = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED})
"""Status codes that no request may cause."""


def path_of(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def served_methods(channel: grpc.Channel) -> list[MethodDescriptor]:
    """Return all methods that the server lists by reflection."""
    reflected = ProtoReflectionDescriptorDatabase(channel)
    pool: Any = DescriptorPool(reflected)  # The type stubs do not know that any database is accepted.
    services = [pool.FindServiceByName(name) for name in sorted(reflected.get_services())]
    return [method for service in services for method in service.methods]


@dataclass(frozen=True, slots=True)
class Answer:
    """Responses to a call, and its status."""

    responses: tuple[Message, ...]
    code: grpc.StatusCode = grpc.StatusCode.OK
    message: str = ""
    reason: str = ""
    """Reason of the error in the contract; empty if there is none."""


def call_raw(channel: grpc.Channel, method: MethodDescriptor, requests: Iterable[bytes], secret: str | None) -> Answer:
    """Send these bytes unchanged, and read all responses; of an endless stream, only the first one."""
    stub: Any = channel.stream_stream(path_of(method))
    responses: list[Message] = []
    call = stub(iter(requests), metadata=bearer(secret) if secret is not None else (), timeout=TIMEOUT_S)
    try:
        for data in call:
            responses.append(GetMessageClass(method.output_type).FromString(data))
            if method.server_streaming and method.name.startswith("Watch"):
                call.cancel()
                break
    except grpc.RpcError as error:
        return failed_answer(error, responses)
    return Answer(tuple(responses))


def failed_answer(error: Any, responses: Iterable[Message] = ()) -> Answer:
    """Return the answer of a call that ended with an error. `error` is also the call, but not by its type."""
    reason = parse_error(error).reason if from_call(error) else ""
    return Answer(tuple(responses), error.code(), error.details() or "", reason)


def contract_violations(method: MethodDescriptor, answer: Answer) -> Iterator[str]:
    """Yield what is wrong with an answer: its status, and errors without a reason or faults in its responses."""
    # Health and reflection are services of others, without the referee's reasons; gRPC itself rejects huge messages.
    reason_expected = answer.code is not grpc.StatusCode.OK and path_of(method).startswith(PACKAGE_PREFIX)
    too_large = answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in answer.message
    if answer.code in FORBIDDEN_CODES or (reason_expected and answer.reason not in ALLOWED_REASONS and not too_large):
        yield f"{answer.code.name} {answer.reason!r}: {answer.message}"
    for response in answer.responses:
        for part in parts_of(response):
            error: Any = part  # Its class was made from the description that the server sent.
            is_error = part.DESCRIPTOR.full_name == error_pb2.ErrorDetail.DESCRIPTOR.full_name
            if is_error and REASONS.get(error.reason) not in ALLOWED_REASONS:
                yield f"{error.reason}: {error.message}"
