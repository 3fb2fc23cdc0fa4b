"""Values as plain JSON data, and back.

The form of a type follows from the type: whole numbers, texts and truth values stand for themselves,
bytes are written in hexadecimal, a member of an Enum as its value, a tuple as an array, and a dataclass
as an object of all its fields in their order. Both ways are strict, so that what has been written can
be read: nothing is guessed, nothing left out, nothing passed over.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from engines.refusals import quoted

Data: TypeAlias = Any
"""What `json` makes of a text."""

KIND = "kind"


class Malformed(ValueError):
    """Data that does not have the form wanted. `str()` says where, and what is wrong."""

    def __init__(self, wrong: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(f"{'.'.join(where)}: {wrong}" if where else wrong)
        self.wrong = wrong
        self.where = where

    def inside(self, name: str) -> "Malformed":
        """The same, told by whoever holds the data under `name`."""
        return Malformed(self.wrong, (name, *self.where))


class Form(ABC):
    """How values of one type are written, and read back."""

    itself: type | None = None
    """Values of exactly this type stand for themselves: whoever sees one need not ask the form."""

    @abstractmethod
    def write(self, value: Any) -> Data:
        """The value as plain data. Raises Malformed if it could not be read back."""

    @abstractmethod
    def read(self, data: Data) -> Any:
        """The value. Raises Malformed."""


class Plain(Form):
    """What stands for itself."""

    def __init__(self, wanted: str, *types: type) -> None:
        self.itself = types[0] if len(types) == 1 else None
        self._types = types
        self._wanted = wanted

    def write(self, value: Any) -> Data:
        # Not isinstance: True is an int to Python, and not to us.
        if type(value) not in self._types:
            raise unlike(self._wanted, value)
        return value

    def read(self, data: Data) -> Any:
        return self.write(data)


class Number(Form):
    """A number with a fraction. A score of 1 is written 1.0, so that it has one way of being written."""

    def write(self, value: Any) -> float:
        if type(value) not in (int, float) or not math.isfinite(value):
            raise unlike("a number", value)
        return float(value)

    def read(self, data: Data) -> float:
        if type(data) is not float or not math.isfinite(data):
            raise unlike("a number with a point", data)
        return data


class Hex(Form):
    """Bytes, in lower case hexadecimal digits."""

    def write(self, value: Any) -> str:
        if type(value) is not bytes:
            raise unlike("bytes", value)
        return value.hex()

    def read(self, data: Data) -> bytes:
        try:
            value = bytes.fromhex(data)
        except (TypeError, ValueError):
            value = b""
        # `fromhex` takes capitals and blanks too.
        if value.hex() != data:
            raise unlike("bytes in lower case hexadecimal", data)
        return value


class Word(Form):
    """A member of an Enum."""

    def __init__(self, enum: type[Enum]) -> None:
        self._enum = enum
        self._members = {member.value: member for member in enum}

    def write(self, value: Any) -> Data:
        if type(value) is not self._enum:
            raise self._unlike(value)
        return value.value

    def read(self, data: Data) -> Enum:
        if type(data) is not str or data not in self._members:
            raise self._unlike(data)
        return self._members[data]

    def _unlike(self, data: object) -> Malformed:
        return unlike(f"one of {', '.join(self._members)}", data)


class Maybe(Form):
    """Something, or null."""

    def __init__(self, form: Form) -> None:
        self._form = form

    def write(self, value: Any) -> Data:
        return None if value is None else self._form.write(value)

    def read(self, data: Data) -> Any:
        return None if data is None else self._form.read(data)


class Many(Form):
    """Any number of things of one form."""

    def __init__(self, form: Form) -> None:
        self._form = form

    def write(self, value: Any) -> list[Data]:
        inner = _sequence(tuple, value)
        return [_at(place, self._form.write, one) for place, one in enumerate(inner)]

    def read(self, data: Data) -> tuple[Any, ...]:
        inner = _sequence(list, data)
        return tuple(_at(place, self._form.read, one) for place, one in enumerate(inner))


class Several(Form):
    """So many things, each of its own form."""

    def __init__(self, forms: tuple[Form, ...]) -> None:
        self._forms = forms

    def write(self, value: Any) -> list[Data]:
        inner = self._all(tuple, value)
        return [_at(place, form.write, one) for place, (form, one) in enumerate(zip(self._forms, inner, strict=True))]

    def read(self, data: Data) -> tuple[Any, ...]:
        inner = self._all(list, data)
        return tuple(
            _at(place, form.read, one) for place, (form, one) in enumerate(zip(self._forms, inner, strict=True))
        )

    def _all(self, sequence: type[Sequence[Any]], data: object) -> Sequence[Any]:
        inner = _sequence(sequence, data)
        if len(inner) != len(self._forms):
            raise unlike(f"an array of {len(self._forms)}", data)
        return inner


class Fields(Form):
    """A dataclass: an object with all its fields, in their order."""

    def __init__(self, cls: type, forms: Mapping[str, Form]) -> None:
        self._cls = cls
        self._names = forms.keys()
        self._fields = tuple((name, form, form.itself) for name, form in forms.items())

    def write(self, value: Any) -> dict[str, Data]:
        written: dict[str, Data] = {}
        self.add(value, written)
        return written

    def add(self, value: Any, written: dict[str, Data]) -> None:
        """Write the fields behind what is written there already."""
        if type(value) is not self._cls:
            raise unlike(f"a {self._cls.__name__}", value)
        for name, form, itself in self._fields:
            field = getattr(value, name)
            try:
                written[name] = field if type(field) is itself else form.write(field)
            except Malformed as wrong:
                raise wrong.inside(name) from None

    def read(self, data: Data) -> Any:
        if type(data) is not dict:
            raise unlike("an object", data)
        if data.keys() != self._names:
            raise self._misnamed(data)
        values = []
        for name, form, itself in self._fields:
            field = data[name]
            try:
                values.append(field if type(field) is itself else form.read(field))
            except Malformed as wrong:
                raise wrong.inside(name) from None
        try:
            return self._cls(*values)
        except (ValueError, AssertionError) as refusal:  # Of a value that checks itself, such as a time control.
            raise Malformed(str(refusal)) from None

    def _misnamed(self, data: dict[str, Data]) -> Malformed:
        missing = [name for name in self._names if name not in data]
        if missing:
            return Malformed(f"{missing[0]} is missing")
        unknown = next(name for name in data if name not in self._names)
        return Malformed(f"unknown field {quoted(unknown)}; known: {', '.join(self._names) or 'none'}")


class Kinds(Form):
    """One of several dataclasses; the object says by its `kind` which."""

    def __init__(self, forms: Mapping[str, tuple[type, Fields]]) -> None:
        self._by_kind = {kind: form for kind, (_, form) in forms.items()}
        self._by_type = {cls: (kind, form) for kind, (cls, form) in forms.items()}

    def write(self, value: Any) -> dict[str, Data]:
        written: dict[str, Data] = {}
        self.add(value, written)
        return written

    def add(self, value: Any, written: dict[str, Data]) -> None:
        """Write the kind and the fields behind what is written there already."""
        if type(value) not in self._by_type:
            raise Malformed(f"there is no kind for a {type(value).__name__}")
        written[KIND], form = self._by_type[type(value)]
        form.add(value, written)

    def read(self, data: Data) -> Any:
        if type(data) is not dict:
            raise unlike("an object", data)
        if KIND not in data:
            raise Malformed(f"{KIND} is missing")
        inner = dict(data)
        kind = inner.pop(KIND)
        if type(kind) is not str or kind not in self._by_kind:
            raise Malformed(f"unknown kind {quoted(kind)}; known: {', '.join(self._by_kind)}")
        return self._by_kind[kind].read(inner)


PLAIN: dict[Any, Form] = {
    int: Plain("a whole number", int),
    str: Plain("a text", str),
    bool: Plain("true or false", bool),
    float: Number(),
    bytes: Hex(),
}


def form_of(hint: Any, known: Mapping[Any, Form]) -> Form:
    """The form of a type, as it stands in an annotation. `known` has the forms that do not follow from the type."""
    if hint in known:
        return known[hint]
    origin = get_origin(hint)
    if origin:
        return _form_of_compound(origin, get_args(hint), known)
    return Word(hint) if issubclass(hint, Enum) else fields_of(hint, known)


def fields_of(cls: type, known: Mapping[Any, Form]) -> Fields:
    """The form of a dataclass."""
    hints = get_type_hints(cls)
    return Fields(cls, {field.name: form_of(hints[field.name], known) for field in fields(cls)})


def kinds_of(classes: Mapping[str, type], known: Mapping[Any, Form]) -> Kinds:
    """The form of what is one of several dataclasses, by kind."""
    return Kinds({kind: (cls, fields_of(cls, known)) for kind, cls in classes.items()})


def _form_of_compound(origin: Any, inner: tuple[Any, ...], known: Mapping[Any, Form]) -> Form:
    """Of a type that is made of others, the `inner` ones."""
    if origin is tuple:
        return _form_of_tuple(inner, known)
    if origin not in (Union, UnionType):  # A generic dataclass.
        parameters = {name: form_of(one, known) for name, one in zip(origin.__parameters__, inner, strict=True)}
        return fields_of(origin, {**known, **parameters})
    if NoneType in inner:
        (other,) = (one for one in inner if one is not NoneType)
        return Maybe(form_of(other, known))
    return Plain("a text, a whole number, true or false", *inner)


def _form_of_tuple(inner: tuple[Any, ...], known: Mapping[Any, Form]) -> Form:
    if inner[-1] is Ellipsis:
        return Many(form_of(inner[0], known))
    return Several(tuple(form_of(one, known) for one in inner))


def _at(place: int, do: Callable[[Any], Any], one: Any) -> Any:
    try:
        return do(one)
    except Malformed as wrong:
        raise wrong.inside(str(place)) from None


def _sequence(wanted: type[Sequence[Any]], data: object) -> Sequence[Any]:
    if type(data) is not wanted:
        raise unlike("an array", data)
    return data


def unlike(wanted: str, data: object) -> Malformed:
    return Malformed(f"{wanted} is wanted, not {quoted(data)}")
