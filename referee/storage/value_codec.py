"""Conversion of typed values to JSON values and back, by msgspec.

A Struct is an object with all its fields in their order, and its tag, if it has one, is the `kind` of the object.
Decoding is strict, so that equal values have equal text: it accepts exactly what encoding writes, in any order of
fields. So there are no missing or unknown fields, no integers in place of floats, and no bytes in another form.
"""

from collections.abc import Iterator
from functools import reduce
from math import isfinite
from operator import getitem
from typing import Any, Generic, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import inspect

from engines.game_errors import quoted

JsonValue: TypeAlias = Any
"""A value as the `json` module returns it."""

KIND = "kind"

T = TypeVar("T")
FieldPath: TypeAlias = tuple[str, ...]


class MalformedValue(ValueError):
    """A value that cannot be decoded. `str()` says what is wrong, and where."""


class ValueCodec(Generic[T]):
    """Encodes and decodes values of one type: a Struct, or a union of Structs that differ in their tags."""

    def __init__(self, values: Any) -> None:
        classes: tuple[Any, ...] = get_args(values) or (values,)
        self.classes = {cls.__struct_config__.tag: cls for cls in classes}
        """By their kinds."""
        self.bytes_paths = {cls: tuple(find_fields(cls, inspect.BytesType)) for cls in classes}
        """Where the values of each class have bytes."""

    def encode(self, value: T) -> JsonValue:
        """Return the value as JSON. Types are not checked."""
        data = msgspec.to_builtins(value, builtin_types=(bytes,))
        for *outer, last in self.bytes_paths.get(type(value), ()):
            within = reduce(getitem, outer, data)
            within[last] = within[last].hex()
        return data

    def convert(self, data: JsonValue) -> T:
        """Return the value, with defaults for missing fields and without unknown ones. Raises MalformedValue.

        It replaces hexadecimal digits in `data` by bytes.
        """
        if not isinstance(data, dict):
            raise MalformedValue(f"expected an object, not {quoted(data)}")
        if None not in self.classes and KIND not in data:
            raise MalformedValue(f"{KIND} is missing")
        kind = data.get(KIND) if None not in self.classes else None
        if not (kind is None or isinstance(kind, str)) or kind not in self.classes:
            raise MalformedValue(f"unknown kind {quoted(kind)}; known: {', '.join(map(str, self.classes))}")
        cls: Any = self.classes[kind]
        for path in self.bytes_paths[cls]:
            _read_bytes(data, path)
        try:
            value: T = msgspec.convert(data, cls, builtin_types=(bytes,))  # A union would be analysed at each call.
        except (msgspec.ValidationError, UnicodeError) as why:  # Half of a surrogate pair in place of an enum's value.
            raise MalformedValue(str(why)) from None
        return value

    def decode(self, data: JsonValue) -> T:
        """Return the value. Raises MalformedValue. It changes `data` as `convert` does."""
        value = self.convert(data)
        _check_same(data, self.encode(value), "$")
        return value


def _read_bytes(data: JsonValue, path: FieldPath) -> None:
    """Replace the text of bytes by bytes, unless something else is there."""
    *outer, last = path
    for name in outer:
        data = data.get(name) if isinstance(data, dict) else None
    text = data.get(last) if isinstance(data, dict) else None
    if not isinstance(text, str):
        return
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    # `fromhex` accepts capitals and whitespace too.
    if value.hex() != text:
        raise MalformedValue(f"expected bytes in lower-case hexadecimal, not {quoted(text)} - at `$.{'.'.join(path)}`")
    data[last] = value


def find_fields(values: Any, wanted: type[inspect.Type]) -> Iterator[FieldPath]:
    """Yield the path to each field of a type within Structs."""
    return _find_fields(inspect.type_info(values), wanted, ())


def _find_fields(of: inspect.Type, wanted: type[inspect.Type], path: FieldPath) -> Iterator[FieldPath]:
    if isinstance(of, wanted):
        yield path
    elif isinstance(of, inspect.StructType | inspect.DataclassType):
        for field in of.fields:
            yield from _find_fields(field.type, wanted, (*path, field.name))
    elif isinstance(of, inspect.UnionType):
        for member in of.types:
            yield from _find_fields(member, wanted, path)
    elif isinstance(of, inspect.VarTupleType):
        yield from _find_fields(of.item_type, wanted, (*path, "*"))


def _check_same(data: JsonValue, written: JsonValue, path: str) -> None:
    """Raise MalformedValue where `data` is not what is written for the value that it was converted to."""
    if isinstance(written, dict):
        for name in written:
            if name not in data:
                raise MalformedValue(f"{name} is missing - at `{path}`")
            _check_same(data[name], written[name], f"{path}.{name}")
        if len(data) > len(written):
            unknown = next(name for name in data if name not in written)
            known = ", ".join(written) or "none"
            raise MalformedValue(f"unknown field {quoted(unknown)}; known: {known} - at `{path}`")
    elif isinstance(written, tuple):
        for index, (item, other) in enumerate(zip(data, written, strict=True)):
            _check_same(item, other, f"{path}[{index}]")
    elif isinstance(written, float) and not (isinstance(data, float) and isfinite(data)):
        raise MalformedValue(f"expected a number with a decimal point, not {quoted(data)} - at `{path}`")
