"""Converts values of basic types: times, durations, and enums, by dictionaries from wire values to domain values."""

from enum import Enum
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.conversion import BadValue, enum_word, to_value
from referee_values import Value, normal

from referee.accounts.account_errors import BadField
from referee.match.clock import MS, Micros

V = TypeVar("V", bound=Value)
DomainEnum = TypeVar("DomainEnum", bound=Enum)
WireEnum = TypeVar("WireEnum", bound=int)


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


def parse_enum(members: dict[WireEnum, DomainEnum], value: int, field: str) -> DomainEnum:
    """Return the domain value of a wire value. Raises BadField, with this field, if it is unknown."""
    known: dict[int, DomainEnum] = {int(number): member for number, member in members.items()}
    if value not in known:
        raise BadField(field, f"{value} is unknown; known: {', '.join(map(str, known))}")
    return known[value]


def parse_enum_or_default(members: dict[WireEnum, DomainEnum], value: int, field: str) -> DomainEnum:
    """Like `parse_enum`, but 0 stands for the first member. Raises BadField."""
    return parse_enum(members, value or next(iter(members)), field)


def enum_value(members: dict[WireEnum, DomainEnum], member: DomainEnum) -> WireEnum:
    """Return the wire value of a domain value."""
    return next(number for number, known in members.items() if known is member)
