"""Reads a record strictly, line by line: checks form, numbers and hash chain, and rejects the first invalid line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import BinaryIO, NoReturn

from referee.live.ports import Entry
from referee.records.record_format import (
    ENTRY_VERSION,
    FIRST_BYTES,
    MAX_LINE_BYTES,
    VERSION,
    EntryLine,
    RecordHeader,
    RecordLine,
    SignatureLine,
    decode_event,
    parse_entry,
    parse_header,
    parse_signature_line,
    signed_bytes,
    split_line,
    version_of,
)
from referee.records.signing_key import is_signature_valid
from referee.storage.codec import MalformedEntry


class RecordStatus(IntEnum):
    FINE = 0
    UNREADABLE = 3
    NO_RECORD = 4
    UNKNOWN_VERSION = 5
    UNKNOWN_GAME = 6
    OTHER_GAME_VERSION = 7
    TRUNCATED = 8
    REORDERED = 9
    EDITED = 10
    SIGNATURE_WRONG = 11
    OTHER_KEY = 12
    RULES_DIFFER = 13

    @property
    def words(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Result of the verification of one file."""

    status: RecordStatus
    sentence: str

    def __str__(self) -> str:
        return f"{self.status.words}: {self.sentence}"


class RecordInvalid(Exception):
    """The file is not a valid record. Only the first reason that was found is reported."""

    def __init__(self, status: RecordStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.verdict = VerificationResult(status, sentence)


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """Contents of a record whose form, hash chain and signature are valid."""

    header: RecordHeader
    entries: tuple[Entry, ...]
    key: str
    """Public key that signed the record, in hexadecimal."""


def read_record(file: BinaryIO) -> MatchRecord:
    """Return the record in this file. Raises RecordInvalid."""
    reader = RecordReader()
    for line in read_raw_lines(file):
        reader.take(line)
    return reader.finish()


def read_raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file with their line ends. A line that is too long is yielded in several parts."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line


class RecordReader:
    """Checks a record line by line. Call `take` for each line, then `finish`."""

    def __init__(self) -> None:
        self._line = 0
        self._last_hash = ""
        self._header: RecordHeader | None = None
        self._entries: list[Entry] = []
        self._seal: SignatureLine | None = None
        self._seal_hash = ""

    def take(self, line: bytes) -> None:
        """Check the next line. Raises RecordInvalid if it was changed, or does not belong there."""
        self._line += 1
        part = split_line(line) if len(line) <= MAX_LINE_BYTES else None
        if part is None:
            self._misshapen(line)
        if not part.proves_itself:
            self._trouble(RecordStatus.EDITED, f"line {self._line} is not what was hashed when it was written")
        if self._line == 1:
            self._header = self._first(part)
        elif self._seal:
            self._trouble(RecordStatus.REORDERED, f"line {self._line} stands behind the last line of the record")
        else:
            self._next(part)
        self._last_hash = part.hash

    def finish(self) -> MatchRecord:
        """Return the record. Raises RecordInvalid if lines are missing or the signature does not fit the stated key."""
        if self._header is None:
            self._trouble(RecordStatus.NO_RECORD, "the file is empty")
        seal = self._seal
        if seal is None:
            self._trouble(
                RecordStatus.TRUNCATED,
                f"the file ends with line {self._line}, and the line with the signature is missing",
            )
        if not is_signature_valid(seal.key, seal.signature, signed_bytes(self._seal_hash)):
            self._trouble(
                RecordStatus.SIGNATURE_WRONG,
                f"the signature on line {self._line} does not fit the lines before it and the key that it names",
            )
        return MatchRecord(self._header, tuple(self._entries), seal.key)

    def _first(self, part: RecordLine) -> RecordHeader:
        version = version_of(part.body)
        if version is None:
            self._trouble(RecordStatus.REORDERED, "the file does not begin with the first line of a record")
        if version != VERSION:
            self._trouble(RecordStatus.UNKNOWN_VERSION, f"its form is version {version}; known here: {VERSION}")
        header = parse_header(part.body)
        if header is None or part.signature:
            self._trouble(RecordStatus.NO_RECORD, "line 1 has not the fields of the first line of a record")
        return header

    def _next(self, part: RecordLine) -> None:
        entry = parse_entry(part.body)
        if entry and not part.signature:
            self._takes_place(entry)
            return
        seal = parse_signature_line(part)
        if seal is None:
            self._foreign(part)
        if seal.entries != len(self._entries):
            self._trouble(
                RecordStatus.REORDERED,
                f"line {self._line} closes {seal.entries} entries, and {len(self._entries)} stand before it",
            )
        self._follows(seal.after)
        self._seal, self._seal_hash = seal, part.hash

    def _takes_place(self, line: EntryLine) -> None:
        expected = len(self._entries) + 1
        if line.number != expected:
            self._trouble(
                RecordStatus.REORDERED, f"line {self._line} is entry {line.number}, where entry {expected} belongs"
            )
        self._follows(line.after)
        if self._header is None:  # The header belongs on line 1.
            self._trouble(RecordStatus.REORDERED, f"line {self._line} is an entry, where the first line belongs")
        try:
            event = decode_event(line.event)
        except MalformedEntry as wrong:
            self._unread(line, wrong)
        self._entries.append(Entry(self._header.match_id, line.number, line.at_ms, event))

    def _follows(self, after: str) -> None:
        if after != self._last_hash:
            self._trouble(
                RecordStatus.EDITED,
                f"line {self._line} was not written after line {self._line - 1} as it stands: "
                "one of them was changed and hashed anew",
            )

    def _misshapen(self, line: bytes) -> NoReturn:
        """Raise RecordInvalid with the most likely reason for a line that does not have the form of any record line."""
        if self._line == 1 and not (line.startswith(FIRST_BYTES) or FIRST_BYTES.startswith(line)):
            self._trouble(RecordStatus.NO_RECORD, "line 1 does not begin as a record does")
        if self._seal is None and _is_cut_off(line):
            self._trouble(RecordStatus.TRUNCATED, f"the file ends within line {self._line}")
        self._trouble(RecordStatus.EDITED, f"line {self._line} does not have the form of any line of a record")

    def _foreign(self, part: RecordLine) -> NoReturn:
        if version_of(part.body) is not None:
            self._trouble(RecordStatus.REORDERED, f"line {self._line} is the first line of a record")
        self._trouble(
            RecordStatus.NO_RECORD, f"line {self._line} is hashed as it should be, but says nothing that is known"
        )

    def _unread(self, line: EntryLine, wrong: MalformedEntry) -> NoReturn:
        newer = re.match(r'\{"v":([0-9]{1,9}),', line.event)
        if newer and int(newer[1]) > ENTRY_VERSION:
            self._trouble(
                RecordStatus.UNKNOWN_VERSION,
                f"entry {line.number} is written in version {newer[1]}; known here: up to {ENTRY_VERSION}",
            )
        self._trouble(RecordStatus.NO_RECORD, f"line {self._line}: {wrong}")

    @staticmethod
    def _trouble(status: RecordStatus, sentence: str) -> NoReturn:
        raise RecordInvalid(status, sentence)


def _is_cut_off(line: bytes) -> bool:
    """Return whether the line may be the beginning of a longer one."""
    if len(line) > MAX_LINE_BYTES or line.endswith(b"\n"):
        return False
    # A line that lacks only its line end was cut off; one that is complete but for a different last byte was not.
    return split_line(line + b"\n") is not None or split_line(line[:-1] + b"\n") is None
