"""Writes packed records: appends records to a file, group by group.

A group is written at once. If the process is killed, the records of all groups so far can be read, and the next writer
removes what was written of an incomplete group.
"""

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from referee.records.packed_format import (
    MAX_INDEX_BYTES,
    MAX_PACKED_RECORDS,
    MAX_RECORD_BYTES,
    StoredRecord,
    encode_group,
    store_record,
    zstandard,
)
from referee.records.packed_reader import PackedFile, id_of_record
from referee.records.record_format import MATCH_ID

GROUP_BYTES = 1 << 20
"""Bytes of records, with their hashes, after which a group is written."""
GROUP_RECORDS = MAX_INDEX_BYTES // 128
"""Records after which a group is written, so that its index fits into the limit."""


class EncodedGroup(Struct, frozen=True):
    """A group that is ready to be written, for example by another process."""

    match_ids: tuple[str, ...]
    content: bytes


def encode_groups(
    records: Iterable[StoredRecord], level: int, key: Ed25519PrivateKey | None = None
) -> Iterator[EncodedGroup]:
    """Yield groups with all these records; `key` signs each group, if they have no signatures of their own."""
    pending, size = list[StoredRecord](), 0
    for record in records:
        if pending and (size + record.full_bytes > GROUP_BYTES or len(pending) >= GROUP_RECORDS):
            yield _encoded(pending, level, key)
            pending, size = [], 0
        pending.append(record)
        size += record.full_bytes
    if pending:
        yield _encoded(pending, level, key)


def _encoded(records: Sequence[StoredRecord], level: int, key: Ed25519PrivateKey | None) -> EncodedGroup:
    return EncodedGroup(tuple(record.match_id for record in records), encode_group(records, level, key))


class NotPackable(ValueError):
    """A record that cannot be added. `str()` is one sentence."""


class PackedRecords:
    """A file of packed records, opened for appending by one writer at a time. Use it in a `with` block, or close it."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises OSError, PackageMissing, or RecordInvalid if it has no packed records."""
        zstandard()
        self._file: BinaryIO = path.open("a+b", buffering=0)
        try:
            packed = PackedFile(self._file)
            self._ids = {match_id for group in packed.groups() for match_id, _, _ in group.index.records}
            self.dropped_bytes = packed.torn_bytes
            """Bytes that were removed, of a group that an earlier writer did not write completely."""
            self._file.truncate(packed.end)
        except BaseException:
            self._file.close()
            raise
        self._pending: list[StoredRecord] = []
        self._pending_bytes = 0

    def __len__(self) -> int:
        """Return the number of records, including those that are not written yet."""
        return len(self._ids)

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._ids

    def append(self, record: bytes) -> None:
        """Add the record of a match, which is written with the rest of its group. Raises NotPackable or OSError.

        It is not verified: packed and unpacked it is what it was before.
        """
        match_id = id_of_record(record)
        if match_id is None:
            raise NotPackable("it is not the record of a match")
        if not MATCH_ID.fullmatch(match_id):
            raise NotPackable("the id of its match does not consist of up to 64 letters, digits and hyphens")
        if match_id in self._ids:
            raise NotPackable(f"match {match_id} is packed already")
        if len(record) > MAX_RECORD_BYTES or len(self._ids) >= MAX_PACKED_RECORDS:
            raise NotPackable(f"a file has at most {MAX_PACKED_RECORDS} records of at most {MAX_RECORD_BYTES} bytes")
        if self._pending_bytes + len(record) > MAX_RECORD_BYTES:
            self.flush()
        self._ids.add(match_id)
        self._pending.append(store_record(match_id, record))
        self._pending_bytes += len(record)
        if self._pending_bytes >= GROUP_BYTES or len(self._pending) >= GROUP_RECORDS:
            self.flush()

    def append_group(self, group: EncodedGroup) -> None:
        """Write a group at once. Raises NotPackable, which changes nothing, or OSError."""
        there = self._ids.intersection(group.match_ids)
        if there:
            raise NotPackable(f"match {min(there)} is packed already")
        if len(self._ids) + len(group.match_ids) > MAX_PACKED_RECORDS:
            raise NotPackable(f"a file has at most {MAX_PACKED_RECORDS} records")
        self.flush()
        self._write(group.content)
        self._ids.update(group.match_ids)

    def keep_only(self, match_ids: Container[str]) -> None:
        """Remove the records of all other matches. Raises RecordInvalid or OSError.

        The file is written again from the first group on that has one of them.
        """
        self.flush()
        packed, end = PackedFile(self._file), 0
        for group in packed.groups():
            if not all(match_id in match_ids for match_id, _, _ in group.index.records):
                break
            end = group.end
        else:
            return
        kept = [record for match_id, record in packed.records(end) if match_id in match_ids]
        self._file.truncate(end)
        self._ids = {match_id for group in PackedFile(self._file).groups() for match_id, _, _ in group.index.records}
        for record in kept:
            self.append(record)
        self.flush()

    def flush(self) -> None:
        """Write all records so far, so that they survive the death of the process. Raises OSError."""
        if self._pending:
            group = encode_group(self._pending)
            self._pending, self._pending_bytes = [], 0
            self._write(group)

    def _write(self, group: bytes) -> None:
        at = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(group)
            if written != len(group):
                raise OSError(f"only {written} of {len(group)} bytes could be written")
        except OSError:
            self._file.truncate(at)
            raise

    def close(self) -> None:
        """Write all records, and return once they are on disk. Raises OSError."""
        try:
            self.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()

    def __enter__(self) -> "PackedRecords":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
