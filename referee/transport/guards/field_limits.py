"""Size limits of every text, list and map of a request, checked in one place before anything reads them.

A test fails for each field of the contract that is missing in these tables. The one exception is the text of a move:
the match rejects it if it is longer than `MAX_MOVE_CHARS`, because that counts as an attempt.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.accounts.account_errors import BadField
from referee.accounts.names import DESCRIPTION_CHARS
from referee.match.commands import MAX_MOVE_CHARS

PACKAGE = "referee_api.v1."

SHORT = 128
"""Limit of names, ids and tokens, most of which have a lower limit of their own elsewhere."""
LINE = 200
PAGE_TOKEN = 512
POSITION = 4_000
OPTION = 65_536

MAX_CHARS = {
    "bot": SHORT,
    "entrant": SHORT,
    "game": SHORT,
    "holder": SHORT,
    "ladder": SHORT,
    "match_id": SHORT,
    "name": SHORT,
    "nonce": SHORT,
    "owner": SHORT,
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
    "ChallengeRequest.entrants": SHORT,
    "Gauntlet.challengers": SHORT,
    "PauseBotRequest.message": DESCRIPTION_CHARS,
}
"""By `field` or `Message.field`: characters of a text, or bytes of a bytes field; for a list, of each element."""

MAX_COUNT = {
    "Rules.options": 128,
    "Opening.moves": 2_000,
    "MovesPerPeriod.periods": 128,
    "TimeControl.odds": 128,
    "CreateMatchRequest.seats": 128,
    "Hello.games": 128,
    "AdjudicateMatchRequest.side_scores": 128,
    "LadderTerms.match_terms": 32,
    "DuplicatePlay.openings": 1_000,
    "Entrant.bots": 128,
    "ChallengeRequest.entrants": 128,
    "Gauntlet.challengers": 1_000,
    "TournamentTerms.tie_breaks": 128,
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


def check_fields(message: Message, path: str = "") -> None:
    """Raise BadField for the first field that is too large."""
    size = message.ByteSize()
    if size <= _unchecked_bytes(message.DESCRIPTOR):
        return
    kind = _name(message.DESCRIPTOR)
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
    kind = _name(descriptor)
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


def _name(descriptor: Any) -> str:
    return str(descriptor.full_name).removeprefix(PACKAGE)
