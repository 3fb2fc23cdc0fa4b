"""Helpers that create valid records, and forgeries by an expert on the format."""

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.match.events import Event
from referee.records.packed_format import StoredRecord, encode_group
from referee.records.packed_reader import PackedFile, id_of_record
from referee.records.record_format import format_record, hash_of, signed_bytes, split_line
from referee.records.record_reader import MatchRecord, RecordInvalid, RecordStatus, VerificationResult, read_record
from referee.records.short_record import shorten
from referee.records.signing_key import public_hex
from referee.records.verify import verify
from tests.records.matches import entries_of, find_game

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))


def record_of(events: Sequence[Event], key: Ed25519PrivateKey = KEY) -> bytes:
    return b"".join(format_record(entries_of(events), key, "0.1.0"))


def lines_of(record: bytes) -> list[bytes]:
    return record.splitlines(keepends=True)


def rehashed(lines: Iterable[bytes]) -> bytes:
    """Return the lines with all hashes recomputed and the signature unchanged."""
    before = ""
    made = []
    for line in lines:
        body, rest = re.split(rb',"hash":"[0-9a-f]{64}"(?=[,}])', line)
        body = re.sub(rb'(?<=,"after":")[0-9a-f]{64}(?="$)', before.encode(), body)
        before = hash_of(body)
        made.append(body + f',"hash":"{before}"'.encode() + rest)
    return b"".join(made)


def resigned(lines: Iterable[bytes], key: Ed25519PrivateKey = KEY) -> bytes:
    """Return the lines with all hashes recomputed, signed by `key`."""
    named = public_hex(key).encode()
    *others, seal = lines
    record = rehashed([*others, re.sub(rb'(?<="key":")[0-9a-f]{64}', named, seal)])
    hash_ = re.findall(rb'"hash":"([0-9a-f]{64})"', record)[-1].decode()
    signature = key.sign(signed_bytes(hash_)).hex().encode()
    return re.sub(rb'(?<="signature":")[0-9a-f]{128}', signature, record)


def sealed_record(record: bytes, size: int) -> bytes:
    """Return the record of a match as the last in a group of this size, which is signed as a whole."""
    short = shorten(part.body for part in map(split_line, lines_of(record)[:-1]) if part)
    header, _, entries = short.partition(b"\n")
    group = [re.sub(rb'"match":"[^"]*', b'"match":"other-%d' % number, header) for number in range(1, size)]
    stored = [
        StoredRecord(f"other-{number}", b"%b\n%b" % (head, entries), False, 0) for number, head in enumerate(group, 1)
    ]
    match_id = id_of_record(record) or ""
    content = encode_group([*stored, StoredRecord(match_id, short, False, 0)], key=KEY)
    return PackedFile(io.BytesIO(content)).find(match_id) or b""


def format_error(data: bytes) -> VerificationResult | None:
    """Return what is wrong with the format, the hash chain or the signature; None if nothing is."""
    try:
        whole(data)
    except RecordInvalid as error:
        return error.verdict
    return None


def whole(data: bytes) -> MatchRecord:
    return read_record(io.BytesIO(data))


def verdict_on(data: bytes, folder: Path, expected_key: str | None = None) -> VerificationResult:
    """Return the result of `verify` for a file with these bytes."""
    path = folder / "record.jsonl"
    path.write_bytes(data)
    return verify(path, expected_key, find_game)


def first_mismatch(events: Sequence[Event], folder: Path) -> str:
    """Return the first difference that `verify` finds in a record of these events, signed by the referee itself."""
    verdict = verdict_on(record_of(events), folder)
    assert verdict.status is RecordStatus.RULES_DIFFER, verdict
    return verdict.sentence
