"""Calls of any method that the server lists, and checks of their outcomes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status.rpc_status import from_call
from referee_api.v1 import error_pb2

from tests.e2e.server import TIMEOUT_S, bearer

PACKAGE_PREFIX = "referee_api."
FAULTS = frozenset({"REFEREE_FAULT", "ENGINE_FAULT"})
REASONS = frozenset(
    value.name.removeprefix("ERROR_REASON_") for value in error_pb2.ErrorReason.DESCRIPTOR.values if value.number
).difference(FAULTS)
FORBIDDEN_CODES = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED})
"""Status codes that no request may cause."""


@dataclass(frozen=True, slots=True)
class Method:
    """Method of a service that the server lists."""

    descriptor: MethodDescriptor

    @property
    def name(self) -> str:
        return self.descriptor.name

    @property
    def path(self) -> str:
        return f"/{self.descriptor.containing_service.full_name}/{self.name}"

    @property
    def is_referee_method(self) -> bool:
        """False for health and reflection, which are third-party services without the referee's error reasons."""
        return self.path.startswith(f"/{PACKAGE_PREFIX}")

    @property
    def request(self) -> Descriptor:
        return self.descriptor.input_type

    @property
    def streams_requests(self) -> bool:
        """Whether the client sends a stream of requests."""
        return self.descriptor.client_streaming

    @property
    def is_endless(self) -> bool:
        """Whether the stream of responses has no end by design."""
        return self.descriptor.server_streaming and self.name.startswith("Watch")

    def response(self, data: bytes) -> Message:
        return GetMessageClass(self.descriptor.output_type).FromString(data)


def served_methods(channel: grpc.Channel) -> list[Method]:
    """Return all methods that the server lists by reflection."""
    reflected = ProtoReflectionDescriptorDatabase(channel)
    pool: Any = DescriptorPool(reflected)  # The type stubs do not know that any database is accepted.
    services = [pool.FindServiceByName(name) for name in sorted(reflected.get_services())]
    return [Method(method) for service in services for method in service.methods]


@dataclass(frozen=True, slots=True)
class Answer:
    """Responses to a call, and its status."""

    responses: tuple[Message, ...]
    code: grpc.StatusCode = grpc.StatusCode.OK
    message: str = ""
    reason: str = ""
    """Reason of the error in the contract; empty if there is none."""


def call_raw(channel: grpc.Channel, method: Method, requests: Iterable[bytes], secret: str | None) -> Answer:
    """Send these bytes unchanged, and read all responses; of an endless stream, only the first one."""
    stub: Any = channel.stream_stream(method.path)
    responses: list[Message] = []
    call = stub(iter(requests), metadata=bearer(secret) if secret is not None else (), timeout=TIMEOUT_S)
    try:
        for data in call:
            responses.append(method.response(data))
            if method.is_endless:
                call.cancel()
                break
    except grpc.RpcError as error:
        return failed_answer(error, responses)
    return Answer(tuple(responses))


def failed_answer(error: Any, responses: Iterable[Message] = ()) -> Answer:
    """Return the answer of a call that ended with an error. `error` is also the call, but not by its type."""
    return Answer(tuple(responses), error.code(), error.details() or "", _reason(error))


def _reason(error: Any) -> str:
    status = from_call(error)
    if not (status and status.details):
        return ""
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "referee"
    return info.reason


def contract_violation(method: Method, answer: Answer) -> str:
    """Return what is wrong with an answer, or an empty string."""
    if answer.code in FORBIDDEN_CODES:
        return f"{answer.code.name}: {answer.message}"
    if answer.code is grpc.StatusCode.OK or not method.is_referee_method:
        return ""
    if answer.reason in REASONS:
        return ""
    if answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in answer.message:
        return ""  # gRPC itself rejects messages far above the limit.
    return f"{answer.code.name} {answer.reason!r}: {answer.message}"


def errors_in(message: Message) -> Iterator[error_pb2.ErrorDetail]:
    """Yield all error details anywhere in a message."""
    for field, value in message.ListFields():
        if field.message_type and not field.message_type.GetOptions().map_entry:
            for item in value if field.is_repeated else [value]:
                if item.DESCRIPTOR.full_name == error_pb2.ErrorDetail.DESCRIPTOR.full_name:
                    yield error_pb2.ErrorDetail.FromString(item.SerializeToString())
                else:
                    yield from errors_in(item)
