"""Reads a record, strictly or as far as it makes sense.

`LineReader` checks form, numbers, hash chain and signature line by line, and rejects the first invalid line.
`read_record` reads the record of a match with it, and `read_record_history` an unverified one for inspection.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeVar

from engines.api import Game
from engines.game_errors import UnknownGame
from referee.live.log_history import LogStep, replay
from referee.live.match_history import MatchFold, MatchStep
from referee.live.ports import Entry
from referee.match.events import MatchCreated
from referee.match.state import Match, create_match
from referee.records.group_signature import leaf_of, root_of, signed_root
from referee.records.record_format import (
    FIRST_BYTES,
    MAX_LINE_BYTES,
    VERSION,
    ContestHeader,
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
from referee.records.short_record import shorten
from referee.records.signing_key import is_signature_valid
from referee.storage.codec import STORED_VERSION, MalformedEntry

E = TypeVar("E")

EVENT_VERSION = re.compile(r'\{"v":([0-9]{1,9}),')


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
    RECORD_MISSING = 14

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
    reader = LineReader(MAX_LINE_BYTES)
    entries: list[Entry] = []
    for line in read_raw_lines(file):
        found = reader.take(line)
        if isinstance(reader.header, ContestHeader):
            raise RecordInvalid(RecordStatus.NO_RECORD, "it is the record of a contest, not of a match")
        if found and reader.header:
            event = reader.event_of(found, decode_event)
            entries.append(Entry(reader.header.match_id, found.number, found.at_ms, event))
    key = reader.finish()
    assert isinstance(reader.header, RecordHeader)
    return MatchRecord(reader.header, tuple(entries), key)


def read_raw_lines(file: BinaryIO, max_bytes: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """Yield the lines of a file with their line ends. A line that is too long is yielded in several parts."""
    while line := file.readline(max_bytes + 1):
        yield line


class LineReader:
    """Checks the lines of a record. Call `take` for each line, then `finish`."""

    def __init__(self, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        self._line = 0
        self._last_hash = ""
        self.header: RecordHeader | ContestHeader | None = None
        """The first line, once it was taken."""
        self._entries = 0
        self._bodies: list[bytes] = []
        """The lines of the record of a match but for the last, without their hashes."""
        self._seal: SignatureLine | None = None
        self._seal_hash = ""

    def take(self, line: bytes) -> EntryLine | None:
        """Check the next line, and return it if it is an entry.

        Raises RecordInvalid if it was changed, or does not belong there.
        """
        self._line += 1
        part = split_line(line) if len(line) <= self._max_line_bytes else None
        if part is None:
            self._misshapen(line)
        if not part.proves_itself:
            self._trouble(RecordStatus.EDITED, f"line {self._line} is not what was hashed when it was written")
        entry = None
        if self._line == 1:
            self.header = self._first(part)
        elif self._seal:
            self._trouble(RecordStatus.REORDERED, f"line {self._line} stands behind the last line of the record")
        else:
            entry = self._next(part)
        if isinstance(self.header, RecordHeader) and not self._seal:
            self._bodies.append(part.body)
        self._last_hash = part.hash
        return entry

    def finish(self) -> str:
        """Return the key that signed the record, in hexadecimal.

        Raises RecordInvalid if lines are missing or the signature does not fit the stated key.
        """
        if self.header is None:
            self._trouble(RecordStatus.NO_RECORD, "the file is empty")
        seal = self._seal
        if seal is None:
            self._trouble(
                RecordStatus.TRUNCATED,
                f"the file ends with line {self._line}, and the line with the signature is missing",
            )
        message = signed_bytes(self._seal_hash)
        if seal.path is not None:
            message = signed_root(root_of(leaf_of(shorten(self._bodies)), seal.path))
        if not is_signature_valid(seal.key, seal.signature, message):
            self._trouble(
                RecordStatus.SIGNATURE_WRONG,
                f"the signature on line {self._line} does not fit the lines before it and the key that it names",
            )
        return seal.key

    def _first(self, part: RecordLine) -> RecordHeader | ContestHeader:
        version = version_of(part.body)
        if version is None:
            self._trouble(RecordStatus.REORDERED, "the file does not begin with the first line of a record")
        if version != VERSION:
            self._trouble(RecordStatus.UNKNOWN_VERSION, f"its form is version {version}; known here: {VERSION}")
        header = parse_header(part.body)
        if header is None or part.signature:
            self._trouble(RecordStatus.NO_RECORD, "line 1 has not the fields of the first line of a record")
        return header

    def _next(self, part: RecordLine) -> EntryLine | None:
        entry = parse_entry(part.body)
        if entry and not part.signature:
            self._takes_place(entry)
            return entry
        seal = parse_signature_line(part)
        if seal is None:
            self._foreign(part)
        if seal.entries != self._entries:
            self._trouble(
                RecordStatus.REORDERED,
                f"line {self._line} closes {seal.entries} entries, and {self._entries} stand before it",
            )
        self._follows(seal.after)
        self._seal, self._seal_hash = seal, part.hash
        return None

    def _takes_place(self, line: EntryLine) -> None:
        expected = self._entries + 1
        if line.number != expected:
            self._trouble(
                RecordStatus.REORDERED, f"line {self._line} is entry {line.number}, where entry {expected} belongs"
            )
        self._follows(line.after)
        self._entries = expected

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
        if self._seal is None and len(line) <= self._max_line_bytes and _is_cut_off(line):
            self._trouble(RecordStatus.TRUNCATED, f"the file ends within line {self._line}")
        self._trouble(RecordStatus.EDITED, f"line {self._line} does not have the form of any line of a record")

    def _foreign(self, part: RecordLine) -> NoReturn:
        if version_of(part.body) is not None:
            self._trouble(RecordStatus.REORDERED, f"line {self._line} is the first line of a record")
        self._trouble(
            RecordStatus.NO_RECORD, f"line {self._line} is hashed as it should be, but says nothing that is known"
        )

    def event_of(self, line: EntryLine, decode: Callable[[str], E]) -> E:
        """Return the event of the last line. Raises RecordInvalid if `decode` raises MalformedEntry."""
        try:
            return decode(line.event)
        except MalformedEntry as wrong:
            newer = EVENT_VERSION.match(line.event)
            if newer and int(newer[1]) > STORED_VERSION:
                sentence = f"entry {line.number} is written in version {newer[1]}; known here: {STORED_VERSION}"
                raise RecordInvalid(RecordStatus.UNKNOWN_VERSION, sentence) from None
            raise RecordInvalid(RecordStatus.NO_RECORD, f"line {self._line}: {wrong}") from None

    @staticmethod
    def _trouble(status: RecordStatus, sentence: str) -> NoReturn:
        raise RecordInvalid(status, sentence)


def _is_cut_off(line: bytes) -> bool:
    """Return whether the line may be the beginning of a longer one."""
    if line.endswith(b"\n"):
        return False
    # A line that lacks only its line end was cut off; one that is complete but for a different last byte was not.
    return split_line(line + b"\n") is not None or split_line(line[:-1] + b"\n") is None


@dataclass(frozen=True, slots=True)
class RecordHistory:
    """The match of an unverified record, as far as it makes sense."""

    steps: tuple[MatchStep, ...]
    """At least the first one, which creates the match."""
    broke_off: str = ""
    """Why the history stops before the end of the match. Empty: it is complete."""

    @property
    def first(self) -> Match:
        """The match as it was created."""
        return self.steps[0].state

    @property
    def last(self) -> Match:
        """The match after the last step."""
        return self.steps[-1].state


def read_record_history(path: Path, find_game: Callable[[str], Game]) -> RecordHistory:
    """Return the history of the match up to its end, or up to the first entry that makes no sense.

    Raises RecordInvalid if the file cannot be read, or the match cannot be created from its first entry.
    """
    try:
        with path.open("rb") as file:
            return read_history(file, find_game)
    except OSError as error:
        raise RecordInvalid(RecordStatus.UNREADABLE, f"it cannot be read: {error.strerror}") from None


def read_history(file: BinaryIO, find_game: Callable[[str], Game]) -> RecordHistory:
    """Return the history of an open record, as `read_record_history` does. Raises OSError or RecordInvalid."""
    entries = list(_entries(read_raw_lines(file)))
    if not entries:
        raise RecordInvalid(RecordStatus.NO_RECORD, "the entry that opens the match cannot be read")
    steps: list[MatchStep] = [LogStep(entries[0], None, _opened(entries[0], find_game))]
    try:
        for step in replay(MatchFold(find_game), entries[1:], steps[0].state):
            steps.append(step)  # noqa: PERF402  # The steps before an error count.
    except Exception as broken:  # An unverified file may contain anything.
        number, why = len(steps) + 1, str(broken) or type(broken).__name__
        return RecordHistory(tuple(steps), f"entry {number} makes no sense: {why}")
    return RecordHistory(tuple(steps), "" if steps[-1].state.result else "the end of the match cannot be read")


def _entries(lines: Iterator[bytes]) -> Iterator[Entry]:
    """Yield the entries that can be read, up to the first that is missing."""
    number = 1
    for line in lines:
        part = split_line(line)
        found = parse_entry(part.body) if part else None
        if found is None or found.number != number:
            continue
        try:
            event = decode_event(found.event)
        except MalformedEntry:
            continue
        yield Entry("", number, found.at_ms, event)
        number += 1


def _opened(entry: Entry, find_game: Callable[[str], Game]) -> Match:
    if not isinstance(entry.event, MatchCreated):
        raise RecordInvalid(RecordStatus.NO_RECORD, "its first entry opens no match")
    setup = entry.event.setup
    try:
        game = find_game(setup.terms.game)
    except UnknownGame as unknown:
        raise RecordInvalid(RecordStatus.UNKNOWN_GAME, str(unknown)) from None
    try:
        setup.completed(game).check(game)
        return create_match(entry.event, game)
    except Exception as broken:
        raise RecordInvalid(RecordStatus.RULES_DIFFER, f"the match cannot be opened: {broken}") from None
