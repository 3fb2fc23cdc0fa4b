"""Strategies of hypothesis for the values of the contract."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import referee_values
from hypothesis import strategies as st
from msgspec import Meta
from referee_values import Value

VALUE_CLASSES: list[type[Value]] = [
    kind
    for kind in vars(referee_values).values()
    if inspect.isclass(kind) and issubclass(kind, Value) and kind != Value
]
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    bytes: st.binary(max_size=4),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(max_size=4),
}


def values(kind: type[Value]) -> st.SearchStrategy[Value]:
    """Return values with any of the fields, but at most one member of a oneof."""
    hints = get_type_hints(kind, include_extras=True)
    oneofs = [name for name, attribute in vars(kind).items() if isinstance(attribute, property)]
    members = [name for name in kind.__struct_fields__ if oneofs and _is_member(hints[name], kind, oneofs)]
    fields = {name: _content(hints[name]) for name in kind.__struct_fields__ if name not in members}
    kept = st.fixed_dictionaries({}, optional=fields)
    if not members:
        return st.builds(lambda contents: kind(**contents), kept)
    member = st.sampled_from(members).flatmap(lambda name: st.tuples(st.just(name), _content(hints[name])))
    return st.builds(lambda contents, chosen: kind(**contents, **dict([chosen])), kept, member)


def _is_member(hint: Any, kind: type[Value], oneofs: list[str]) -> bool:
    """Return whether a field can be what the property of a oneof returns."""
    union = {member for name in oneofs for member in get_args(get_type_hints(getattr(kind, name).fget)["return"])}
    return get_origin(hint) is UnionType and set(get_args(hint)) <= union


def _content(hint: Any) -> st.SearchStrategy[Any]:
    arguments = get_args(hint)
    content: st.SearchStrategy[Any]
    if get_origin(hint) is Literal:
        content = st.sampled_from(arguments)
    elif get_origin(hint) is tuple:
        content = st.lists(_content(arguments[0]), max_size=2).map(tuple)
    elif get_origin(hint) is Mapping:
        content = st.dictionaries(SIMPLE[str], SIMPLE[str], max_size=2)
    elif NoneType in arguments:
        content = st.none() | _content(arguments[0])
    elif get_origin(hint) is Annotated:
        content = _number_or_time(*arguments)
    else:
        content = SIMPLE[hint] if hint in SIMPLE else st.deferred(lambda: values(hint))
    return content


def _number_or_time(kind: type, meta: Meta) -> st.SearchStrategy[Any]:
    if kind is datetime:
        return st.datetimes(timezones=st.just(UTC))
    return st.integers(meta.ge, meta.le if meta.le is not None else 2**64 - 1)  # type: ignore[arg-type] # Whole bounds.
