"""Size limits of every text, list and map of a request, checked in one place before anything reads them.

A test fails for each field of the contract that is missing in these tables. The one exception is the text of a move:
the match rejects it if it is longer than `MAX_MOVE_CHARS`, because that counts as an attempt. Therefore a message of a
Play stream that exceeds the size limit only because of a move is parsed nevertheless: rejecting the stream would affect
all matches of the bot.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from referee_api.v1.play_pb2 import BotItem, Move
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.accounts.account_errors import BadField
from referee.accounts.names import DESCRIPTION_CHARS
from referee.match.commands import MAX_MOVE_CHARS
from referee.transport.guards.authentication import PACKAGE

SHORT = 128
"""Limit of names, ids and tokens, most of which have a lower limit of their own elsewhere."""
LINE = 200
PAGE_TOKEN = 512
POSITION = 4_000
OPTION = 65_536

MAX_CHARS = {
    "bot": SHORT,
    "code": SHORT,
    "entrant": SHORT,
    "game": SHORT,
    "holder": SHORT,
    "invitation_id": SHORT,
    "ladder": SHORT,
    "match_id": SHORT,
    "name": SHORT,
    "nonce": SHORT,
    "owner": SHORT,
    "pairing_id": SHORT,
    "preset": SHORT,
    "request_id": SHORT,
    "seed": SHORT,
    "turn_token": SHORT,
    "token_id": SHORT,
    "tournament": SHORT,
    "version": SHORT,
    "page_token": PAGE_TOKEN,
    "client": LINE,
    "label": LINE,
    "message": LINE,
    "title": LINE,
    "description": DESCRIPTION_CHARS,
    "note": DESCRIPTION_CHARS,
    "Rules.options.key": SHORT,
    "Rules.options.value": OPTION,
    "Opening.position": POSITION,
    "SeatMove.move": MAX_MOVE_CHARS,
    "Hello.games": SHORT,
    "Consent.games": SHORT,
    "ChallengeRequest.entrants": SHORT,
    "Gauntlet.challengers": SHORT,
    "HandPairing.entrants": SHORT,
    "first": SHORT,
    "second": SHORT,
    "DeclareAbsentRequest.entrants": SHORT,
    "PauseBotRequest.message": DESCRIPTION_CHARS,
}
"""Limits by `field` or `Message.field`: characters of a text or bytes of a bytes field; in a list, of each element."""

MAX_COUNT = {
    "Rules.options": 128,
    "Opening.moves": 2_000,
    "MovesPerPeriod.periods": 128,
    "TimeControl.odds": 128,
    "CreateMatchRequest.seats": 128,
    "Hello.games": 128,
    "Consent.games": 32,
    "AdjudicateMatchRequest.side_scores": 128,
    "CorrectLadderMatchRequest.ranks": 128,
    "CorrectTournamentMatchRequest.ranks": 128,
    "LadderTerms.match_terms": 32,
    "DuplicatePlay.openings": 1_000,
    "Entrant.bots": 128,
    "ChallengeRequest.entrants": 128,
    "Gauntlet.challengers": 1_000,
    "PairRoundRequest.pairings": 1_000,
    "HandPairing.entrants": 2,
    "DeclareAbsentRequest.entrants": 128,
    "TournamentTerms.tie_breaks": 128,
    "TournamentTerms.forbidden_pairs": 1_000,
    "CreateTournamentRequest.entrants": 2_000,
}
"""Number of elements of a list or a map."""

MAX_BYTES = {
    "Rules": 2 * OPTION,
    "Opening": 32_768,
    "DuplicatePlay": 131_072,
}
"""Encoded size of a message within a request."""

FOREIGN = "grpc."
"""Prefix of requests that are defined elsewhere: health and reflection."""
MAX_FOREIGN_BYTES = 1_024
"""Encoded size of such a request."""

CHECKED_ELSEWHERE = {
    "PlayRequest.items": "each item is checked and rejected by itself",
    "Move.move": "the match rejects it",
    "SubmitMoveRequest.move": "the match rejects it",
}

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
    kind = _message_name(message.DESCRIPTOR)
    if size > (limit := MAX_FOREIGN_BYTES if kind.startswith(FOREIGN) else MAX_BYTES.get(kind, size)):
        _reject(path.removesuffix(".") or "message", size, "bytes", limit)
    for field, value in message.ListFields():
        key, at = f"{kind}.{field.name}", f"{path}{field.name}"
        if key in MAX_COUNT and len(value) > MAX_COUNT[key]:
            _reject(at, len(value), "elements", MAX_COUNT[key])
        if _is_map(field):
            _check_texts(value.keys(), at, MAX_CHARS[f"{key}.key"])
            _check_texts(value.values(), at, MAX_CHARS[f"{key}.value"])
        elif key in CHECKED_ELSEWHERE:
            continue
        elif field.message_type:
            for number, one in enumerate(value if field.is_repeated else (value,)):
                check_fields(one, f"{at}[{number}]." if field.is_repeated else f"{at}.")
        elif is_text(field):
            _check_texts(value if field.is_repeated else (value,), at, max_chars(key))


def max_chars(key: str) -> int:
    """Return the limit of a text field, by `Message.field`."""
    return MAX_CHARS.get(key) or MAX_CHARS[key.rpartition(".")[2]]


def is_text(field: FieldDescriptor) -> bool:
    return field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def _check_texts(texts: Iterable[str | bytes], at: str, limit: int) -> None:
    for text in texts:
        if len(text) > limit:
            _reject(at, len(text), "bytes" if isinstance(text, bytes) else "characters", limit)


def _reject(field: str, size: int, unit: str, limit: int) -> None:
    raise BadField(field, f"it has {size} {unit}; the limit is {limit}")


@cache
def _unchecked_bytes(descriptor: Any) -> int:
    """Return the encoded size up to which no field of the message can exceed its limit."""
    kind = _message_name(descriptor)
    if kind.startswith(FOREIGN):
        return MAX_FOREIGN_BYTES
    limits = [MAX_BYTES[kind]] if kind in MAX_BYTES else []
    for field in descriptor.fields:
        key = f"{kind}.{field.name}"
        limits += [MAX_COUNT[key]] if key in MAX_COUNT else []
        if _is_map(field):
            limits += [MAX_CHARS[f"{key}.key"], MAX_CHARS[f"{key}.value"]]
        elif key in CHECKED_ELSEWHERE:
            continue
        elif field.message_type:
            limits.append(_unchecked_bytes(field.message_type))
        elif is_text(field):
            limits.append(max_chars(key))
    return min(limits, default=2**31)


def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def _message_name(descriptor: Any) -> str:
    return str(descriptor.full_name).removeprefix(PACKAGE)


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
