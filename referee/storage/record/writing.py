"""Writing a record, line by line."""

from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.refusals import Refusal
from referee.app.faults import UNREADABLE, LogDamaged, missing
from referee.app.ports import Entry
from referee.core.events import Opened, PlayEnded
from referee.core.setup import Setup
from referee.storage.record.keys import public_hex
from referee.storage.record.lines import EntryLine, Header, Seal, Whole, hash_of, signed_bytes
from referee.storage.record.recorded import encode


class NotOver(Refusal):
    """A record holds the seed: there is none of a match that goes on."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not over: its record is written when it is", match_id=match_id)


def written(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str) -> Iterator[bytes]:
    """The lines of the record of a match, from all its entries, signed by `key`. Raises NotOver or LogDamaged.

    While they are written, LineTooLong.

    `referee` is the version of the referee, for people who wonder.
    """
    lacks = missing(entries)
    if lacks:
        raise LogDamaged(entries[0].match_id, lacks)
    opened = entries[0].event
    if not isinstance(opened, Opened):
        raise LogDamaged(entries[0].match_id, 1, UNREADABLE)
    if not isinstance(entries[-1].event, PlayEnded):
        raise NotOver(opened.setup.match_id)
    return _lines(opened.setup, entries, key, referee)


def _lines(setup: Setup, entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str) -> Iterator[bytes]:
    part = _hashed(Header(referee, setup.match_id, setup.game, setup.game_version).body())
    yield part.line()
    for entry in entries:
        part = _hashed(EntryLine(entry.number, entry.at_ms, encode(entry.event), part.hash).body())
        yield part.line()
    body = Seal(len(entries), public_hex(key), part.hash).body()
    signature = key.sign(signed_bytes(hash_of(body))).hex()
    yield Whole(body, hash_of(body), signature).line()


def _hashed(body: bytes) -> Whole:
    return Whole(body, hash_of(body))
