"""Making records, true ones and others, as somebody would who knows the format well."""

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.core.events import Event
from referee.storage.record.keys import public_hex
from referee.storage.record.lines import hash_of, signed_bytes
from referee.storage.record.reading import Record, read
from referee.storage.record.verdict import Status, Trouble, Verdict
from referee.storage.record.verifying import verify
from referee.storage.record.writing import written
from tests.storage.record.matches import entries_of, find_game

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))


def record_of(events: Sequence[Event], key: Ed25519PrivateKey = KEY) -> bytes:
    return b"".join(written(entries_of(events), key, "0.1.0"))


def lines_of(record: bytes) -> list[bytes]:
    return record.splitlines(keepends=True)


def rehashed(lines: Iterable[bytes]) -> bytes:
    """The lines with all their hashes as they should be, and the signature as it was."""
    before = ""
    made = []
    for line in lines:
        body, rest = re.split(rb',"hash":"[0-9a-f]{64}"(?=[,}])', line)
        body = re.sub(rb'(?<=,"after":")[0-9a-f]{64}(?="$)', before.encode(), body)
        before = hash_of(body)
        made.append(body + f',"hash":"{before}"'.encode() + rest)
    return b"".join(made)


def resigned(lines: Iterable[bytes], key: Ed25519PrivateKey = KEY) -> bytes:
    """The lines with all their hashes as they should be, signed by `key`."""
    named = public_hex(key).encode()
    *others, seal = lines
    record = rehashed([*others, re.sub(rb'(?<="key":")[0-9a-f]{64}', named, seal)])
    hash_ = re.findall(rb'"hash":"([0-9a-f]{64})"', record)[-1].decode()
    signature = key.sign(signed_bytes(hash_)).hex().encode()
    return re.sub(rb'(?<="signature":")[0-9a-f]{128}', signature, record)


def trouble_in(data: bytes) -> Verdict | None:
    """What is wrong with the form, the chain or the signature."""
    try:
        whole(data)
    except Trouble as trouble:
        return trouble.verdict
    return None


def whole(data: bytes) -> Record:
    return read(io.BytesIO(data))


def verdict_on(data: bytes, folder: Path, expected_key: str | None = None) -> Verdict:
    """What `verify` says of a file with these bytes."""
    path = folder / "record.jsonl"
    path.write_bytes(data)
    return verify(path, expected_key, find_game)


def lie_told(events: Sequence[Event], folder: Path) -> str:
    """What `verify` says of a record of these events that the referee itself has signed: the first lie in it."""
    verdict = verdict_on(record_of(events), folder)
    assert verdict.status is Status.RULES_DIFFER, verdict
    return verdict.sentence
