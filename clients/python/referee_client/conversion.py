"""Conversion between messages of the contract and the values of this library, by the names of their fields.

A value type is a dataclass whose annotations say how its fields are converted. The metadata `wire` of a field is its
name in the message, if that differs.

    tuple[X, ...]            a repeated field
    X | None                 a field that may be missing
    A | B | None             a oneof, whose messages have the names of these classes
    datetime                 a Timestamp, in UTC
    Literal["", "a", "b"]    an enum: the names of its values without their prefix; unknown ones are numbers as text

It is no part of the public interface.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from referee_client.clocks import Clock, clock_in, write_clock
from referee_client.errors import Refusal, refusal_in, write_refusal

T = TypeVar("T")
MessageT = TypeVar("MessageT", bound=Message)

Read = Callable[[Any], Any]
Write = Callable[[Any, Any], None]

SPECIAL: dict[type, tuple[Read, Write]] = {Clock: (clock_in, write_clock), Refusal: (refusal_in, write_refusal)}
"""Types whose fields differ from those of their messages."""


def from_message(kind: type[T], message: Message) -> T:
    """Return the value that has the fields of a message."""
    if kind in SPECIAL:
        value: T = SPECIAL[kind][0](message)
        return value
    described: Any = kind
    return kind(**{name: read(message) for name, read, _ in _plan(described, message.DESCRIPTOR)})


def to_message(value: object, kind: type[MessageT]) -> MessageT:
    """Return a message with the fields of a value."""
    message = kind()
    write_message(value, message)
    return message


def message_or_none(value: object | None, kind: type[MessageT]) -> MessageT | None:
    """Return the message, or None for a field that is not set."""
    return None if value is None else to_message(value, kind)


def write_message(value: object, message: Message) -> None:
    """Set the fields of an empty message."""
    kind: Any = type(value)
    if kind in SPECIAL:
        SPECIAL[kind][1](value, message)
        return
    for name, _, write in _plan(kind, message.DESCRIPTOR):
        write(getattr(value, name), message)


@cache
def _plan(kind: type, descriptor: Descriptor) -> tuple[tuple[str, Read, Write], ...]:
    """Return how each field of a value type is read and written."""
    hints = get_type_hints(kind)
    plan = []
    for field in fields(kind):
        wire = field.metadata.get("wire", field.name)
        if oneof := descriptor.oneofs_by_name.get(wire):
            members = {member.name: _value_type(member, hints[field.name]) for member in oneof.fields}
            plan.append((field.name, *_oneof(wire, members)))
        else:
            plan.append((field.name, *_field(descriptor.fields_by_name[wire], hints[field.name])))
    return tuple(plan)


def _value_type(member: FieldDescriptor, union: Any) -> Any:
    """Return the class of a union that has the name of a oneof's message."""
    message = member.message_type
    assert message, "oneofs contain messages"
    return next(kind for kind in get_args(union) if kind.__name__ == message.name)


def _oneof(wire: str, members: Mapping[str, type]) -> tuple[Read, Write]:
    names = {kind: name for name, kind in members.items()}

    def read(message: Any) -> Any:
        name = message.WhichOneof(wire)
        return from_message(members[name], getattr(message, name)) if name else None

    def write(value: Any, message: Any) -> None:
        if value is not None:
            chosen = getattr(message, names[type(value)])
            chosen.SetInParent()
            write_message(value, chosen)

    return read, write


def _field(field: FieldDescriptor, hint: Any) -> tuple[Read, Write]:
    if get_origin(hint) is tuple:
        return _repeated(field, get_args(hint)[0])
    if get_origin(hint) is Mapping:
        return _mapping(field)
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] if get_origin(hint) is UnionType else [hint]
    [kind] = kinds
    optional = kind is not hint
    if kind is datetime:
        return _time(field)
    if kind in SPECIAL or is_dataclass(kind):
        return _submessage(field, kind, optional)
    return _scalar(field, optional)


def _repeated(field: FieldDescriptor, kind: Any) -> tuple[Read, Write]:
    name, words = field.name, field.enum_type and EnumWords(field.enum_type)
    if kind in SPECIAL or is_dataclass(kind):

        def write_all(values: Any, message: Any) -> None:
            for value in values:
                write_message(value, getattr(message, name).add())

        return lambda message: tuple(from_message(kind, one) for one in getattr(message, name)), write_all

    def read(message: Any) -> Any:
        values = getattr(message, name)
        return tuple(map(words.word, values)) if words else tuple(values)

    def write(values: Any, message: Any) -> None:
        getattr(message, name).extend(map(words.number, values) if words else values)

    return read, write


def _mapping(field: FieldDescriptor) -> tuple[Read, Write]:
    name = field.name
    return lambda message: dict(getattr(message, name)), lambda value, message: getattr(message, name).update(value)


def _time(field: FieldDescriptor) -> tuple[Read, Write]:
    name = field.name

    def read(message: Any) -> datetime | None:
        return getattr(message, name).ToDatetime(UTC) if message.HasField(name) else None

    def write(value: datetime | None, message: Any) -> None:
        if value is not None:
            getattr(message, name).FromDatetime(value)

    return read, write


def _submessage(field: FieldDescriptor, kind: Any, optional: bool) -> tuple[Read, Write]:
    name = field.name

    def read(message: Any) -> Any:
        return None if optional and not message.HasField(name) else from_message(kind, getattr(message, name))

    def write(value: Any, message: Any) -> None:
        # A value that must be there and is empty stands for a field that is not set.
        if value is not None and (optional or value != kind()):
            getattr(message, name).SetInParent()
            write_message(value, getattr(message, name))

    return read, write


def _scalar(field: FieldDescriptor, optional: bool) -> tuple[Read, Write]:
    name, words = field.name, field.enum_type and EnumWords(field.enum_type)

    def read(message: Any) -> Any:
        if optional and not message.HasField(name):
            return None
        value = getattr(message, name)
        return words.word(value) if words else value

    def write(value: Any, message: Any) -> None:
        if value is not None:
            setattr(message, name, words.number(value) if words else value)

    return read, write


class EnumWords:
    """The words of an enum: `MATCH_PHASE_OVER` is `over`. Reasons of errors stay in upper case."""

    def __init__(self, enum: EnumDescriptor) -> None:
        prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.name)[1:].upper() + "_"
        names = {value.number: value.name.removeprefix(prefix) for value in enum.values if value.number}
        lower = enum.name != "ErrorReason"
        self._name = enum.name
        self._words = {0: ""} | {number: name.lower() if lower else name for number, name in names.items()}
        self._numbers = {word: number for number, word in self._words.items()}

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def word(self, number: int) -> str:
        return self._words.get(number, str(number))

    def number(self, word: str) -> int:
        """Return the number of a word. Raises ValueError, which names the known words."""
        if word not in self._numbers and not word.isdecimal():
            raise ValueError(f"{self._name} cannot be {word!r}; it is one of {', '.join(filter(None, self._numbers))}")
        return self._numbers[word] if word in self._numbers else int(word)


def enum_number(enum: Any, word: str) -> Any:
    """Return the number of a word of a generated enum. Raises ValueError, which names the known words."""
    return EnumWords(enum.DESCRIPTOR).number(word)
