"""Reads packed records: one by its match, or all of a file in turn, with no more than one group in memory.

`open_record` opens the record that a command names: a file, or `FILE#MATCH` of packed records. `read_records` reads
all records of files, folders and packed files.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from referee.records.packed_format import (
    HEAD_BYTES,
    MAGIC,
    MAX_GROUP_BYTES,
    MAX_INDEX_BYTES,
    MAX_PACKED_RECORDS,
    MAX_RECORD_BYTES,
    GroupIndex,
    decode_index,
    decompress_group,
    restore_record,
)
from referee.records.record_format import MAX_LINE_BYTES, RecordHeader, parse_header, split_line
from referee.records.record_reader import RecordInvalid, RecordStatus, VerificationResult
from referee.records.verify import FindGame, verify_file

SEPARATOR = "#"
ENDING = ".jsonl"
_GROUP = re.compile(re.escape(MAGIC) + rb'.{4}\{"packed":', re.DOTALL)
"""How a group begins."""


@dataclass(frozen=True, slots=True)
class PackedGroup:
    index: GroupIndex
    start: int
    """Position of its compressed frame in the file."""

    @property
    def end(self) -> int:
        return self.start + self.index.compressed_bytes


class PackedFile:
    """Packed records in an open file.

    Methods raise RecordInvalid where the file is damaged, OSError or PackageMissing.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        self.end = 0
        """Position behind the last complete group, once all groups were read."""

    @property
    def torn_bytes(self) -> int:
        """Bytes behind the last complete group, once all groups were read: of one that was not written completely."""
        return self._size - self.end

    def groups(self, at: int = 0) -> Iterator[PackedGroup]:
        """Yield the complete groups from a position on, where one begins; only their indexes are read.

        Raises RecordInvalid if an id is there twice, or a group follows one that seems not to be written completely.
        """
        ids: set[str] = set()
        self.end = at
        while (group := self._group(self.end)) is not None:
            found = [match_id for match_id, _, _ in group.index.records]
            before = len(ids)
            ids.update(found)
            if len(ids) != before + len(found):
                raise RecordInvalid(RecordStatus.EDITED, "it has two records of the same match")
            if len(ids) > MAX_PACKED_RECORDS:
                raise RecordInvalid(RecordStatus.EDITED, f"it has more than {MAX_PACKED_RECORDS} records")
            self.end = group.end
            yield group
        self._check_torn()

    def records(self, at: int = 0) -> Iterator[tuple[str, bytes]]:
        """Yield the records with the ids of their matches, from a position on where a group begins."""
        for group in self.groups(at):
            yield from self._records(group)

    def find(self, match_id: str) -> bytes | None:
        """Return the record of a match; None if it is not there."""
        for group in self.groups():
            if any(there == match_id for there, _, _ in group.index.records):
                return dict(self._records(group, match_id))[match_id]
        return None

    def _check_torn(self) -> None:
        """Raise RecordInvalid if a further group begins behind the last complete one.

        Then that group is not the last, but its stated size was changed, and a writer would remove good records.
        """
        self._file.seek(self.end)
        if self.torn_bytes > MAX_GROUP_BYTES + MAX_INDEX_BYTES or _GROUP.search(self._file.read(self.torn_bytes), 1):
            raise RecordInvalid(RecordStatus.EDITED, f"the group at byte {self.end} is not as long as its index states")

    def _group(self, at: int) -> PackedGroup | None:
        """Return the group that begins there; None if the file ends before the group does."""
        self._file.seek(at)
        head = self._file.read(min(HEAD_BYTES, self._size - at))
        if head[:4] != MAGIC[: len(head)]:
            raise RecordInvalid(RecordStatus.EDITED, f"no group of packed records begins at byte {at}")
        size = int.from_bytes(head[4:], "little")
        if size > MAX_INDEX_BYTES:
            raise RecordInvalid(RecordStatus.EDITED, f"the index of a group is larger than {MAX_INDEX_BYTES} bytes")
        start = at + HEAD_BYTES + size
        if len(head) < HEAD_BYTES or start > self._size:
            return None
        group = PackedGroup(decode_index(self._file.read(size)), start)
        return group if group.end <= self._size else None

    def _records(self, group: PackedGroup, only: str | None = None) -> Iterator[tuple[str, bytes]]:
        self._file.seek(group.start)
        index, at, parts = group.index, 0, list[bytes]()
        stored = decompress_group(index, self._file.read(index.compressed_bytes))
        for _, size, _ in index.records:
            parts.append(stored[at : at + size])
            at += size
        left = index.max_bytes
        for (match_id, _, whole), part in zip(index.records, index.seal.sealed(parts), strict=True):
            if only in (None, match_id):
                record = part if whole else restore_record(part, min(left, MAX_RECORD_BYTES))
                left -= len(record)
                if id_of_record(record) != match_id:
                    sentence = f"what its index calls match {match_id} is not the record of that match"
                    raise RecordInvalid(RecordStatus.EDITED, sentence)
                yield match_id, record


def is_packed(file: BinaryIO) -> bool:
    """Return whether a file begins as packed records do; it is then at its beginning again."""
    first = file.read(len(MAGIC))
    file.seek(0)
    return first == MAGIC


def is_packed_file(name: str) -> bool:
    """Return whether this file can be read and has packed records."""
    try:
        with Path(name).open("rb") as file:
            return is_packed(file)
    except OSError:
        return False


def id_of_record(record: bytes) -> str | None:
    """Return the id of the match that the first line of a record names; None if it is not the record of a match."""
    first = split_line(BytesIO(record).readline(MAX_LINE_BYTES))
    header = parse_header(first.body) if first else None
    return header.match_id if isinstance(header, RecordHeader) else None


def open_record(name: str) -> BinaryIO:
    """Open the record that is a file, or one of packed records by `FILE#MATCH`.

    Raises RecordInvalid or PackageMissing.
    """
    path, match_id = split_name(name)
    try:
        file = path.open("rb")
    except OSError as error:
        raise RecordInvalid(RecordStatus.UNREADABLE, f"it cannot be read: {error.strerror}") from None
    if not match_id and not is_packed(file):
        return file
    with file:
        if not match_id:
            sentence = f"it has packed records; name one of them: {path}{SEPARATOR}MATCH"
            raise RecordInvalid(RecordStatus.NO_RECORD, sentence)
        record = PackedFile(file).find(match_id)
    if record is None:
        raise RecordInvalid(RecordStatus.NO_RECORD, f"it has no record of match {match_id}")
    return BytesIO(record)


def split_name(name: str) -> tuple[Path, str]:
    """Return the file that `FILE#MATCH` names, and the match; empty if it names a file only, which may contain `#`."""
    path, separator, match_id = name.rpartition(SEPARATOR)
    return (Path(path), match_id) if separator and path and not Path(name).exists() else (Path(name), "")


def read_records(paths: Iterable[Path]) -> Iterator[tuple[str, bytes | RecordInvalid]]:
    """Yield the records in files, in packed files, and in those of folders, with their names.

    In a folder these are the files `*.jsonl` and the packed files, whatever they contain.
    Yields RecordInvalid in place of what cannot be read. Raises PackageMissing.
    """
    for path in paths:
        for file in _files_in(path) if path.is_dir() else [path]:
            yield from _read_file(file)


def _files_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix == ENDING or is_packed_file(str(file)))


def _read_file(path: Path) -> Iterator[tuple[str, bytes | RecordInvalid]]:
    try:
        with path.open("rb") as file:
            if not is_packed(file):
                yield str(path), _limited(file)
                return
            packed = PackedFile(file)
            for match_id, record in packed.records():
                yield f"{path}{SEPARATOR}{match_id}", record
            if packed.torn_bytes:
                yield str(path), torn(packed)
    except OSError as error:
        yield str(path), RecordInvalid(RecordStatus.UNREADABLE, f"it cannot be read: {error.strerror}")
    except RecordInvalid as trouble:
        yield str(path), trouble


def _limited(file: BinaryIO) -> bytes | RecordInvalid:
    data = file.read(MAX_RECORD_BYTES + 1)
    if len(data) > MAX_RECORD_BYTES:
        return RecordInvalid(RecordStatus.NO_RECORD, f"it is larger than {MAX_RECORD_BYTES} bytes")
    return data


def torn(packed: PackedFile) -> RecordInvalid:
    """Return what is said of a file whose last group was not written completely."""
    sentence = f"its last {packed.torn_bytes} bytes are of records that were not written completely"
    return RecordInvalid(RecordStatus.TRUNCATED, sentence)


def verify_packed(path: Path, key: str | None, find_game: FindGame) -> Iterator[tuple[str, VerificationResult]]:
    """Verify the records of a packed file; yield their names and results, and one for the file if it is damaged.

    Raises PackageMissing.
    """
    for name, found in _read_file(path):
        if isinstance(found, RecordInvalid):
            yield name, found.verdict
        else:
            yield name, verify_file(BytesIO(found), key, find_game)
