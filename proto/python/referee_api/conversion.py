"""Conversion between the messages of the contract and its values (`referee_values`), by the names of their fields.

A field that is not set and a field with an empty message are the same, unless the value has None for the former. How to
convert is decided once for each type. A field that only one of the two types has is left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args

import referee_values
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from referee_values import Value

V = TypeVar("V", bound=Value)
M = TypeVar("M", bound=Message)

Convert = Callable[[Any], Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BadValue(ValueError):
    """A field cannot be converted. `path` names it, such as `match_terms.time_control.odds[1].seat`."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(f"{path}: {why}" if path else why)
        self.why = why
        self.path = path

    def inside(self, outer: str) -> "BadValue":
        dot = "." if self.path and not self.path.startswith("[") else ""
        return BadValue(self.why, f"{outer}{dot}{self.path}")


def to_value(message: Message, value_class: type[V], *, known_words: bool = False) -> V:
    """Return the value with the fields of a message. Raises BadValue.

    `known_words` refuses enums that a newer program has set to a number without a word.
    """
    value: V = _reader(value_class, message.DESCRIPTOR, known_words)(message)
    return value


def to_message(value: Value, message_class: type[M]) -> M:
    """Return a message with the fields of a value. Raises BadValue."""
    message: M = _writer(type(value), message_class.DESCRIPTOR)(value)
    return message


def enum_number(enum: Any, word: str) -> Any:
    """Return the number of a word for a request, which has no value; `enum`: the stub's. Raises BadValue."""
    return _enum(enum.DESCRIPTOR)[1](word)


def enum_word(enum: EnumDescriptor, number: int) -> str:
    """Return the word of a number."""
    word: str = _enum(enum)[0](number)
    return word


class Field(NamedTuple):
    """A field that a value and a message have."""

    number: int
    name: str
    default: object
    read: Convert | None
    """None: the content is the same in both; and so for `write`."""
    write: Convert | None


def _fields(value_class: type[Value], descriptor: Descriptor, known_words: bool) -> Iterator[Field]:
    for name, default in zip(value_class.__struct_fields__, value_class.__struct_defaults__, strict=True):
        if field := descriptor.fields_by_name.get(name):
            read, write = _content(field, known_words) if not isinstance(default, Mapping) else (dict, None)
            if isinstance(default, tuple):
                read, write = _all(read) if read else tuple, _all(write) if write else None
            yield Field(field.number, name, default, read, write)


def _content(field: FieldDescriptor, known_words: bool) -> tuple[Convert | None, Convert | None]:
    """Return how the content of a field is converted, or each content if it is repeated."""
    if field.enum_type:
        return _enum(field.enum_type, known_words)
    if not field.message_type:
        return None, None
    if field.message_type.full_name == Timestamp.DESCRIPTOR.full_name:
        return _read_time, _write_time
    value_class = getattr(referee_values, field.message_type.name)
    return _reader(value_class, field.message_type, known_words), _writer(value_class, field.message_type)


@cache
def _reader(value_class: type[Value], descriptor: Descriptor, known_words: bool) -> Convert:
    fields = {field.number: (field.name, field.read) for field in _fields(value_class, descriptor, known_words)}

    def read(message: Message) -> Value:
        contents = {}
        for field, content in message.ListFields():
            if known := fields.get(field.number):
                name, convert = known
                try:
                    contents[name] = convert(content) if convert else content
                except BadValue as error:
                    raise error.inside(name) from None
        return value_class(**contents)

    return read


@cache
def _writer(value_class: type[Value], descriptor: Descriptor) -> Convert:
    fields = [(field.name, field.default, field.write) for field in _fields(value_class, descriptor, False)]
    oneofs = [{member.name for member in oneof.fields} for oneof in descriptor.oneofs if len(oneof.fields) > 1]
    message_class = GetMessageClass(descriptor)

    def write(value: Value) -> Message:
        if type(value) is not value_class:
            raise BadValue(f"it is a {type(value).__name__}, and not a {value_class.__name__}")
        contents = {}
        for name, default, convert in fields:
            content = getattr(value, name)
            if content is default or content == default:
                continue
            try:
                contents[name] = convert(content) if convert else content
            except BadValue as error:
                raise error.inside(name) from None
        for oneof in oneofs:
            if len(names := sorted(oneof & contents.keys())) > 1:
                raise BadValue(f"only one of {' and '.join(names)} can be set", names[-1])
        try:
            return message_class(**contents)
        except (TypeError, ValueError):
            raise _refusal(message_class, contents) from None

    return write


def _refusal(message_class: type[Message], contents: Mapping[str, Any]) -> BadValue:
    """Return the error of the first content that a message does not accept: protobuf does not name its field."""
    for name, content in contents.items():
        try:
            message_class(**{name: content})
        except (TypeError, ValueError) as error:
            return BadValue(str(error), name)
    raise AssertionError("each content is accepted alone")


def _all(convert: Convert) -> Convert:
    def convert_all(contents: Iterable[Any]) -> tuple[Any, ...]:
        converted: list[Any] = []
        try:
            for content in contents:
                converted.append(convert(content))  # noqa: PERF401 - The error needs the number of those before.
        except BadValue as error:
            raise error.inside(f"[{len(converted)}]") from None
        return tuple(converted)

    return convert_all


def _read_time(stamp: Timestamp) -> datetime:
    """Return the time in UTC, without the nanoseconds below a microsecond."""
    try:
        if 0 <= stamp.nanos < 10**9:
            return EPOCH + timedelta(seconds=stamp.seconds, microseconds=stamp.nanos // 1000)
    except OverflowError:
        pass
    raise BadValue(f"{stamp.seconds} s and {stamp.nanos} ns are no time stamp")


def _write_time(time: datetime) -> Timestamp:
    if time.tzinfo is None:
        raise BadValue(f"{time} has no time zone")
    try:
        since = time.astimezone(UTC) - EPOCH
    except OverflowError:
        raise BadValue(f"{time} is no time stamp: in UTC it is before the year 1 or after 9999") from None
    return Timestamp(seconds=since.days * 86_400 + since.seconds, nanos=since.microseconds * 1000)


@cache
def _enum(enum: EnumDescriptor, known_words: bool = False) -> tuple[Convert, Convert]:
    numbers = [value.number for value in enum.values]
    words = dict(zip(numbers, get_args(getattr(referee_values, enum.name)), strict=True))
    numbers_of = {word: number for number, word in words.items()}

    def read(number: int) -> str:
        if known_words and number not in words:
            raise BadValue(f"{number} is unknown; known: {', '.join(map(str, numbers))}")
        # A newer server has words that are not known here. As digits they can be sent back.
        return words[number] if number in words else str(number)

    def write(word: str) -> int:
        if word in numbers_of:
            return numbers_of[word]
        number = int(word) if word.removeprefix("-").isdecimal() else 0
        if number in words or str(number) != word:
            raise BadValue(f"unknown word {word!r}; known: {', '.join(filter(None, words.values()))}")
        return number

    return read, write
