"""Calls of any method that the server says it has, and what may become of them."""

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
from referee_api.v1 import refusal_pb2

from tests.e2e.server import WITHIN_S, bearer

OURS = "referee_api."
FAULTS = frozenset({"REFEREE_FAULT", "ENGINE_FAULT"})
REASONS = frozenset(
    value.name.removeprefix("REFUSAL_REASON_") for value in refusal_pb2.RefusalReason.DESCRIPTOR.values if value.number
).difference(FAULTS)
BROKEN = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED})
"""However strange the question, these are no answers."""


@dataclass(frozen=True, slots=True)
class Method:
    """Of a service that is served."""

    descriptor: MethodDescriptor

    @property
    def name(self) -> str:
        return self.descriptor.name

    @property
    def path(self) -> str:
        return f"/{self.descriptor.containing_service.full_name}/{self.name}"

    @property
    def ours(self) -> bool:
        """Health and reflection are others' work, and know no reasons of ours."""
        return self.path.startswith(f"/{OURS}")

    @property
    def request(self) -> Descriptor:
        return self.descriptor.input_type

    @property
    def listens(self) -> bool:
        """It takes one request after the other."""
        return self.descriptor.client_streaming

    @property
    def goes_on(self) -> bool:
        """Its answers rightly have no end."""
        return self.descriptor.server_streaming and self.name.startswith("Watch")

    def response(self, data: bytes) -> Message:
        return GetMessageClass(self.descriptor.output_type).FromString(data)


def served_methods(channel: grpc.Channel) -> list[Method]:
    """All that the server says it serves, in the words of its own reflection."""
    reflected = ProtoReflectionDescriptorDatabase(channel)
    pool: Any = DescriptorPool(reflected)  # Its stubs do not know that it takes any database.
    services = [pool.FindServiceByName(name) for name in sorted(reflected.get_services())]
    return [Method(method) for service in services for method in service.methods]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a call: what was said, and how it ended."""

    said: tuple[Message, ...]
    code: grpc.StatusCode = grpc.StatusCode.OK
    sentence: str = ""
    reason: str = ""
    """In the words of the contract; empty without one."""


def ask(channel: grpc.Channel, method: Method, requests: Iterable[bytes], secret: str | None) -> Answer:
    """Send these bytes as they are, and hear the answer to its end; of one without end, its beginning."""
    stub: Any = channel.stream_stream(method.path)
    said: list[Message] = []
    call = stub(iter(requests), metadata=bearer(secret) if secret is not None else (), timeout=WITHIN_S)
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
    """A call that ended with an error. `refused` is the call, too, which the type of errors does not say."""
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
    """What no caller should ever see in an answer. Empty: nothing."""
    if answer.code in BROKEN:
        return f"{answer.code.name}: {answer.sentence}"
    if answer.code is grpc.StatusCode.OK or not method.ours:
        return ""
    if answer.reason in REASONS:
        return ""
    if answer.code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in answer.sentence:
        return ""  # Far beyond what is read, grpc itself says no.
    return f"{answer.code.name} {answer.reason!r}: {answer.sentence}"


def refusals_in(message: Message) -> Iterator[refusal_pb2.Refusal]:
    """All refusals that stand somewhere in a message."""
    for field, value in message.ListFields():
        if field.message_type and not field.message_type.GetOptions().map_entry:
            for one in value if field.is_repeated else [value]:
                if one.DESCRIPTOR.full_name == refusal_pb2.Refusal.DESCRIPTOR.full_name:
                    yield refusal_pb2.Refusal.FromString(one.SerializeToString())
                else:
                    yield from refusals_in(one)
