"""Validate TOML files: known keys, types and ranges of values. Errors name the key."""

import tomllib
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from engines.game_errors import DetailedError, quoted, unknown

T = TypeVar("T")

INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
}
"""Least and greatest value by type."""
TYPE_NAMES: dict[type, str] = {str: "a string", dict: "a table", list: "a list", bool: "true or false"}


class BadPlan(DetailedError):
    """Invalid value in a plan."""

    def __init__(self, where: str, wrong: str) -> None:
        super().__init__(f"{where}: {wrong}", where=where, wrong=wrong)


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file. Raises BadPlan."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # ValueError: invalid TOML or UTF-8.
        raise BadPlan(str(file), f"cannot be read: {error}") from None


def known(where: str, content: Mapping[str, object], keys: Collection[str]) -> None:
    """Raise BadPlan if there are other keys."""
    for name in content:
        if name not in keys:
            raise BadPlan(where, unknown("key", name, keys))


def value(name: str, content: Mapping[str, Any], kind: type[T], usual: Any) -> Any:
    """Return the value of a key, or the default. Raises BadPlan if it has another type."""
    given = content.get(name, usual)
    if given is not usual and not isinstance(given, kind):
        raise BadPlan(name, f"expected {TYPE_NAMES[kind]}, not {quoted(given)}")
    return given


def count(name: str, content: Mapping[str, Any], usual: int, most: int) -> int:
    """Return an integer from 1 to `most`, or the default. Raises BadPlan."""
    if name not in content:
        return usual
    given = content[name]
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise BadPlan(name, f"expected an integer from 1 to {most}, not {quoted(given)}")
    return given


def whole(name: str, content: Mapping[str, Any], most: int) -> int:
    """Return an integer from 0 to `most`. Raises BadPlan."""
    given = content[name]
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= most:
        raise BadPlan(name, f"expected an integer from 0 to {most}, not {quoted(given)}")
    return given


def moment(name: str, content: Mapping[str, Any]) -> datetime:
    """Return a time that says its difference from UTC. Raises BadPlan."""
    given = content[name]
    if not isinstance(given, datetime) or given.tzinfo is None:
        raise BadPlan(name, f"expected a time with its zone, such as 2026-12-01T18:00:00Z, not {quoted(str(given))}")
    return given


def texts(where: str, given: object) -> tuple[str, ...]:
    """Return a list of strings. Raises BadPlan."""
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BadPlan(where, f"expected a list of strings, not {quoted(given)}")
    return tuple(given)


def word(where: str, enum: Any, prefix: str, given: object) -> Any:
    """Return the enum value of a lower-case word. Raises BadPlan."""
    words = {
        name.removeprefix(prefix).lower(): number for name, number in enum.items() if number and name.startswith(prefix)
    }
    if not isinstance(given, str) or given not in words:
        raise BadPlan(where, unknown("value", given, words))
    return words[given]


def fill(where: str, table: Mapping[str, Any], message: Message) -> None:
    """Fill a message from a table with its field names. Raises BadPlan."""
    _check_fields(where, table, message.DESCRIPTOR.fields)
    try:
        json_format.ParseDict(dict(table), message)
    except json_format.ParseError as error:
        raise BadPlan(where, f"invalid: {error}") from None


def _check_fields(where: str, table: Mapping[str, Any], fields: Iterable[Any]) -> None:
    """Check names and kinds of values, since protobuf describes errors in words of its own. Raises BadPlan."""
    by_name = {field.name: field for field in fields}
    known(where, table, by_name)
    for name, given in table.items():
        field, at = by_name[name], f"{where}.{name}"
        if field.message_type and field.message_type.GetOptions().map_entry:
            continue
        if field.is_repeated and not isinstance(given, list):
            raise BadPlan(at, f"expected a list, not {quoted(given)}")
        for one in given if field.is_repeated else (given,):
            _check_value(at, one, field)


def _check_value(where: str, given: Any, field: Any) -> None:
    if field.enum_type:
        names = [one.name for one in field.enum_type.values if one.number]
        if given not in (*names, *field.enum_type.values_by_number):
            raise BadPlan(where, f"unknown value {quoted(given)}; known: {', '.join(names)}")
    elif field.message_type:
        if not isinstance(given, Mapping):
            raise BadPlan(where, f"expected a table, not {quoted(given)}")
        _check_fields(where, given, field.message_type.fields)
    elif field.cpp_type in INTEGERS:
        least, most = INTEGERS[field.cpp_type]
        if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
            raise BadPlan(where, f"expected an integer from {least} to {most}, not {quoted(given)}")
    elif field.cpp_type == FieldDescriptor.CPPTYPE_BOOL and not isinstance(given, bool):
        raise BadPlan(where, f"expected true or false, not {quoted(given)}")
    elif field.cpp_type == FieldDescriptor.CPPTYPE_STRING and not isinstance(given, str):
        raise BadPlan(where, f"expected a string, not {quoted(given)}")
