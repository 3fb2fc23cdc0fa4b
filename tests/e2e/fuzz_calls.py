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

OURS = "referee_api."
FAULTS = frozenset({"REFEREE_FAULT", "ENGINE_FAULT"})
REASONS = frozenset(
    value.name.removeprefix("ERROR_REASON_") for value in error_pb2.ErrorReason.DESCRIPTOR.values if value.number
).difference(FAULTS)
BROKEN = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED})
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
    def ours(self) -> bool:
        """False for health and reflection, which are third-party services without the referee's error reasons."""
        return self.path.startswith(f"/{OURS}")

    @property
    def request(self) -> Descriptor:
        return self.descriptor.input_type

    @property
    def listens(self) -> bool:
        """Whether the client sends a stream of requests."""
        return self.descriptor.client_streaming

    @property
    def goes_on(self) -> bool:
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

    said: tuple[Message, ...]
    code: grpc.StatusCode = grpc.StatusCode.OK
    sentence: str = ""
    reason: str = ""
    """Reason of the error in the contract; empty if there is none."""


def ask(channel: grpc.Channel, method: Method, requests: Iterable[bytes], secret: str | None) -> Answer:
    """Send these bytes unchanged, and read all responses; of an endless stream, only the first one."""
    stub: Any = channel.stream_stream(method.path)
    said: list[Message] = []
    call = stub(iter(requests), metadata=bearer(secret) if secret is not None else (), timeout=TIMEOUT_S)
    try:
        for data in call:
            said.append(method.response(data))
            if method.goes_on:
                call.cancel()
                break
    except grpc.RpcError as refused:
        return ended_by(refused, said)
    return Answer(tuple(said))


def ended_by(refused: Any, said: Iterable[Message] = ()) -> Answer:
    """Return the answer of a call that ended with an error. `refused` is also the call, but not by its type."""
    return Answer(tuple(said), refused.code(), refused.details() or "", _reason(refused))


def _reason(refused: Any) -> str:
    status = from_call(refused)
    if not (status and status.details):
        return ""
    info = ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "referee"
    return info.reason


def wrong_with(method: Method, answer: Answer) -> str:
    """Return what is wrong with an answer, or an empty string."""
    if answer.code in BROKEN:
        return f"{answer.code.name}: {answer.sentence}"
    if answer.code is grpc.StatusCode.OK or not method.ours:
        return ""
    if answer.reason in REASONS:
        return ""
    if answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in answer.sentence:
        return ""  # gRPC itself rejects messages far above the limit.
    return f"{answer.code.name} {answer.reason!r}: {answer.sentence}"


def refusals_in(message: Message) -> Iterator[error_pb2.ErrorDetail]:
    """Yield all error details anywhere in a message."""
    for field, value in message.ListFields():
        if field.message_type and not field.message_type.GetOptions().map_entry:
            for one in value if field.is_repeated else [value]:
                if one.DESCRIPTOR.full_name == error_pb2.ErrorDetail.DESCRIPTOR.full_name:
                    yield error_pb2.ErrorDetail.FromString(one.SerializeToString())
                else:
                    yield from refusals_in(one)
