"""Detects messages of a Play stream that exceed the size limit only because of the text of a move.

Such a message is parsed nevertheless, so that the move is rejected, which costs one attempt in one match, rather than
the stream, which would affect all matches of the bot. Parsing is slow for many fields, not for one long field: so only
messages with few fields are accepted, and all fields except the text of a move must be short.
"""

from collections.abc import Iterator

from referee_api.v1.play_pb2 import BotItem, Move
from referee_api.v1.play_service_pb2 import PlayRequest

MAX_ITEMS = 64
MAX_FIELDS = 16
"""Limit for each item and each move."""
SHORT_BYTES = 4_096
VARINT, LENGTH_DELIMITED = 0, 2

ITEMS = PlayRequest.ITEMS_FIELD_NUMBER
MOVE = BotItem.MOVE_FIELD_NUMBER
TEXT = Move.MOVE_FIELD_NUMBER


def is_large_by_moves(data: bytes) -> bool:
    """Return whether the data is a PlayRequest that would be short without the texts of its moves."""
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
