"""Read TOML as values: those of the contract, and the structs of plans around them. Errors name the key.

The types of the values say which keys there are, and what they may hold. So a new field of the contract is a new key.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cache
from itertools import chain, repeat
from itertools import count as count_from
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, inspect
from referee_values import LadderTerms, Rules, TimeControl

from engines.game_errors import DetailedError, quoted, unknown
from engines.options import written
from referee.local.short_forms import SHORT_FORMS

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

FLAT = ("terms", "match_terms", "rules", "time_control")
"""Fields whose own fields are keys of the table around them."""
KEYS = {(TimeControl, "rule"): "clock", (LadderTerms, "match_terms"): "games"}
"""Fields that have another name in plans."""
SET_BY_THE_SERVER = ((Rules, "version"),)
TYPE_NAMES: dict[Any, str] = {
    str: "a string",
    dict: "a table",
    list: "a list",
    bool: "true or false",
    (int, float): "a number",
}


class BadPlan(DetailedError):
    """Invalid value in a plan."""

    def __init__(self, where: str, wrong: str) -> None:
        super().__init__(f"{where}: {wrong}" if where else wrong, where=where, wrong=wrong)


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
    return _expect(kind, name, content[name]) if name in content else usual


def count(name: str, content: Mapping[str, Any], usual: int, most: int) -> int:
    """Return an integer from 1 to `most`, or the default. Raises BadPlan."""
    return _integer(name, content[name], 1, most) if name in content else usual


@cache
def keys_of(struct: type[Struct]) -> tuple[str, ...]:
    """Return the keys of a table that is read as this struct."""
    flat = ((key, _flat(field)) for key, field in _fields(struct).items())
    return tuple(chain.from_iterable(keys_of(inner) if inner else (key,) for key, inner in flat))


def read_table(where: str, content: Mapping[str, Any], struct: type[S]) -> S:
    """Return the content of a whole plan. `where` names it if a key is unknown. Raises BadPlan."""
    known(where, content, keys_of(struct))
    plan: S = read("", content, struct)
    return plan


def read(at: str, given: object, kind: Any) -> Any:
    """Return a value of this type. `at` is the path of the key, as the author wrote it. Raises BadPlan."""
    return _read(at, given, inspect.type_info(kind))


def _read(at: str, given: Any, kind: Any) -> Any:
    return READERS[type(kind)](at, given, kind)


def _path(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def _read_one_of(at: str, given: object, kind: inspect.UnionType) -> Any:
    """Return a value that may be absent, or a text in place of a table. Of tables, true is an empty one."""
    first, *others = kind.types
    if not isinstance(first, inspect.StructType):
        return _read(at, given, first)
    if isinstance(others[0], inspect.StrType):
        return given if isinstance(given, str) else _read_struct(at, given, first, "a string or ")
    if isinstance(given, bool):
        return _read(at, {}, first) if given else None
    return _read_struct(at, given, first, "true or ")


def _read_list(at: str, given: list[Any], kind: inspect.VarTupleType) -> tuple[Any, ...]:
    numbered = isinstance(kind.item_type, inspect.StructType)
    places = (f"{at} {number}" if numbered else at for number in count_from(1))
    return tuple(map(_read, places, _expect(list, at, given), repeat(kind.item_type)))


def _read_map(at: str, given: dict[str, Any], kind: inspect.DictType) -> dict[str, Any]:
    read_item = _read_option if isinstance(kind.value_type, inspect.StrType) else _read
    items = _expect(dict, at, given).items()
    return {key: read_item(_path(at, key), item, kind.value_type) for key, item in items}


def _read_option(at: str, given: object, _: inspect.Type) -> str:
    """Return the text of an option of a game."""
    if not isinstance(given, bool | int | str):
        raise BadPlan(at, f"expected a string, an integer, or true or false, not {quoted(given)}")
    return written(given)


def _read_word(at: str, given: object, kind: inspect.LiteralType) -> str:
    words = [str(word) for word in kind.values if word]
    if not isinstance(given, str) or given not in words:
        raise BadPlan(at, unknown("value", given, words))
    return given


def _read_integer(at: str, given: object, kind: inspect.IntType) -> int:
    return _integer(at, given, kind.ge or 0, (1 << 64) - 1 if kind.le is None else kind.le)


def _integer(at: str, given: object, least: int, most: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise BadPlan(at, f"expected an integer from {least} to {most}, not {quoted(given)}")
    return given


def _read_bytes(at: str, given: object, _: inspect.BytesType) -> bytes:
    try:
        return bytes.fromhex(_expect(str, at, given))
    except ValueError:
        raise BadPlan(at, f"expected hexadecimal digits, not {quoted(given)}") from None


def _read_moment(at: str, given: object, _: inspect.DateTimeType) -> datetime:
    if not isinstance(given, datetime) or given.tzinfo is None:
        raise BadPlan(at, f"expected a time with its zone, such as 2026-12-01T18:00:00Z, not {quoted(given)}")
    return given


def _expect(kind: Any, at: str, given: Any) -> Any:
    if not isinstance(given, kind) or (isinstance(given, bool) and kind is not bool):
        raise BadPlan(at, f"expected {TYPE_NAMES[kind]}, not {quoted(given)}")
    if kind is str and "\0" in given:  # Paths and commands cannot contain it.
        raise BadPlan(at, f"contains a NUL character: {quoted(given)}")
    return given


@cache
def _fields(struct: type[Struct]) -> dict[str, inspect.Field]:
    """Return the fields of a struct by their keys."""
    fields = inspect.type_info(struct).fields  # type: ignore[attr-defined]  # The type of a struct has fields.
    return {
        KEYS.get((struct, field.name), field.name): field
        for field in fields
        if (struct, field.name) not in SET_BY_THE_SERVER
    }


def _flat(field: inspect.Field) -> type[Struct] | None:
    return field.type.cls if field.name in FLAT and isinstance(field.type, inspect.StructType) else None


def _read_struct(at: str, given: Any, kind: inspect.StructType, alternative: str = "") -> Any:
    struct = kind.cls
    short = SHORT_FORMS.get(struct)
    if short and isinstance(given, short.given) and not isinstance(given, bool):
        try:
            given = short.expand(given)
        except ValueError as wrong:
            raise BadPlan(at, str(wrong)) from None
        if isinstance(given, struct):
            return given
    if not isinstance(given, Mapping):
        alternative = f"{short.example} or " if short else alternative
        raise BadPlan(at, f"expected {alternative}a table with {', '.join(keys_of(struct))}, not {quoted(given)}")
    known(at, given, keys_of(struct))
    return _filled_struct(at, given, struct)


def _filled_struct(at: str, given: Mapping[str, Any], struct: type[Struct]) -> Struct:
    contents: dict[str, Any] = {}
    for key, field in _fields(struct).items():
        if flat := _flat(field):
            contents[field.name] = _filled_struct(at, given, flat)
        elif key in given:
            contents[field.name] = _read(_path(at, key), given[key], field.type)
        elif field.required:
            raise BadPlan(at, f"`{key}` is missing")
    for choice in vars(struct).values():
        if isinstance(choice, property) and choice.fget:
            _check_choice(at, {key: contents.get(key) for key in given}, choice.fget.__annotations__["return"])
    return struct(**contents)


def _check_choice(at: str, contents: Mapping[str, Any], kinds: Any) -> None:
    """Raise BadPlan if several fields are set that exclude each other: the values have a property for that one."""
    chosen = [key for key, content in contents.items() if content is not None and isinstance(content, kinds)]
    if len(chosen) > 1:
        raise BadPlan(_path(at, chosen[1]), f"only one of {' and '.join(chosen)} can be given")


READERS: dict[type[inspect.Type], Callable[[str, Any, Any], Any]] = {
    inspect.UnionType: _read_one_of,
    inspect.StructType: _read_struct,
    inspect.VarTupleType: _read_list,
    inspect.DictType: _read_map,
    inspect.LiteralType: _read_word,
    inspect.IntType: _read_integer,
    inspect.FloatType: lambda at, given, _: _expect((int, float), at, given),
    inspect.BytesType: _read_bytes,
    inspect.DateTimeType: _read_moment,
    inspect.BoolType: lambda at, given, _: _expect(bool, at, given),
    inspect.StrType: lambda at, given, _: _expect(str, at, given),
    inspect.CustomType: lambda at, given, _: Path(_expect(str, at, given)),
}
"""Readers by the type of a field. Of other classes than structs, there are only paths."""
