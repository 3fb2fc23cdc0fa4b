"""Size limits of every text, list and map of a request, checked in one place before anything reads them.

The limits are options of the contract. The one exception is the text of a move: the match rejects it if it is longer
than `MAX_MOVE_CHARS`, because that counts as an attempt. Therefore a message of a Play stream that exceeds the size
limit only because of a move is parsed nevertheless: rejecting the stream would affect all matches of the bot.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from referee_api.v1.match_service_pb2 import SubmitMoveRequest
from referee_api.v1.play_pb2 import BotItem, Move
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.accounts.account_errors import BadField
from referee.transport.contract_options import DEFAULT_LIMIT, max_bytes, max_chars, max_count

FOREIGN = "grpc."
"""Prefix of requests that are defined elsewhere: health and reflection."""
MAX_FOREIGN_BYTES = 1_024
"""Encoded size of such a request."""

CHECKED_ELSEWHERE = frozenset(
    {
        PlayRequest.DESCRIPTOR.fields_by_name["items"],
        Move.DESCRIPTOR.fields_by_name["move"],
        SubmitMoveRequest.DESCRIPTOR.fields_by_name["move"],
    }
)
"""Each item of a stream is checked and rejected by itself, and the match rejects a move."""

MAX_ITEMS = 64
"""Items of a message that is long by its moves."""
MAX_FIELDS = 16
"""Fields of each item and each move of such a message."""
SHORT_BYTES = 4_096
"""Size of every other field of such a message."""
VARINT, LENGTH_DELIMITED = 0, 2

ITEMS = PlayRequest.ITEMS_FIELD_NUMBER
MOVE = BotItem.MOVE_FIELD_NUMBER
TEXT = Move.MOVE_FIELD_NUMBER


def check_fields(message: Message, path: str = "") -> None:
    """Raise BadField for the first field that is too large."""
    size = message.ByteSize()
    if size <= _unchecked_bytes(message.DESCRIPTOR):
        return
    limit = _max_bytes(message.DESCRIPTOR)
    if limit is not None and size > limit:
        _reject(path.removesuffix(".") or "message", size, "bytes", limit)
    for field, value in message.ListFields():
        at = f"{path}{field.name}"
        if field in CHECKED_ELSEWHERE:
            continue
        if field.is_repeated and len(value) > max_count(field):
            _reject(at, len(value), "elements", max_count(field))
        if _is_map(field):
            _check_texts(value.keys(), at, DEFAULT_LIMIT)
            _check_texts(value.values(), at, max_chars(field))
        elif field.message_type:
            for number, element in enumerate(value if field.is_repeated else (value,)):
                check_fields(element, f"{at}[{number}]." if field.is_repeated else f"{at}.")
        elif is_text(field):
            _check_texts(value if field.is_repeated else (value,), at, max_chars(field))


def is_text(field: FieldDescriptor) -> bool:
    return field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def _check_texts(texts: Iterable[str | bytes], at: str, limit: int) -> None:
    for text in texts:
        if len(text) > limit:
            _reject(at, len(text), "bytes" if isinstance(text, bytes) else "characters", limit)


def _reject(field: str, size: int, unit: str, limit: int) -> None:
    raise BadField(field, f"it has {size} {unit}; the limit is {limit}")


@cache
def _unchecked_bytes(descriptor: Descriptor) -> int:
    """Return the encoded size up to which no field of the message can exceed its limit."""
    size = _max_bytes(descriptor)
    limits = [] if size is None else [size]
    for field in () if descriptor.full_name.startswith(FOREIGN) else descriptor.fields:
        if field in CHECKED_ELSEWHERE:
            continue
        limits += [max_count(field)] if field.is_repeated else []
        if _is_map(field):
            limits += [DEFAULT_LIMIT, max_chars(field)]
        elif field.message_type:
            limits.append(_unchecked_bytes(field.message_type))
        elif is_text(field):
            limits.append(max_chars(field))
    return min(limits, default=2**31)


@cache
def _max_bytes(descriptor: Descriptor) -> int | None:
    return MAX_FOREIGN_BYTES if descriptor.full_name.startswith(FOREIGN) else max_bytes(descriptor)


@cache
def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def is_large_by_moves(data: bytes) -> bool:
    """Return whether the data is a PlayRequest that would be short without the texts of its moves.

    Parsing is slow for many fields, not for one long field: so the message must have few fields, and all of them except
    the texts of moves must be short.
    """
    try:
        items = _long_fields(data, 0, len(data), MAX_ITEMS, ITEMS)
        moves = [move for item in items for move in _long_fields(data, *item, MAX_FIELDS, MOVE)]
        return all(_long_fields(data, *move, MAX_FIELDS, TEXT) for move in moves)
    except (ValueError, IndexError):
        return False


def _long_fields(data: bytes, start: int, end: int, max_fields: int, permitted: int) -> list[tuple[int, int]]:
    """Return start and end of each long field. Raises ValueError for too many fields, or other long fields."""
    found = []
    for count, (number, begin, stop) in enumerate(_fields(data, start, end)):
        if count >= max_fields:
            raise ValueError
        if stop - begin > SHORT_BYTES:
            if number != permitted:
                raise ValueError
            found.append((begin, stop))
    return found


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and end of each field. Raises ValueError or IndexError if the data is malformed."""
    while at < end:
        key, at = _varint(data, at)
        size, begin = _varint(data, at)
        if key & 7 == VARINT:
            size = 0
        elif key & 7 != LENGTH_DELIMITED:
            raise ValueError
        at = begin + size
        if at > end:
            raise ValueError
        yield key >> 3, begin, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at an offset, and the offset behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
        if shift > 63:
            raise ValueError
