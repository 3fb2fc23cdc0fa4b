"""Converts times, enums, and fields that have the same names in the domain and in the contract."""

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.conversion import BadValue, enum_number, enum_word, to_value
from referee_values import Value, normal

from referee.accounts.account_errors import BadField
from referee.match.clock import MS, Micros

V = TypeVar("V", bound=Value)
M = TypeVar("M", bound=Message)


def timestamp(unix_ms: int) -> Timestamp:
    stamp = Timestamp()
    stamp.FromMilliseconds(unix_ms)
    return stamp


def maybe_timestamp(unix_ms: int | None) -> Timestamp | None:
    return None if unix_ms is None else timestamp(unix_ms)


def unix_ms(stamp: Timestamp, field: str) -> int:
    """Return the Unix time in milliseconds. Raises BadField, with this field, for an invalid timestamp."""
    try:
        return stamp.ToMilliseconds()
    except ValueError:
        raise BadField(field, "it must be a time between the years 1 and 9999") from None


def ms_down(us: Micros) -> int:
    """Return milliseconds, rounded down, so that a bot is never shown more time than it has."""
    return us // MS


def read_value(message: Message, value_class: type[V], inside: str = "") -> V:
    """Return the value of a message, which is the field `inside` of a request. Raises BadField."""
    try:
        return normal(to_value(message, value_class, known_words=True))
    except BadValue as error:
        raise BadField((error.inside(inside) if inside else error).path, error.why) from None


def read_word(enum: Any, number: int, field: str) -> Any:
    """Return the word of a number from a caller; `enum`: the stub's. Raises BadField, with this field."""
    known = enum.values()[1:]
    if number not in known:
        raise BadField(field, f"{number} is unknown; known: {', '.join(map(str, known))}")
    return enum_word(enum.DESCRIPTOR, number)


def copy_fields(source: Any, message_class: type[M], **others: Any) -> M:
    """Return a message with the fields that an object has under the same names, and with `others`.

    What these fields contain is copied in the same way. Members of enums are converted by their names.
    """
    fields = _copied_fields(type(source), message_class.DESCRIPTOR)  # type: ignore[arg-type] # mypy: classes have a hash.
    contents = {
        name: convert(getattr(source, name)) if convert else getattr(source, name)
        for name, convert in fields
        if name not in others
    }
    return message_class(**contents, **others)


@cache
def _copied_fields(source_class: type, descriptor: Descriptor) -> list[tuple[str, Callable[[Any], Any] | None]]:
    return [(field.name, _conversion(field)) for field in descriptor.fields if hasattr(source_class, field.name)]


def _conversion(field: FieldDescriptor) -> Callable[[Any], Any] | None:
    if field.enum_type:
        enum = EnumTypeWrapper(field.enum_type)
        return lambda member: enum_number(enum, member.name.lower() if isinstance(member, Enum) else member)
    if field.message_type is None:
        return None
    message_class = GetMessageClass(field.message_type)
    if field.is_repeated:
        return lambda contents: [copy_fields(content, message_class) for content in contents]
    return lambda content: None if content is None else copy_fields(content, message_class)


def add_event(entry: Message, event: Message) -> None:
    """Set the event of an entry: the field that has the type of this message."""
    getattr(entry, _event_field(entry.DESCRIPTOR, event.DESCRIPTOR)).CopyFrom(event)


@cache
def _event_field(entry: Descriptor, event: Descriptor) -> str:
    return next(field.name for field in entry.oneofs_by_name["event"].fields if field.message_type is event)
