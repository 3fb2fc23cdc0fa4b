"""Groups of packed records: many records of matches in one file, compressed by zstd.

    file  = group, group, …
    group = skippable frame of zstd, with the index of the group; then a frame with its records, one after another

The index of each group precedes it, so a file is complete after each group: appending changes nothing that is there,
and a file whose last group was not written completely is readable without it. A reader finds a match by the indexes
alone.

Hashes cannot be compressed, and would be most of a compressed record. So they are left out (`shorten_record`) and
computed again (`restore_record`); the signature shows whether the record is still the one that was signed. Numbers are
stored apart from the text, as differences from those of the last similar line, since most lines differ in nothing else.
A record that would not be restored byte for byte is stored whole.
"""

import re
from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from operator import sub
from types import ModuleType

import msgspec

from referee.records.record_format import MATCH_ID, MAX_LINE_BYTES, RecordLine, hash_of, split_line
from referee.records.record_reader import RecordInvalid, RecordStatus

MAX_RECORD_BYTES = 1 << 25
"""Limit of the bytes of a packed record."""
MAX_GROUP_BYTES = MAX_RECORD_BYTES + (1 << 20)
"""Limit of the bytes of a group, compressed or not."""
MAX_INDEX_BYTES = 1 << 20
"""Limit of the bytes of the index of a group."""
MAX_EXPANSION = 200
"""Limit of the bytes of a group and of its records, for each compressed byte: real ones have up to 40."""
ALWAYS_EXPANDED = 1 << 16
"""Bytes that a group and its records may have however small it is."""
MAX_PACKED_RECORDS = 2_000_000
"""Limit of the records in a file."""
HEAD_BYTES = 8
"""Bytes of a skippable frame before its content."""
MAGIC = (0x184D2A52).to_bytes(4, "little")
"""First bytes of the index of a group. zstd leaves the choice among sixteen values to applications."""

_PACKED_VERSION = 1
LEVEL = 10
_WINDOW_BYTES = 1 << 27
"""Limit of the window of a frame, which zstd allocates beside the group."""
_SIGNATURE = re.compile(rb',"signature":"([0-9a-f]{128})"')
_NUMBER = re.compile(rb'(?<=[":,.\[])(0|[1-9][0-9]{0,17})(?=[",.}\]]|$)')
_MAX_NUMBER = 10**18
_MAX_NUMBERS = 1 << 16
"""Limit of the numbers in a line."""
_PLACE = b"\1"
"""Stands for a number in the text. JSON contains no control characters."""
_NUMBERS = b"\2"
"""Stands between the text of a record and its numbers."""
_SIGNATURE_BYTES = len(b',"signature":""') + 128


class PackageMissing(Exception):
    """An optional package is not installed. `str()` names the command that installs it."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(f"{purpose} require the package {package}: pip install 'referee[{extra}]'")


class GroupIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the skippable frame before a group says about it, as JSON."""

    packed: int
    """Version of the format."""
    compressed_bytes: int
    """Bytes of the frame that follows."""
    records: tuple[tuple[str, int, bool], ...]
    """Of each record: the id of the match, the bytes in the group, and whether it is stored whole, with its hashes."""

    @property
    def group_bytes(self) -> int:
        """Bytes of the group after decompression."""
        return sum(size for _, size, _ in self.records)

    @property
    def max_bytes(self) -> int:
        """Limit of `group_bytes` and of the bytes of all records: reading takes time in proportion to them."""
        return max_expanded(self.compressed_bytes)


def max_expanded(compressed_bytes: int) -> int:
    """Return how many bytes a group of so many compressed bytes may have, and all its records together."""
    return min(MAX_GROUP_BYTES, max(ALWAYS_EXPANDED, MAX_EXPANSION * compressed_bytes))


def zstandard() -> ModuleType:
    """Import the library. Raises PackageMissing."""
    try:
        return import_module("zstandard")
    except ImportError as why:
        raise PackageMissing("packed records", why.name or "zstandard", "packed") from None


def shorten_record(record: bytes) -> bytes | None:
    """Return the record without its hashes, and with its numbers apart; None if it could not be restored from that."""
    texts, before = list[bytes](), ""
    for line in BytesIO(record):
        part = split_line(line)
        if part is None:
            return None
        texts.append(part.body.removesuffix(_after(before)) + _signature(part.signature))
        before = part.hash
    short = stored_form(*zip(*map(split_numbers, texts), strict=True)) if texts else None
    try:
        return short if short and restore_record(short) == record else None
    except RecordInvalid:
        return None


def split_numbers(text: bytes) -> tuple[bytes, Sequence[int]]:
    """Return a line with a place for each number, and the numbers."""
    parts = _NUMBER.split(text)
    return _PLACE.join(parts[::2]), tuple(map(int, parts[1::2]))


def stored_form(texts: Sequence[bytes], numbers: Sequence[Sequence[int]]) -> bytes | None:
    """Return what is stored of lines, given with their numbers; None if one has too many of these."""
    last: dict[int, Sequence[int]] = {}
    rows = list[Sequence[int]]()
    for found in numbers:
        count = len(found)
        if count > _MAX_NUMBERS:
            return None
        rows.append(tuple(map(sub, found, last[count])) if count in last else found)
        last[count] = found
    # As JSON, `[[1,2],[],[3]]`: that is the fastest way to write them.
    return b"\n".join(texts) + _NUMBERS + msgspec.json.encode(rows)[2:-2].replace(b"],[", b"\n")


def restore_record(short: bytes, max_bytes: int = MAX_RECORD_BYTES) -> bytes:
    """Return the record. Raises RecordInvalid if there is none, or it is larger than `max_bytes`."""
    text, _, numbers = short.partition(_NUMBERS)
    record, before, size = list[bytes](), "", 0
    last: dict[int, list[int]] = {}
    try:
        for line, differences in zip(text.split(b"\n"), numbers.split(b"\n"), strict=True):
            body = _restore_numbers(line, differences, last)
            signed = _SIGNATURE.fullmatch(body[-_SIGNATURE_BYTES:])
            body = (body[:-_SIGNATURE_BYTES] if signed else body) + _after(before)
            before = hash_of(body)
            record.append(RecordLine(body, before, signed[1].decode() if signed else "").line(MAX_LINE_BYTES))
            size += len(record[-1])
            if size > max_bytes:  # Two bytes of a stranger's file become a line with two hashes.
                raise ValueError("too large")
    except (ValueError, TypeError):
        raise RecordInvalid(RecordStatus.EDITED, "a packed record cannot be restored") from None
    return b"".join(record)


def _restore_numbers(line: bytes, differences: bytes, last: dict[int, list[int]]) -> bytes:
    """Return a line with its numbers, given their differences from those of the last line with as many."""
    if differences.count(b",") >= _MAX_NUMBERS:
        raise ValueError("too many numbers")
    found = [int(number) for number in differences.split(b",")] if differences else []
    found = list(map(int.__add__, found, last[len(found)])) if len(found) in last else found
    if found and not 0 <= min(found) <= max(found) < _MAX_NUMBER:
        raise ValueError("too large a number")
    last[len(found)] = found
    return line.replace(b"%", b"%%").replace(_PLACE, b"%d") % tuple(found)


def _signature(signature: str) -> bytes:
    return f',"signature":"{signature}"'.encode() if signature else b""


def _after(hash_: str) -> bytes:
    return f',"after":"{hash_}"'.encode() if hash_ else b""


class StoredRecord(msgspec.Struct, frozen=True):
    """A record as it is in a group."""

    match_id: str
    content: bytes
    whole: bool
    """Whether it is stored whole, with its hashes."""
    full_bytes: int
    """Bytes of the record itself."""


def store_record(match_id: str, record: bytes) -> StoredRecord:
    short = shorten_record(record)
    whole = short is None or len(short) > len(record)
    return StoredRecord(match_id, record if short is None or whole else short, whole, len(record))


def encode_group(records: Sequence[StoredRecord], level: int = LEVEL) -> bytes:
    frame = _compress(records, level)
    if max(sum(row.full_bytes for row in records), sum(len(row.content) for row in records)) > max_expanded(len(frame)):
        # Their lines hardly differ. With their hashes, which cannot be compressed, the group is within the limit.
        records = [_with_hashes(record) for record in records]
        frame = _compress(records, level)
    rows = tuple((record.match_id, len(record.content), record.whole) for record in records)
    index = msgspec.json.encode(GroupIndex(_PACKED_VERSION, len(frame), rows))
    return MAGIC + len(index).to_bytes(4, "little") + index + frame


def _compress(records: Sequence[StoredRecord], level: int) -> bytes:
    content = b"".join(record.content for record in records)
    return bytes(zstandard().ZstdCompressor(level=level, write_checksum=True).compress(content))


def _with_hashes(record: StoredRecord) -> StoredRecord:
    content = record.content if record.whole else restore_record(record.content)
    return StoredRecord(record.match_id, content, True, record.full_bytes)


def decode_index(content: bytes) -> GroupIndex:
    """Return the index of a group. Raises RecordInvalid, also if it states more than the limits permit."""
    try:
        index = msgspec.json.decode(content, type=GroupIndex)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RecordInvalid(RecordStatus.EDITED, "the index of a group cannot be read") from None
    if index.packed != _PACKED_VERSION:
        sentence = f"it is packed in version {index.packed}; known here: {_PACKED_VERSION}"
        raise RecordInvalid(RecordStatus.UNKNOWN_VERSION, sentence)
    sizes = [size for _, size, _ in index.records]
    within = 0 < index.compressed_bytes <= MAX_GROUP_BYTES and index.group_bytes <= MAX_GROUP_BYTES
    if not sizes or min(sizes) < 1 or max(sizes) > MAX_RECORD_BYTES or not within:
        raise RecordInvalid(RecordStatus.EDITED, "the index of a group states sizes that are not permitted")
    if not all(MATCH_ID.fullmatch(match_id) for match_id, _, _ in index.records):
        raise RecordInvalid(RecordStatus.EDITED, "the index of a group has an id that no packed match can have")
    return index


def decompress_group(index: GroupIndex, frame: bytes) -> bytes:
    """Return a group in its stored form. Raises RecordInvalid if the frame is not what the index states."""
    library = zstandard()
    if index.group_bytes > index.max_bytes:
        sentence = f"a group of {index.compressed_bytes} compressed bytes has more than {index.max_bytes} bytes"
        raise RecordInvalid(RecordStatus.EDITED, sentence)
    try:
        stated = library.get_frame_parameters(frame)
        # Checked first, since zstd allocates what the frame states.
        if stated.content_size != index.group_bytes or stated.window_size > _WINDOW_BYTES:
            raise RecordInvalid(RecordStatus.EDITED, "the size of a group is not what its index states")
        return bytes(library.ZstdDecompressor().decompress(frame, allow_extra_data=False))
    except library.ZstdError:
        raise RecordInvalid(RecordStatus.EDITED, "a group cannot be decompressed") from None
