"""Reading a record strictly: form, numbers and chain, line by line, up to the first that is not as it was written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from referee.app.ports import Entry
from referee.storage.line import MalformedEntry
from referee.storage.record import recorded
from referee.storage.record.keys import signature_holds
from referee.storage.record.lines import (
    BEGINNING,
    LONGEST,
    VERSION,
    EntryLine,
    Header,
    Seal,
    Whole,
    read_entry,
    read_header,
    read_seal,
    signed_bytes,
    version_of,
    whole,
)
from referee.storage.record.verdict import Status, Trouble


@dataclass(frozen=True, slots=True)
class Record:
    """What a file holds, when its form, its chain and its signature are in order."""

    header: Header
    entries: tuple[Entry, ...]
    key: str
    """The public key that signed it, in hexadecimal."""


def read(file: BinaryIO) -> Record:
    """The record in this file. Raises Trouble."""
    reader = Reader()
    for line in raw_lines(file):
        reader.take(line)
    return reader.finish()


def raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines as they stand, each with its end. One that is too long comes in parts, each too long or not a line."""
    while line := file.readline(LONGEST + 1):
        yield line


class Reader:
    """Takes a record line by line, and knows what must come next."""

    def __init__(self) -> None:
        self._line = 0
        self._last_hash = ""
        self._header: Header | None = None
        self._entries: list[Entry] = []
        self._seal: Seal | None = None
        self._seal_hash = ""

    def take(self, line: bytes) -> None:
        """The next line. Raises Trouble if it is not as it was written, or not the next one."""
        self._line += 1
        part = whole(line) if len(line) <= LONGEST else None
        if part is None:
            self._misshapen(line)
        if not part.proves_itself:
            self._trouble(Status.EDITED, f"line {self._line} is not what was hashed when it was written")
        if self._line == 1:
            self._header = self._first(part)
        elif self._seal:
            self._trouble(Status.REORDERED, f"line {self._line} stands behind the last line of the record")
        else:
            self._next(part)
        self._last_hash = part.hash

    def finish(self) -> Record:
        """All of it. Raises Trouble if something is missing, or the signature is not that of the key it names."""
        if self._header is None:
            self._trouble(Status.NO_RECORD, "the file is empty")
        seal = self._seal
        if seal is None:
            self._trouble(
                Status.TRUNCATED, f"the file ends with line {self._line}, and the line with the signature is missing"
            )
        if not signature_holds(seal.key, seal.signature, signed_bytes(self._seal_hash)):
            self._trouble(
                Status.SIGNATURE_WRONG,
                f"the signature on line {self._line} does not fit the lines before it and the key that it names",
            )
        return Record(self._header, tuple(self._entries), seal.key)

    def _first(self, part: Whole) -> Header:
        version = version_of(part.body)
        if version is None:
            self._trouble(Status.REORDERED, "the file does not begin with the first line of a record")
        if version != VERSION:
            self._trouble(Status.UNKNOWN_VERSION, f"its form is version {version}; known here: {VERSION}")
        header = read_header(part.body)
        if header is None or part.signature:
            self._trouble(Status.NO_RECORD, "line 1 has not the fields of the first line of a record")
        return header

    def _next(self, part: Whole) -> None:
        entry = read_entry(part.body)
        if entry and not part.signature:
            self._takes_place(entry)
            return
        seal = read_seal(part)
        if seal is None:
            self._foreign(part)
        if seal.entries != len(self._entries):
            self._trouble(
                Status.REORDERED,
                f"line {self._line} closes {seal.entries} entries, and {len(self._entries)} stand before it",
            )
        self._follows(seal.after)
        self._seal, self._seal_hash = seal, part.hash

    def _takes_place(self, line: EntryLine) -> None:
        expected = len(self._entries) + 1
        if line.number != expected:
            self._trouble(Status.REORDERED, f"line {self._line} is entry {line.number}, where entry {expected} belongs")
        self._follows(line.after)
        if self._header is None:  # It stands on line 1.
            self._trouble(Status.REORDERED, f"line {self._line} is an entry, where the first line belongs")
        try:
            event = recorded.decode(line.event)
        except MalformedEntry as wrong:
            self._unread(line, wrong)
        self._entries.append(Entry(self._header.match_id, line.number, line.at_ms, event))

    def _follows(self, after: str) -> None:
        if after != self._last_hash:
            self._trouble(
                Status.EDITED,
                f"line {self._line} was not written after line {self._line - 1} as it stands: "
                "one of them was changed and hashed anew",
            )

    def _misshapen(self, line: bytes) -> NoReturn:
        """Say what is likeliest of a line that no line of a record looks like."""
        if self._line == 1 and not (line.startswith(BEGINNING) or BEGINNING.startswith(line)):
            self._trouble(Status.NO_RECORD, "line 1 does not begin as a record does")
        if self._seal is None and _is_cut_off(line):
            self._trouble(Status.TRUNCATED, f"the file ends within line {self._line}")
        self._trouble(Status.EDITED, f"line {self._line} does not have the form of any line of a record")

    def _foreign(self, part: Whole) -> NoReturn:
        if version_of(part.body) is not None:
            self._trouble(Status.REORDERED, f"line {self._line} is the first line of a record")
        self._trouble(Status.NO_RECORD, f"line {self._line} is hashed as it should be, but says nothing that is known")

    def _unread(self, line: EntryLine, wrong: MalformedEntry) -> NoReturn:
        newer = re.match(r'\{"v":([0-9]{1,9}),', line.event)
        if newer and int(newer[1]) > recorded.VERSION:
            self._trouble(
                Status.UNKNOWN_VERSION,
                f"entry {line.number} is written in version {newer[1]}; known here: up to {recorded.VERSION}",
            )
        self._trouble(Status.NO_RECORD, f"line {self._line}: {wrong}")

    @staticmethod
    def _trouble(status: Status, sentence: str) -> NoReturn:
        raise Trouble(status, sentence)


def _is_cut_off(line: bytes) -> bool:
    """Could more bytes at its end make a line of it?"""
    if len(line) > LONGEST or line.endswith(b"\n"):
        return False
    # Whole but for its end, it was cut off; whole and with something else for its end, it was not.
    return whole(line + b"\n") is not None or whole(line[:-1] + b"\n") is None
