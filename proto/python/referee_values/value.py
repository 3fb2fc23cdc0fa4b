"""Base class and types of the values of the contract. Only this module of the package is written by hand."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, NoReturn, TypeVar

from msgspec import Meta, Struct

V = TypeVar("V", bound="Value")

Count = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Count64 = Annotated[int, Meta(ge=0)]  # msgspec knows no bound above 2**63 - 1; the conversion to a message checks this.
Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Timestamp = Annotated[datetime, Meta(tz=True)]


class Value(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True, repr_omit_defaults=True):
    """A message of the contract as an immutable value. Every field has a default."""


class Empty(Mapping[Any, Any]):
    """The default of maps. All values share it, so it is immutable, and it remains itself when it is pickled."""

    def __getitem__(self, key: object) -> NoReturn:
        raise KeyError(key)

    def __iter__(self) -> Iterator[NoReturn]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "{}"

    def __reduce__(self) -> str:
        return "EMPTY"


EMPTY = Empty()


def normal(value: V) -> V:
    """Return the equal value that is encoded like all values equal to it.

    msgspec omits a field only if it is the default object itself. So every part that equals its default becomes the
    default. Times are in UTC, and maps are in the order of their keys.
    """
    contents = {}
    for name, default in zip(value.__struct_fields__, value.__struct_defaults__, strict=True):
        content = getattr(value, name)
        if content is not default and content != default:
            contents[name] = _normal(content)
    return type(value)(**contents)


def _normal(content: Any) -> Any:
    kind = type(content)
    if kind is tuple:
        return tuple(map(_normal, content))
    if kind is dict:
        return dict(sorted(content.items()))
    if kind is datetime:
        return content.astimezone(UTC)
    return normal(content) if isinstance(content, Value) else content
