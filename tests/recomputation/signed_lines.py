"""Reads a signed record (docs/records.md), and derives random numbers from a seed (docs/chance.md)."""

import hashlib
import hmac
import json
import re
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LINE = re.compile(rb'(.*),"hash":"([0-9a-f]{64})"(?:,"signature":"([0-9a-f]{128})")?}\n')


class Differs(Exception):
    """An entry that does not follow from those before it."""

    def __init__(self, number: int, recorded: object, computed: object) -> None:
        super().__init__(f"entry {number}: recorded {recorded}, computed {computed}")
        self.number = number


def read_events(data: bytes) -> list[dict[str, Any]]:
    """Return the events of a record whose form, hash chain and signature are valid, in order."""
    before, lines = None, []
    for line in data.splitlines(keepends=True):
        found = LINE.fullmatch(line)
        assert found, "a line has another form"
        assert hashlib.sha256(found[1]).hexdigest() == found[2].decode(), "a line was edited"
        lines.append(json.loads(line))
        assert before is None or lines[-1]["after"] == before, "lines are missing"
        before = lines[-1]["hash"]
    first, *entries, last = lines
    assert first["record"] == 1
    assert [entry["entry"] for entry in entries] == list(range(1, last["entries"] + 1))
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(last["key"]))
    key.verify(bytes.fromhex(last["signature"]), f"referee record 1 {before}".encode())
    return [entry["event"] for entry in entries]


class Draws:
    """Random numbers from a fork of a seed."""

    def __init__(self, seed: bytes, purpose: str) -> None:
        self._seed = hmac.new(seed, purpose.encode(), hashlib.sha256).digest()
        self._drawn = 0

    def below(self, limit: int) -> int:
        while True:
            block = hashlib.sha256(self._seed + self._drawn.to_bytes(4, "big")).digest()
            self._drawn += 1
            number = int.from_bytes(block[:4], "big")
            if number < 2**32 - 2**32 % limit:
                return number % limit

    def one_of(self, items: list[Any]) -> Any:
        return items[self.below(len(items))]

    def shuffled(self, items: list[Any]) -> list[Any]:
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items
