"""Events as lines of JSON.

A line is an object: `v`, the version of the format; `kind`, the event's; then all fields of the event in their
order (see `forms`). It is ASCII, without blanks, and equal events have equal lines. Lines of older versions are
lifted when they are read.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

from referee.storage.forms import Data, Form, Malformed, kinds_of

Event = TypeVar("Event")

Lift: TypeAlias = Callable[[dict[str, Data]], dict[str, Data]]
"""Makes of the data of an event (without `v`) what the next version would have written."""


TOO_LARGE = 1 << 63
"""The contract has no place for such a number."""


class MalformedEntry(ValueError):
    """A line that holds no event. `str()` is one sentence that says what is wrong."""


class Lines(Generic[Event]):
    """One format: some kinds of events, in one version, and how to read those before it."""

    def __init__(
        self, kinds: Mapping[str, type], known: Mapping[Any, Form], version: int, lifts: Mapping[int, Lift]
    ) -> None:
        """`known` has the forms that do not follow from the type; `lifts` lift from each older version."""
        self._event = kinds_of(kinds, known)
        self._version = version
        self._lifts = lifts

    def encode(self, event: Event) -> str:
        """The event's line. Raises MalformedEntry if the event could not be read back from it.

        But a whole number that is too large is only found when it is read: here that would cost each move.
        """
        written: dict[str, Data] = {"v": self._version}
        try:
            self._event.add(event, written)
            return _ENCODER.encode(written)
        except Malformed as wrong:
            raise MalformedEntry(f"cannot write this {type(event).__name__}: {wrong}") from None

    def decode(self, line: str) -> Event:
        """The event of a line, of this version or an older one. Raises MalformedEntry."""
        try:
            event: Event = self._event.read(self._lifted(_parsed(line)))
        except Malformed as wrong:
            raise MalformedEntry(f"cannot read this entry: {wrong}") from None
        return event

    def _lifted(self, data: dict[str, Data]) -> dict[str, Data]:
        version = data.pop("v", None)
        if type(version) is not int or not (version == self._version or version in self._lifts):
            known = ", ".join(map(str, (*self._lifts, self._version)))
            raise Malformed(f"its version is {version!r}; known: {known}")
        for older in range(version, self._version):
            data = self._lifts[older](data)
        return data


def _parsed(line: str) -> dict[str, Data]:
    try:
        data = _DECODER.decode(line)
    except (ValueError, RecursionError) as wrong:
        raise Malformed(f"it is no JSON ({wrong})") from None
    if type(data) is not dict:
        raise Malformed("it is no JSON object")
    return data


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _whole(digits: str) -> int:
    number = int(digits)
    if not -TOO_LARGE <= number < TOO_LARGE:
        raise ValueError(f"{digits} is too large")
    return number


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_DECODER = json.JSONDecoder(parse_int=_whole, parse_constant=_no_number)
