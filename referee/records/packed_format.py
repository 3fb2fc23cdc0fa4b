"""Groups of packed records: many records of matches in one file, compressed by zstd.

    file  = group, group, …
    group = skippable frame of zstd, with the index of the group; then a frame with its records, one after another

The index of each group precedes it, so a file is complete after each group: appending changes nothing that is there,
and a file whose last group was not written completely is readable without it. A reader finds a match by the indexes
alone.

Hashes cannot be compressed, and would be most of a compressed record. So they are left out, with all else that follows
from the rest (`short_record`), and computed again; the signature shows whether the record is still the one that was
signed. A record that would not be restored byte for byte is stored whole.
"""

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import BytesIO
from types import ModuleType

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.records.group_signature import hash_tree, leaf_of, path_of, signed_root
from referee.records.record_format import MATCH_ID, MAX_LINE_BYTES, RecordLine, SignatureLine, hash_of, split_line
from referee.records.record_reader import RecordInvalid, RecordStatus
from referee.records.short_record import RAW, full_lines, shorten
from referee.records.signing_key import public_hex

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
_SIGNATURE_BYTES = len(b',"signature":""') + 128


class PackageMissing(Exception):
    """An optional package is not installed. `str()` names the command that installs it."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(f"{purpose} require the package {package}: pip install 'referee[{extra}]'")


class GroupSeal(msgspec.Struct, frozen=True):
    """The signature of a group; empty if each record has its own."""

    key: str = ""
    signature: str = ""

    def sealed(self, parts: Sequence[bytes]) -> Iterable[bytes]:
        """Return the short forms of all records of a group with their last lines."""
        if not self.signature:
            return parts
        tree = hash_tree([leaf_of(part) for part in parts])
        return (part + self._last_line(part, path_of(tree, place)) for place, part in enumerate(parts))

    def _last_line(self, part: bytes, path: str) -> bytes:
        seal = SignatureLine(part.count(b"\n"), self.key, "", path=path).body()
        return b"\n" + RAW + seal.removesuffix(b',"after":""') + _signature(self.signature)


class GroupIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the skippable frame before a group says about it, as JSON."""

    packed: int
    """Version of the format."""
    compressed_bytes: int
    """Bytes of the frame that follows."""
    records: tuple[tuple[str, int, bool], ...]
    """Of each record: the id of the match, the bytes in the group, and whether it is stored whole, with its hashes."""
    seal: GroupSeal = GroupSeal()

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
    """Return the short form of a record, with its last line; None if it could not be restored from that."""
    parts = list(map(split_line, BytesIO(record)))
    if None in parts or not parts:
        return None
    short = shorten(part.body + _signature(part.signature) for part in parts if part)
    try:
        return short if restore_record(short) == record else None
    except RecordInvalid:
        return None


def restore_record(short: bytes, max_bytes: int = MAX_RECORD_BYTES) -> bytes:
    """Return the record. Raises RecordInvalid if there is none, or it is larger than `max_bytes`."""
    record, before, size = list[bytes](), "", 0
    try:
        for line in full_lines(short):
            signed = _SIGNATURE.fullmatch(line[-_SIGNATURE_BYTES:])
            body = (line[:-_SIGNATURE_BYTES] if signed else line) + _after(before)
            before = hash_of(body)
            record.append(RecordLine(body, before, signed[1].decode() if signed else "").line(MAX_LINE_BYTES))
            size += len(record[-1])
            if size > max_bytes:  # Two bytes of a stranger's file become a line with two hashes.
                raise ValueError("too large")
    except ValueError:
        raise RecordInvalid(RecordStatus.EDITED, "a packed record cannot be restored") from None
    return b"".join(record)


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
    """Bytes of the record itself, at most."""


def store_record(match_id: str, record: bytes) -> StoredRecord:
    short = shorten_record(record)
    whole = short is None or len(short) > len(record)
    return StoredRecord(match_id, record if short is None or whole else short, whole, len(record))


def encode_group(records: Sequence[StoredRecord], level: int = LEVEL, key: Ed25519PrivateKey | None = None) -> bytes:
    """Return the bytes of a group. With a key, the records are without their last lines, and it signs all of them."""
    seal = GroupSeal()
    if key:
        tree = hash_tree([leaf_of(record.content) for record in records])
        seal = GroupSeal(public_hex(key), key.sign(signed_root(tree[-1][0])).hex())
    frame = _compress(records, level)
    if max(sum(row.full_bytes for row in records), sum(len(row.content) for row in records)) > max_expanded(len(frame)):
        contents = seal.sealed([record.content for record in records])
        full = [_with_hashes(record, content) for record, content in zip(records, contents, strict=True)]
        if sum(len(row.content) for row in full) > max_expanded(len(frame)):
            # Their lines hardly differ. With their hashes, which cannot be compressed, the group is within the limit.
            records, seal, frame = full, GroupSeal(), _compress(full, level)
    rows = tuple((record.match_id, len(record.content), record.whole) for record in records)
    index = msgspec.json.encode(GroupIndex(_PACKED_VERSION, len(frame), rows, seal))
    return MAGIC + len(index).to_bytes(4, "little") + index + frame


def _compress(records: Sequence[StoredRecord], level: int) -> bytes:
    content = b"".join(record.content for record in records)
    return bytes(zstandard().ZstdCompressor(level=level, write_checksum=True).compress(content))


def _with_hashes(record: StoredRecord, content: bytes) -> StoredRecord:
    content = content if record.whole else restore_record(content)
    return StoredRecord(record.match_id, content, True, len(content))


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
