"""Codec of events: each event is one line of JSON in the log of its match or contest.

A line is an object with the version of the format (`v`), the kind of the event (`kind`) and all fields of the event in
their order. It is ASCII without whitespace, and equal events have equal lines. Kinds are written names, which are the
tags of the classes: renaming a class never changes a line. A line of another version is rejected.
"""

import json
import re
from collections.abc import Set
from contextlib import suppress
from typing import Any, Generic, NoReturn, TypeVar

import msgspec
from msgspec import inspect

from referee.hosting.contest_log import ContestEvent
from referee.live.ports import Request
from referee.match.events import Event, MovePlayed
from referee.storage.value_codec import JsonValue, MalformedValue, ValueCodec, find_fields

AnyEvent = TypeVar("AnyEvent")

INTEGER_LIMIT = 1 << 63
"""Integers from here on do not fit into the contract's 64 bits."""

STORED_VERSION = 1
"""Version of the form of stored events: the `v` of each line."""


class MalformedEntry(ValueError):
    """A line that holds no event, or an event that cannot be written. `str()` is one sentence."""


class EventCodec(Generic[AnyEvent]):
    """One format: the events of one log."""

    def __init__(self, events: Any, unchecked: Set[type] = frozenset()) -> None:
        """`events` is the union of all events.

        `encode` does not read back what it writes for `unchecked` events, which are frequent and have no floats.
        """
        self._values: ValueCodec[AnyEvent] = ValueCodec(events)
        self.classes = self._values.classes
        """By their kinds."""
        self._decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(events)
        self._start = f'{{"v":{STORED_VERSION},'
        self._unchecked = unchecked
        self._with_bytes = {cls for cls, paths in self._values.bytes_paths.items() if paths}
        """Events that msgspec alone would encode in another form."""
        self._starts_with_bytes = tuple(
            f'{self._start}"kind":"{kind}",' for kind, cls in self.classes.items() if cls in self._with_bytes
        )
        self._with_floats = {cls for cls in self.classes.values() if any(find_fields(cls, inspect.FloatType))}

    def encode(self, event: AnyEvent) -> str:
        """Return the line of an event. Raises MalformedEntry if the event could not be read back from it.

        Integers that are too large are found only by `decode`: the check would cost time in every move.
        """
        try:
            line = self._write(event)
            if type(event) in self._unchecked:
                return line
            # msgspec cannot read halves of surrogate pairs.
            read = self._values.convert(_parse(line)) if "\\ud" in line else self._read(line)
        except (msgspec.MsgspecError, AttributeError, TypeError, ValueError) as why:
            raise MalformedEntry(f"cannot write this {type(event).__name__}: {why}") from None
        if read != event:
            raise MalformedEntry(f"cannot write this {type(event).__name__}: it would be read as another event")
        # What was read has a float for each integer in a field for floats.
        return self._write(read) if type(event) in self._with_floats else line

    def decode(self, line: str) -> AnyEvent:
        """Return the event of a line. Raises MalformedEntry."""
        if (quick := self._decode_quickly(line)) is not None:
            return quick
        try:
            data = _parse(line)
            version = data.pop("v", None)
            if type(version) is not int or version != STORED_VERSION:
                raise MalformedValue(f"unknown version {version!r}; known: {STORED_VERSION}")
            return self._values.decode(data)
        except (MalformedValue, RecursionError) as why:
            raise MalformedEntry(f"cannot read this entry: {why}") from None

    def _write(self, event: AnyEvent) -> str:
        """Return the line of an event, whose types are not checked."""
        cls = type(event)
        fields = _encode_quickly(self._values.encode(event) if cls in self._with_bytes else event)
        if fields and not (cls in self._with_floats and _has_unusual_float(fields)):
            return self._start + fields[1:]
        return _ENCODER.encode({"v": STORED_VERSION, **self._values.encode(event)})

    def _read(self, line: str) -> AnyEvent:
        """Return the event of a line that `_write` has written. Raises MalformedValue or msgspec.DecodeError."""
        if line.startswith(self._starts_with_bytes):
            return self._values.convert(_parse(line))
        return self._decoder.decode(line)

    def _decode_quickly(self, line: str) -> AnyEvent | None:
        """Return the event of a line that is exactly what `encode` would write for it. None: look closer."""
        if not line.startswith(self._start):
            return None
        try:
            event = self._read(line)
        except (MalformedValue, msgspec.DecodeError, UnicodeError, RecursionError):
            return None
        return None if _has_long_integer(line) or self._write(event) != line else event


MATCH_CODEC: EventCodec[Event] = EventCodec(Event, {MovePlayed})

CONTEST_CODEC: EventCodec[ContestEvent] = EventCodec(ContestEvent)

_REQUEST: ValueCodec[Request] = ValueCodec(Request)


def encode_request(request: Request) -> str:
    """Return the JSON that is stored beside the entry that answers the request."""
    return json.dumps(_REQUEST.encode(request))


def decode_request(text: str | None) -> Request | None:
    """Return the request. Raises MalformedValue."""
    return _REQUEST.decode(json.loads(text)) if text else None


def _encode_quickly(value: object) -> str | None:
    """Return an event or its JSON value as text. None: it has text or integers that msgspec writes in another form."""
    try:
        text = _QUICK_ENCODER.encode(value).decode()
    except (UnicodeError, OverflowError):
        return None
    if "\\u" in text:
        return None
    return text if text.isascii() and "\x7f" not in text else _ESCAPED.sub(_escape, text)


def _escape(characters: re.Match[str]) -> str:
    return json.dumps(characters[0])[1:-1]


def _parse(line: str) -> dict[str, JsonValue]:
    data = _parse_quickly(line)
    try:
        data = _DECODER.decode(line) if data is None else data
    except (ValueError, RecursionError) as why:
        raise MalformedValue(f"invalid JSON ({why})") from None
    if type(data) is not dict:
        raise MalformedValue("not a JSON object")
    return data


def _parse_quickly(line: str) -> JsonValue:
    """Return the value of a line. None: it has something unusual, such as half of a surrogate pair, or is invalid."""
    if not _has_long_integer(line):
        with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
            return _QUICK_DECODER.decode(line)
    return None


def _has_unusual_float(line: str) -> bool:
    """Return whether a line may have a float that this format and msgspec write with different exponents."""
    return "0.0000" in line or (b"0e" in _digits_as_zeros(line) and _EXPONENT.search(line) is not None)


def _has_long_integer(line: str) -> bool:
    """Return whether a line has an integer that may be too large."""
    return _LONG_INTEGER in _digits_as_zeros(line)


def _digits_as_zeros(line: str) -> bytes:
    """Return the line with 0 for each digit. A regular expression would take ten times as long to find digits."""
    return line.encode("utf-8", "surrogatepass").translate(_DIGITS_AS_ZEROS)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _parse_integer(digits: str) -> int:
    number = int(digits)
    if not -INTEGER_LIMIT <= number < INTEGER_LIMIT:
        raise ValueError(f"{digits} is too large")
    return number


_DIGITS_AS_ZEROS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))
_LONG_INTEGER = b"0" * len(str(INTEGER_LIMIT))
_EXPONENT = re.compile(r"[:,\[]-?[0-9.]+e")
_ESCAPED = re.compile(r"[^\x00-\x7e]+")
_QUICK_ENCODER = msgspec.json.Encoder()
_QUICK_DECODER = msgspec.json.Decoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_DECODER = json.JSONDecoder(parse_int=_parse_integer, parse_constant=_refuse_constant)
