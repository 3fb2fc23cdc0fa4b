"""Codecs that convert typed values to JSON values and back.

The codec of a type is derived from its annotations: integers, strings and booleans are encoded as themselves, bytes in
hexadecimal, a member of an Enum as its value, a tuple as an array, and a dataclass as an object with all its fields in
their order. Encoding and decoding are both strict, so that whatever has been encoded can be decoded: no defaults, no
missing fields, no unknown fields, no conversions.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

from engines.game_errors import quoted

JsonValue: TypeAlias = Any
"""A value as the `json` module returns it."""

KIND = "kind"


class MalformedValue(ValueError):
    """A value that cannot be encoded or decoded. `str()` is the path to the field and what is wrong with it."""

    def __init__(self, problem: str, path: tuple[str, ...] = ()) -> None:
        super().__init__(f"{'.'.join(path)}: {problem}" if path else problem)
        self.problem = problem
        self.path = path

    def inside(self, name: str) -> "MalformedValue":
        """Return the same error with `name` in front of its path."""
        return MalformedValue(self.problem, (name, *self.path))


class ValueCodec(ABC):
    """Encodes and decodes values of one type."""

    plain_type: type | None = None
    """Values of exactly this type are encoded as themselves, so that callers can skip the codec."""

    @abstractmethod
    def encode(self, value: Any) -> JsonValue:
        """Return the value as JSON. Raises MalformedValue if it could not be decoded again."""

    @abstractmethod
    def decode(self, data: JsonValue) -> Any:
        """Return the value. Raises MalformedValue."""


class ScalarCodec(ValueCodec):
    """Values that JSON represents as they are."""

    def __init__(self, expected: str, *types: type) -> None:
        self.plain_type = types[0] if len(types) == 1 else None
        self._types = types
        self._expected = expected

    def encode(self, value: Any) -> JsonValue:
        # Not isinstance: True is an instance of int.
        if type(value) not in self._types:
            raise _mismatch(self._expected, value)
        return value

    def decode(self, data: JsonValue) -> Any:
        return self.encode(data)


class FloatCodec(ValueCodec):
    """A float. Integers are encoded as floats, so that equal numbers have equal text: a score of 1 is 1.0."""

    def encode(self, value: Any) -> float:
        if type(value) not in (int, float) or not math.isfinite(value):
            raise _mismatch("a number", value)
        return float(value)

    def decode(self, data: JsonValue) -> float:
        if type(data) is not float or not math.isfinite(data):
            raise _mismatch("a number with a decimal point", data)
        return data


class BytesCodec(ValueCodec):
    """Bytes as lower-case hexadecimal digits."""

    def encode(self, value: Any) -> str:
        if type(value) is not bytes:
            raise _mismatch("bytes", value)
        return value.hex()

    def decode(self, data: JsonValue) -> bytes:
        try:
            value = bytes.fromhex(data)
        except (TypeError, ValueError):
            value = b""
        # `fromhex` accepts capitals and whitespace too.
        if value.hex() != data:
            raise _mismatch("bytes in lower-case hexadecimal", data)
        return value


class EnumCodec(ValueCodec):
    """A member of an Enum, as its value."""

    def __init__(self, enum: type[Enum]) -> None:
        self._enum = enum
        self._members = {member.value: member for member in enum}

    def encode(self, value: Any) -> JsonValue:
        if type(value) is not self._enum:
            raise self._no_member(value)
        return value.value

    def decode(self, data: JsonValue) -> Enum:
        if type(data) is not str or data not in self._members:
            raise self._no_member(data)
        return self._members[data]

    def _no_member(self, data: object) -> MalformedValue:
        return _mismatch(f"one of {', '.join(self._members)}", data)


class OptionalCodec(ValueCodec):
    """A value or null."""

    def __init__(self, codec: ValueCodec) -> None:
        self._codec = codec

    def encode(self, value: Any) -> JsonValue:
        return None if value is None else self._codec.encode(value)

    def decode(self, data: JsonValue) -> Any:
        return None if data is None else self._codec.decode(data)


class ArrayCodec(ValueCodec):
    """A tuple of any length whose items have one type."""

    def __init__(self, codec: ValueCodec) -> None:
        self._codec = codec

    def encode(self, value: Any) -> list[JsonValue]:
        items = _require_sequence(tuple, value)
        return [_at(index, self._codec.encode, one) for index, one in enumerate(items)]

    def decode(self, data: JsonValue) -> tuple[Any, ...]:
        items = _require_sequence(list, data)
        return tuple(_at(index, self._codec.decode, one) for index, one in enumerate(items))


class TupleCodec(ValueCodec):
    """A tuple of fixed length, with a type for each item."""

    def __init__(self, codecs: tuple[ValueCodec, ...]) -> None:
        self._codecs = codecs

    def encode(self, value: Any) -> list[JsonValue]:
        items = self._require_length(tuple, value)
        return [
            _at(index, codec.encode, one) for index, (codec, one) in enumerate(zip(self._codecs, items, strict=True))
        ]

    def decode(self, data: JsonValue) -> tuple[Any, ...]:
        pairs = zip(self._codecs, self._require_length(list, data), strict=True)
        return tuple(_at(index, codec.decode, one) for index, (codec, one) in enumerate(pairs))

    def _require_length(self, sequence: type[Sequence[Any]], data: object) -> Sequence[Any]:
        items = _require_sequence(sequence, data)
        if len(items) != len(self._codecs):
            raise _mismatch(f"an array of {len(self._codecs)}", data)
        return items


class DataclassCodec(ValueCodec):
    """A dataclass, as an object with all its fields in their order."""

    def __init__(self, cls: type, codecs: Mapping[str, ValueCodec]) -> None:
        self._cls = cls
        self._names = codecs.keys()
        self._fields = tuple((name, codec, codec.plain_type) for name, codec in codecs.items())

    def encode(self, value: Any) -> dict[str, JsonValue]:
        data: dict[str, JsonValue] = {}
        self.encode_into(value, data)
        return data

    def encode_into(self, value: Any, data: dict[str, JsonValue]) -> None:
        """Append the fields to `data`. Raises MalformedValue."""
        if type(value) is not self._cls:
            raise _mismatch(f"a {self._cls.__name__}", value)
        for name, codec, plain_type in self._fields:
            field = getattr(value, name)
            try:
                data[name] = field if type(field) is plain_type else codec.encode(field)
            except MalformedValue as why:
                raise why.inside(name) from None

    def decode(self, data: JsonValue) -> Any:
        if type(data) is not dict:
            raise _mismatch("an object", data)
        if data.keys() != self._names:
            raise self._wrong_names(data)
        values = []
        for name, codec, plain_type in self._fields:
            field = data[name]
            try:
                values.append(field if type(field) is plain_type else codec.decode(field))
            except MalformedValue as why:
                raise why.inside(name) from None
        try:
            return self._cls(*values)
        except (ValueError, AssertionError) as why:  # Some classes validate themselves, such as time controls.
            raise MalformedValue(str(why)) from None

    def _wrong_names(self, data: dict[str, JsonValue]) -> MalformedValue:
        missing = [name for name in self._names if name not in data]
        if missing:
            return MalformedValue(f"{missing[0]} is missing")
        unknown = next(name for name in data if name not in self._names)
        return MalformedValue(f"unknown field {quoted(unknown)}; known: {', '.join(self._names) or 'none'}")


class UnionCodec(ValueCodec):
    """One of several dataclasses, told apart by the `kind` of the object."""

    def __init__(self, codecs: Mapping[str, tuple[type, DataclassCodec]]) -> None:
        self._by_kind = {kind: codec for kind, (_, codec) in codecs.items()}
        self._by_type = {cls: (kind, codec) for kind, (cls, codec) in codecs.items()}

    def encode(self, value: Any) -> dict[str, JsonValue]:
        data: dict[str, JsonValue] = {}
        self.encode_into(value, data)
        return data

    def encode_into(self, value: Any, data: dict[str, JsonValue]) -> None:
        """Append the kind and the fields to `data`. Raises MalformedValue."""
        if type(value) not in self._by_type:
            raise MalformedValue(f"there is no kind for a {type(value).__name__}")
        data[KIND], codec = self._by_type[type(value)]
        codec.encode_into(value, data)

    def decode(self, data: JsonValue) -> Any:
        if type(data) is not dict:
            raise _mismatch("an object", data)
        if KIND not in data:
            raise MalformedValue(f"{KIND} is missing")
        items = dict(data)
        kind = items.pop(KIND)
        if type(kind) is not str or kind not in self._by_kind:
            raise MalformedValue(f"unknown kind {quoted(kind)}; known: {', '.join(self._by_kind)}")
        return self._by_kind[kind].decode(items)


SCALARS: dict[Any, ValueCodec] = {
    int: ScalarCodec("an integer", int),
    str: ScalarCodec("a string", str),
    bool: ScalarCodec("true or false", bool),
    float: FloatCodec(),
    bytes: BytesCodec(),
}


def codec_for(hint: Any, types: Mapping[Any, ValueCodec]) -> ValueCodec:
    """Return the codec of an annotation. `types` has the codecs that cannot be derived from the type."""
    if hint in types:
        return types[hint]
    origin = get_origin(hint)
    if origin:
        return _compound_codec(origin, get_args(hint), types)
    return EnumCodec(hint) if issubclass(hint, Enum) else dataclass_codec(hint, types)


def dataclass_codec(cls: type, types: Mapping[Any, ValueCodec]) -> DataclassCodec:
    """Return the codec of a dataclass."""
    hints = get_type_hints(cls)
    return DataclassCodec(cls, {name: codec_for(hints[name], types) for name in field_names(cls)})


def field_names(cls: Any) -> list[str]:
    """Return the names of the fields of a dataclass or Struct."""
    if issubclass(cls, Struct):
        return [field.name for field in structs.fields(cls)]
    return [field.name for field in fields(cls)]


def union_codec(classes: Mapping[str, type], types: Mapping[Any, ValueCodec]) -> UnionCodec:
    """Return the codec of a union of dataclasses, given by their kinds."""
    return UnionCodec({kind: (cls, dataclass_codec(cls, types)) for kind, cls in classes.items()})


def _compound_codec(origin: Any, items: tuple[Any, ...], types: Mapping[Any, ValueCodec]) -> ValueCodec:
    if origin is tuple:
        return _tuple_codec(items, types)
    if origin not in (Union, UnionType):  # A generic dataclass.
        parameters = {name: codec_for(one, types) for name, one in zip(origin.__parameters__, items, strict=True)}
        return dataclass_codec(origin, {**types, **parameters})
    if NoneType in items:
        (other,) = (one for one in items if one is not NoneType)
        return OptionalCodec(codec_for(other, types))
    return ScalarCodec("a string, an integer, true or false", *items)


def _tuple_codec(items: tuple[Any, ...], types: Mapping[Any, ValueCodec]) -> ValueCodec:
    if items[-1] is Ellipsis:
        return ArrayCodec(codec_for(items[0], types))
    return TupleCodec(tuple(codec_for(one, types) for one in items))


def _at(index: int, convert: Callable[[Any], Any], one: Any) -> Any:
    try:
        return convert(one)
    except MalformedValue as why:
        raise why.inside(str(index)) from None


def _require_sequence(expected: type[Sequence[Any]], data: object) -> Sequence[Any]:
    if type(data) is not expected:
        raise _mismatch("an array", data)
    return data


def _mismatch(expected: str, data: object) -> MalformedValue:
    return MalformedValue(f"expected {expected}, not {quoted(data)}")
