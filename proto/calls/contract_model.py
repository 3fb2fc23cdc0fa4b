"""The calls of organisers and their messages, as the contract describes them: what the generators of clients walk."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)

PROTO = Path(__file__).resolve().parents[1]
PACKAGE = "referee_api/v1"
BOT_SERVICE = f"{PACKAGE}/play_service.proto"
"""The clients play by it in their own way: it is left out."""
TIMESTAMP = ".google.protobuf.Timestamp"
SERVICE, MESSAGE, ENUM = 6, 4, 5
METHOD = FIELD = ENUM_VALUE = 2
ONEOF = 8
"""Numbers in the paths of comments, which are those of the descriptors' own fields."""


@dataclass(frozen=True)
class Value:
    """A value of an enumeration."""

    name: str
    """In lower case, without the name of its enumeration."""
    number: int
    comment: str


@dataclass(frozen=True)
class Enumeration:
    name: str
    comment: str
    values: list[Value]


@dataclass(frozen=True)
class Field:
    proto: FieldDescriptorProto
    comment: str

    @property
    def name(self) -> str:
        return self.proto.name

    @property
    def type_name(self) -> str:
        """Name of the message or enumeration, without its package."""
        return self.proto.type_name.rpartition(".")[2]

    @property
    def is_repeated(self) -> bool:
        return self.proto.label == FieldDescriptorProto.LABEL_REPEATED

    @property
    def is_time(self) -> bool:
        return self.proto.type_name == TIMESTAMP

    @property
    def is_enum(self) -> bool:
        return self.proto.type == FieldDescriptorProto.TYPE_ENUM

    @property
    def is_message(self) -> bool:
        return self.proto.type == FieldDescriptorProto.TYPE_MESSAGE and not self.is_time

    @property
    def is_map(self) -> bool:
        """All maps of the contract are from texts to texts."""
        return self.is_message and self.proto.type_name.count(".") > ".referee_api.v1.Name".count(".")

    @property
    def is_alternative(self) -> bool:
        """Whether it belongs to a oneof. All of these fields are messages."""
        return self.proto.HasField("oneof_index") and not self.proto.proto3_optional


@dataclass(frozen=True)
class Oneof:
    name: str
    comment: str
    fields: list[Field]


@dataclass(frozen=True)
class Message:
    name: str
    comment: str
    fields: list[Field]
    """Those that belong to no oneof."""
    oneofs: list[Oneof]

    @property
    def all_fields(self) -> list[Field]:
        return [*self.fields, *(field for oneof in self.oneofs for field in oneof.fields)]

    def has(self, name: str) -> bool:
        return any(field.name == name for field in self.all_fields)


@dataclass(frozen=True)
class Call:
    service: str
    proto: MethodDescriptorProto
    comment: str

    @property
    def name(self) -> str:
        return self.proto.name

    @property
    def request(self) -> str:
        return self.proto.input_type.rpartition(".")[2]

    @property
    def response(self) -> str:
        return self.proto.output_type.rpartition(".")[2]

    @property
    def is_stream(self) -> bool:
        return self.proto.server_streaming

    @property
    def is_watch(self) -> bool:
        """Whether it continues after a number. Its response has `items`: snapshots and entries."""
        return self.is_stream and self.name.startswith("Watch")


@dataclass(frozen=True)
class File:
    """A file of the contract, with what the calls need of it."""

    name: str
    """Without its folder and ending."""
    enumerations: list[Enumeration]
    messages: list[Message]
    calls: list[Call]


class Contract:
    def __init__(self, files: Iterable[FileDescriptorProto]) -> None:
        self._files = {file.name: file for file in files}
        own = [file for file in self._files.values() if file.name.startswith(PACKAGE) and file.name != BOT_SERVICE]
        everything = [_read(file) for file in own]
        self._messages = {message.name: message for file in everything for message in file.messages}
        self.calls = [call for file in everything for call in file.calls]
        names = self.requested | self.answered
        enums = {field.type_name for name in names for field in self._messages[name].all_fields if field.is_enum}
        self.files = [
            File(
                file.name,
                [kind for kind in file.enumerations if kind.name in enums],
                [message for message in file.messages if message.name in names],
                file.calls,
            )
            for file in everything
        ]

    @cached_property
    def requested(self) -> set[str]:
        """Names of the messages of requests."""
        return self._closure(call.request for call in self.calls)

    @cached_property
    def answered(self) -> set[str]:
        """Names of the messages of responses."""
        return self._closure(call.response for call in self.calls)

    @cached_property
    def known_to_bots(self) -> set[str]:
        """Names of the messages in the files that bots need too."""
        files, waiting = set[str](), [BOT_SERVICE]
        while waiting:
            if (name := waiting.pop()) not in files:
                files.add(name)
                waiting += self._files[name].dependency
        return {message.name for name in files for message in self._files[name].message_type}

    def message(self, name: str) -> Message:
        return self._messages[name]

    def _closure(self, names: Iterable[str]) -> set[str]:
        found, waiting = set[str](), list(names)
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting += [field.type_name for field in self._messages[name].all_fields if _has_type(field)]
        return found


def read_contract() -> Contract:
    """Compile `proto/` with its comments."""
    buf = Path(sys.executable).with_name("buf")
    built = subprocess.run([buf, "build", "-o", "-"], cwd=PROTO, stdout=subprocess.PIPE, check=True).stdout
    return Contract(FileDescriptorSet.FromString(built).file)


def _has_type(field: Field) -> bool:
    return field.is_message and not field.is_map


def _read(file: FileDescriptorProto) -> File:
    comments = {tuple(place.path): place.leading_comments for place in file.source_code_info.location}

    def comment(*path: int) -> str:
        return "\n".join(line.removeprefix(" ") for line in comments.get(path, "").rstrip().split("\n"))

    calls = [
        Call(service.name, method, comment(SERVICE, number, METHOD, place))
        for number, service in enumerate(file.service)
        for place, method in enumerate(service.method)
    ]
    enumerations = [
        Enumeration(kind.name, comment(ENUM, number), list(_values(kind, number, comment)))
        for number, kind in enumerate(file.enum_type)
    ]
    messages = [_message(message, number, comment) for number, message in enumerate(file.message_type)]
    return File(Path(file.name).stem, enumerations, messages, calls)


def _values(kind: EnumDescriptorProto, number: int, comment: Callable[..., str]) -> Iterator[Value]:
    prefix = kind.value[0].name.removesuffix("UNSPECIFIED")
    for place, value in enumerate(kind.value):
        name = value.name.removeprefix(prefix).lower()
        yield Value(name, value.number, comment(ENUM, number, ENUM_VALUE, place))


def _message(message: DescriptorProto, number: int, comment: Callable[..., str]) -> Message:
    fields = [Field(field, comment(MESSAGE, number, FIELD, place)) for place, field in enumerate(message.field)]
    oneofs = [
        Oneof(oneof.name, comment(MESSAGE, number, ONEOF, place), alternatives)
        for place, oneof in enumerate(message.oneof_decl)
        if (alternatives := [field for field in fields if field.is_alternative and field.proto.oneof_index == place])
    ]
    return Message(message.name, comment(MESSAGE, number), [it for it in fields if not it.is_alternative], oneofs)
