"""Messages of a Play stream that are too large because of the text of a move.

They are read all the same, so that the move is refused, which costs its match an attempt, and not the whole stream,
which costs all matches of the bot. To parse a message takes long if it has many fields, and not if one of them is long:
so only messages of few fields are read, and fields other than the text of a move have to be short.
"""

from collections.abc import Iterator

from referee_api.v1.play_pb2 import FromBot, Move
from referee_api.v1.play_service_pb2 import PlayRequest

MAX_ITEMS = 64
MAX_FIELDS = 16
"""Of an item, and of a move."""
SHORT_BYTES = 4_096
VARINT, LENGTH_DELIMITED = 0, 2

ITEMS = PlayRequest.ITEMS_FIELD_NUMBER
MOVE = FromBot.MOVE_FIELD_NUMBER
TEXT = Move.MOVE_FIELD_NUMBER


def is_large_by_moves(data: bytes) -> bool:
    """Is this a PlayRequest that is short but for texts of moves?"""
    try:
        items = _long_fields(data, 0, len(data), MAX_ITEMS, ITEMS)
        moves = [move for item in items for move in _long_fields(data, *item, MAX_FIELDS, MOVE)]
        return all(_long_fields(data, *move, MAX_FIELDS, TEXT) for move in moves)
    except (ValueError, IndexError):
        return False


def _long_fields(data: bytes, start: int, end: int, at_most: int, permitted: int) -> list[tuple[int, int]]:
    """Where the long fields begin and end. Raises ValueError if there are too many fields, or others are long."""
    found = []
    for count, (number, begin, stop) in enumerate(_fields(data, start, end)):
        if count >= at_most:
            raise ValueError
        if stop - begin > SHORT_BYTES:
            if number != permitted:
                raise ValueError
            found.append((begin, stop))
    return found


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The number of each field, and where its contents begin and end. Raises ValueError or IndexError."""
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
    """The number, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
        if shift > 63:
            raise ValueError
