"""Writes and signs a record, line by line."""

from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.refusals import Refusal
from referee.live.live_errors import UNREADABLE, LogDamaged, first_missing
from referee.live.ports import Entry
from referee.match.events import MatchCreated, PlayEnded
from referee.match.setup import Setup
from referee.records.record_format import (
    EntryLine,
    RecordHeader,
    RecordLine,
    SignatureLine,
    encode_event,
    hash_of,
    signed_bytes,
)
from referee.records.signing_key import public_hex


class NotOver(Refusal):
    """The match is not over. A record contains the seed, so it is written only after the end."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not over: its record is written when it is", match_id=match_id)


def format_record(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str) -> Iterator[bytes]:
    """Return the lines of the record of a match, given all its entries, signed by `key`. Raises NotOver or LogDamaged.

    Iteration raises LineTooLong if an entry does not fit. `referee` is the version of the referee, for information.
    """
    lacks = first_missing(entries)
    if lacks:
        raise LogDamaged(entries[0].match_id, lacks)
    opened = entries[0].event
    if not isinstance(opened, MatchCreated):
        raise LogDamaged(entries[0].match_id, 1, UNREADABLE)
    if not isinstance(entries[-1].event, PlayEnded):
        raise NotOver(opened.setup.match_id)
    return _lines(opened.setup, entries, key, referee)


def _lines(setup: Setup, entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str) -> Iterator[bytes]:
    part = _hashed(RecordHeader(referee, setup.match_id, setup.game, setup.game_version).body())
    yield part.line()
    for entry in entries:
        part = _hashed(EntryLine(entry.number, entry.at_ms, encode_event(entry.event), part.hash).body())
        yield part.line()
    body = SignatureLine(len(entries), public_hex(key), part.hash).body()
    signature = key.sign(signed_bytes(hash_of(body))).hex()
    yield RecordLine(body, hash_of(body), signature).line()


def _hashed(body: bytes) -> RecordLine:
    return RecordLine(body, hash_of(body))
