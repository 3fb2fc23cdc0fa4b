"""The lines of a record, and how each proves its own bytes.

    {"record":1,"referee":…,"match":…,"game":…,"game_version":…,"hash":…}
    {"entry":1,"at_ms":…,"event":{…},"after":…,"hash":…}
    {"entries":1,"key":…,"after":…,"hash":…,"signature":…}

`hash` is the SHA-256 of all bytes of the line that stand before `,"hash":`. `after` is the hash of the
line before. So the hash of the last line, which is signed, stands for every byte of the file. Bytes are
hashed as they are: a reader needs to know of no canonical form.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

VERSION = 1
LONGEST = 1 << 20
"""Bytes in one line, at the most."""
BEGINNING = b'{"record":'

_WHOLE = re.compile(rb'(.*),"hash":"([0-9a-f]{64})"(?:,"signature":"([0-9a-f]{128})")?\}\n')
_ENTRY = re.compile(rb'\{"entry":([1-9][0-9]{0,8}),"at_ms":([0-9]{1,14}),"event":(\{.*\}),"after":"([0-9a-f]{64})"')
_SEAL = re.compile(rb'\{"entries":([1-9][0-9]{0,8}),"key":"([0-9a-f]{64})","after":"([0-9a-f]{64})"')


class LineTooLong(ValueError):
    """An entry that no record can hold. New matches are refused before they could have one."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what the file is, and what is needed to check it."""

    referee: str
    """The version of the referee that wrote it."""
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
class EntryLine:
    """An entry of the log, its event as the codec wrote it."""

    number: int
    at_ms: int
    event: str
    after: str

    def body(self) -> bytes:
        text = f'{{"entry":{self.number},"at_ms":{self.at_ms},"event":{self.event},"after":"{self.after}"'
        return text.encode("ascii")


@dataclass(frozen=True, slots=True)
class Seal:
    """The last line. With its signature, it holds the whole file together."""

    entries: int
    key: str
    after: str
    signature: str = ""

    def body(self) -> bytes:
        return _written({"entries": self.entries, "key": self.key, "after": self.after})


@dataclass(frozen=True, slots=True)
class Whole:
    """A line that is as long as it should be: what is hashed, the hash it states, and its signature if it has one."""

    body: bytes
    hash: str
    signature: str = ""

    @property
    def proves_itself(self) -> bool:
        return self.hash == hash_of(self.body)

    def line(self) -> bytes:
        """Raises LineTooLong."""
        signature = f',"signature":"{self.signature}"' if self.signature else ""
        line = self.body + f',"hash":"{self.hash}"{signature}}}\n'.encode("ascii")
        if len(line) > LONGEST:
            raise LineTooLong(f"a line of {len(line)} bytes does not fit into a record; {LONGEST} are the most")
        return line


def hash_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def signed_bytes(hash_: str) -> bytes:
    """What the signature of a record signs, where the hash of its last line is `hash_`."""
    return f"referee record {VERSION} {hash_}".encode("ascii")


def whole(line: bytes) -> Whole | None:
    """The line in its parts, or None: it does not have the form of any line of a record."""
    found = _WHOLE.fullmatch(line)
    return Whole(found[1], found[2].decode(), (found[3] or b"").decode()) if found else None


def version_of(body: bytes) -> int | None:
    """Of a first line: which version of this format the file has. None: it is no first line."""
    found = re.match(re.escape(BEGINNING) + rb"([1-9][0-9]{0,8})[,}]", body + b"}")
    return int(found[1]) if found else None


def read_header(body: bytes) -> Header | None:
    """The header, if it is written as `body` writes it."""
    data = _parsed(body)
    wanted = {"record": int, "referee": str, "match": str, "game": str, "game_version": int}
    if [(name, type(value)) for name, value in data.items()] != list(wanted.items()):
        return None
    header = Header(data["referee"], data["match"], data["game"], data["game_version"])
    return header if header.body() == body else None


def read_entry(body: bytes) -> EntryLine | None:
    found = _ENTRY.fullmatch(body)
    if not found or not found[3].isascii():
        return None
    return EntryLine(int(found[1]), int(found[2]), found[3].decode(), found[4].decode())


def read_seal(part: Whole) -> Seal | None:
    found = _SEAL.fullmatch(part.body)
    if not found or not part.signature:
        return None
    return Seal(int(found[1]), found[2].decode(), found[3].decode(), part.signature)


def _written(data: Mapping[str, object]) -> bytes:
    """All of an object but its closing brace."""
    return json.dumps(data, separators=(",", ":")).encode("ascii")[:-1]


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body + b"}")
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
