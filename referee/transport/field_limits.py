"""How long every text, list and map of a request may be, checked in one place before anything reads them.

A field of the contract that is not in these tables fails a test. The text of a move that answers a turn is the one
exception: the match itself refuses what is too long (`MAX_MOVE_CHARS`), for that is an attempt which counts.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.app.names import DESCRIPTION_CHARS
from referee.app.refusals import BadField
from referee.core.commands import MAX_MOVE_CHARS

PACKAGE = "referee_api.v1."

SHORT = 128
"""Of names, ids and tokens, which have limits of their own below that. A message of fewer bytes needs no look."""
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
    "token": SHORT,
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
"""By the name of a field, or of one message's field: characters of a text, or bytes of a field of bytes; of each
element where there are several."""

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
"""Elements of a list or a map."""

MAX_BYTES = {
    "Rules": 2 * OPTION,
    "Opening": 32_768,
    "DuplicatePlay": 131_072,
}
"""Of a message within a request, as it is encoded."""

FOREIGN = "grpc."
"""Requests about health and reflection, which others have defined."""
MAX_FOREIGN_BYTES = 1_024
"""Of such a request as a whole."""

JUDGED_ELSEWHERE = {
    "PlayRequest.items": "each is heard, and refused, by itself",
    "Move.move": "the match refuses it",
    "SubmitMoveRequest.move": "the match refuses it",
}


def check_fields(message: Message, path: str = "") -> None:
    """Raises BadField, which names the first field that is too long, and its limit."""
    size = message.ByteSize()
    if size <= _harmless_bytes(message.DESCRIPTOR):
        return
    kind = _name(message.DESCRIPTOR)
    if size > (limit := MAX_FOREIGN_BYTES if kind.startswith(FOREIGN) else MAX_BYTES.get(kind, size)):
        _refuse(path.removesuffix(".") or "message", size, "bytes", limit)
    for field, value in message.ListFields():
        key, at = f"{kind}.{field.name}", f"{path}{field.name}"
        if key in MAX_COUNT and len(value) > MAX_COUNT[key]:
            _refuse(at, len(value), "elements", MAX_COUNT[key])
        if _is_map(field):
            _check_texts(value.keys(), at, MAX_CHARS[f"{key}.key"])
            _check_texts(value.values(), at, MAX_CHARS[f"{key}.value"])
        elif key in JUDGED_ELSEWHERE:
            continue
        elif field.message_type:
            for number, one in enumerate(value if field.is_repeated else (value,)):
                check_fields(one, f"{at}[{number}]." if field.is_repeated else f"{at}.")
        elif is_text(field):
            _check_texts(value if field.is_repeated else (value,), at, max_chars(key))


def max_chars(key: str) -> int:
    """The limit of a text field that is named as `Message.field`."""
    return MAX_CHARS.get(key) or MAX_CHARS[key.rpartition(".")[2]]


def is_text(field: FieldDescriptor) -> bool:
    return field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


def _check_texts(texts: Iterable[str | bytes], at: str, at_most: int) -> None:
    for text in texts:
        if len(text) > at_most:
            _refuse(at, len(text), "bytes" if isinstance(text, bytes) else "characters", at_most)


def _refuse(field: str, size: int, unit: str, at_most: int) -> None:
    raise BadField(field, f"it has {size} {unit}; up to {at_most} are right")


@cache
def _harmless_bytes(descriptor: Any) -> int:
    """An encoded message of so many bytes has no field beyond its limit."""
    kind = _name(descriptor)
    if kind.startswith(FOREIGN):
        return MAX_FOREIGN_BYTES
    limits = [MAX_BYTES[kind]] if kind in MAX_BYTES else []
    for field in descriptor.fields:
        key = f"{kind}.{field.name}"
        limits += [MAX_COUNT[key]] if key in MAX_COUNT else []
        if _is_map(field):
            limits += [MAX_CHARS[f"{key}.key"], MAX_CHARS[f"{key}.value"]]
        elif key in JUDGED_ELSEWHERE:
            continue
        elif field.message_type:
            limits.append(_harmless_bytes(field.message_type))
        elif is_text(field):
            limits.append(max_chars(key))
    return min(limits, default=2**31)


def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def _name(descriptor: Any) -> str:
    return str(descriptor.full_name).removeprefix(PACKAGE)
