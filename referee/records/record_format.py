"""The lines of a record, how each proves its own bytes, and how the record of a match is written and signed.

    {"record":1,"referee":…,"match":…,"game":…,"game_version":…,"hash":…}     (of a contest: "contest" only)
    {"entry":1,"at_ms":…,"event":{…},"after":…,"hash":…}
    {"entries":1,"key":…,"after":…,"hash":…,"signature":…}

`hash` is the SHA-256 of all bytes of the line before `,"hash":`. `after` is the hash of the previous line. So the hash
of the last line, which is signed, depends on every byte of the file. Bytes are hashed as they are, so a reader needs no
canonical form.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union, get_args

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from engines.game_errors import DetailedError
from referee.live.log_history import first_missing
from referee.live.ports import UNREADABLE, Entry, LogDamaged
from referee.match.clock import Micros
from referee.match.events import Event, MatchCreated, MovePlayed, PlayEnded
from referee.match.result import Result
from referee.match.setup import Setup
from referee.records.signing_key import public_hex
from referee.storage.codec import EventCodec

VERSION = 1
MAX_LINE_BYTES = 1 << 20
"""Limit of the bytes in one line of the record of a match."""
MAX_CONTEST_LINE_BYTES = 1 << 24
"""Limit of the bytes in one line of the record of a contest, which may name thousands of entrants or pairings."""
FIRST_BYTES = b'{"record":'
MATCH_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
"""Ids of matches whose records may be files under their id."""

_WHOLE = re.compile(rb'(.*),"hash":"([0-9a-f]{64})"(?:,"signature":"([0-9a-f]{128})")?\}\n')
_ENTRY = re.compile(rb'\{"entry":([1-9][0-9]{0,8}),"at_ms":([0-9]{1,14}),"event":(\{.*\}),"after":"([0-9a-f]{64})"')
_SEAL = re.compile(
    rb'\{"entries":([1-9][0-9]{0,8}),"key":"([0-9a-f]{64})"(?:,"path":"((?:[01][0-9a-f]{64})*)")?,"after":"([0-9a-f]{64})"'
)


class LineTooLong(ValueError):
    """An entry that does not fit into a record. Requests for matches that could have one are rejected."""


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """The first line: format version, match, and the game and its version that are needed to verify the record."""

    referee: str
    """Version of the referee that wrote the record."""
    match_id: str
    game: str
    game_version: int

    def body(self) -> bytes:
        data = {
            "record": VERSION,
            "referee": self.referee,
            "match": self.match_id,
            "game": self.game,
            "game_version": self.game_version,
        }
        return _written(data)


@dataclass(frozen=True, slots=True)
class ContestHeader:
    """The first line of the record of a contest."""

    referee: str
    """Version of the referee that wrote the record."""
    contest: str
    """Id of the contest, such as `ladder/main`."""

    def body(self) -> bytes:
        return _written({"record": VERSION, "referee": self.referee, "contest": self.contest})


@dataclass(frozen=True, slots=True)
class EntryLine:
    """The line of one log entry; `event` is the text that the codec wrote."""

    number: int
    at_ms: int
    event: str
    after: str

    def body(self) -> bytes:
        text = f'{{"entry":{self.number},"at_ms":{self.at_ms},"event":{self.event},"after":"{self.after}"'
        return text.encode("ascii")


@dataclass(frozen=True, slots=True)
class SignatureLine:
    """The last line. Its signature covers the whole file."""

    entries: int
    key: str
    after: str
    signature: str = ""
    path: str | None = None
    """The path from the short form of the record to what is signed, if that is a group of records."""

    def body(self) -> bytes:
        path = {} if self.path is None else {"path": self.path}
        return _written({"entries": self.entries, "key": self.key, **path, "after": self.after})


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A complete line: the bytes that are hashed, the hash that it states, and its signature if it has one."""

    body: bytes
    hash: str
    signature: str = ""

    @property
    def proves_itself(self) -> bool:
        return self.hash == hash_of(self.body)

    def line(self, max_bytes: int = MAX_LINE_BYTES) -> bytes:
        """Return the bytes of the line. Raises LineTooLong."""
        signature = f',"signature":"{self.signature}"' if self.signature else ""
        line = self.body + f',"hash":"{self.hash}"{signature}}}\n'.encode("ascii")
        if len(line) > max_bytes:
            raise LineTooLong(f"a line of {len(line)} bytes does not fit into a record; the limit is {max_bytes}")
        return line


def hash_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def signed_bytes(hash_: str) -> bytes:
    """Return the message that the signature of a record signs, given the hash of its last line."""
    return f"referee record {VERSION} {hash_}".encode("ascii")


def split_line(line: bytes) -> RecordLine | None:
    """Return the parts of a line, or None if it does not have the form of any line of a record."""
    found = _WHOLE.fullmatch(line)
    return RecordLine(found[1], found[2].decode(), (found[3] or b"").decode()) if found else None


def version_of(body: bytes) -> int | None:
    """Return the format version that a first line states, or None if it is not a first line."""
    found = re.match(re.escape(FIRST_BYTES) + rb"([1-9][0-9]{0,8})[,}]", body + b"}")
    return int(found[1]) if found else None


def parse_header(body: bytes) -> RecordHeader | ContestHeader | None:
    """Return the header, or None if it is not exactly what its `body` would write."""
    data = _parsed(body)
    form = [(name, type(value)) for name, value in data.items()]
    header: RecordHeader | ContestHeader
    if form == [("record", int), ("referee", str), ("contest", str)]:
        header = ContestHeader(data["referee"], data["contest"])
    elif form == [("record", int), ("referee", str), ("match", str), ("game", str), ("game_version", int)]:
        header = RecordHeader(data["referee"], data["match"], data["game"], data["game_version"])
    else:
        return None
    return header if header.body() == body else None


def parse_entry(body: bytes) -> EntryLine | None:
    found = _ENTRY.fullmatch(body)
    if not found or not found[3].isascii():
        return None
    return EntryLine(int(found[1]), int(found[2]), found[3].decode(), found[4].decode())


def parse_signature_line(part: RecordLine) -> SignatureLine | None:
    found = _SEAL.fullmatch(part.body)
    if not found or not part.signature:
        return None
    path = None if found[3] is None else found[3].decode()
    return SignatureLine(int(found[1]), found[2].decode(), found[4].decode(), part.signature, path)


def _written(data: Mapping[str, object]) -> bytes:
    """Return an object as JSON without its closing brace."""
    return json.dumps(data, separators=(",", ":")).encode("ascii")[:-1]


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body + b"}")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


class RecordedEnd(Struct, frozen=True, gc=False, tag_field="kind", tag="play_ended"):
    """The form of `PlayEnded` in a record, without rating changes."""

    at_us: Micros
    result: Result
    seed: bytes


RECORDED: Any = Union[*(cls for cls in get_args(Event) if cls is not PlayEnded), RecordedEnd]
RECORD_CODEC: EventCodec[Event | RecordedEnd] = EventCodec(RECORDED, {MovePlayed})


def encode_event(event: Event) -> str:
    """Return the JSON of an event. Raises MalformedEntry if the event could not be read back from it."""
    return RECORD_CODEC.encode(
        RecordedEnd(event.at_us, event.result, event.seed) if isinstance(event, PlayEnded) else event
    )


def decode_event(line: str) -> Event:
    """Return the event that the JSON of an entry contains. Raises MalformedEntry."""
    event = RECORD_CODEC.decode(line)
    return PlayEnded(event.at_us, event.result, event.seed) if isinstance(event, RecordedEnd) else event


class NotOver(DetailedError):
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
    header = RecordHeader(referee, setup.match_id, setup.terms.game, setup.game_version)
    writer = RecordWriter(header, MAX_LINE_BYTES)
    yield writer.header
    for entry in entries:
        yield writer.entry(entry.at_ms, encode_event(entry.event))
    yield writer.signature(key)


class RecordWriter:
    """Writes the lines of a record one by one. Each method raises LineTooLong."""

    def __init__(self, header: RecordHeader | ContestHeader, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        self._entries = 0
        self._last = RecordLine(header.body(), hash_of(header.body()))
        self.header = self._last.line(max_line_bytes)
        """The first line."""

    def entry(self, at_ms: int, event: str) -> bytes:
        """Return the line of the next entry, given the written form of its event."""
        body = EntryLine(self._entries + 1, at_ms, event, self._last.hash).body()
        self._last = RecordLine(body, hash_of(body))
        self._entries += 1
        return self._last.line(self._max_line_bytes)

    def signature(self, key: Ed25519PrivateKey) -> bytes:
        """Return the last line."""
        body = SignatureLine(self._entries, public_hex(key), self._last.hash).body()
        signed = key.sign(signed_bytes(hash_of(body))).hex()
        return RecordLine(body, hash_of(body), signed).line(self._max_line_bytes)
