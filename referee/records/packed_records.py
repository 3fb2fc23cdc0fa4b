"""Writes packed records: appends records to a file, group by group.

A group is written at once. If the process is killed, the records of all groups so far can be read, and the next writer
removes what was written of an incomplete group.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from referee.records.packed_format import (
    MAX_INDEX_BYTES,
    MAX_PACKED_RECORDS,
    MAX_RECORD_BYTES,
    encode_group,
    zstandard,
)
from referee.records.packed_reader import PackedFile, id_of_record
from referee.records.record_format import MATCH_ID

GROUP_BYTES = 1 << 20
"""Bytes of records, with their hashes, after which a group is written."""
GROUP_RECORDS = MAX_INDEX_BYTES // 128
"""Records after which a group is written, so that its index fits into the limit."""


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
        self._pending: list[tuple[str, bytes]] = []
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
        self._pending.append((match_id, record))
        self._pending_bytes += len(record)
        if self._pending_bytes >= GROUP_BYTES or len(self._pending) >= GROUP_RECORDS:
            self.flush()

    def flush(self) -> None:
        """Write all records so far, so that they survive the death of the process. Raises OSError."""
        if not self._pending:
            return
        group, at = encode_group(self._pending), self._file.seek(0, os.SEEK_END)
        self._pending, self._pending_bytes = [], 0
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
