"""One signature for a group of records: that of the root of a tree of hashes, whose leaves are their short forms.

A record that leaves its group takes along its path: the hashes beside the way from its leaf to the root.
"""

import hashlib
from collections.abc import Sequence

from referee.records.record_format import VERSION

HASH_CHARS = 64


def leaf_of(short: bytes) -> bytes:
    return hashlib.sha256(b"\0" + short).digest()


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def hash_tree(leaves: Sequence[bytes]) -> Sequence[Sequence[bytes]]:
    """Return the levels of the tree, from the leaves to the root. A last hash without a partner moves up as it is."""
    levels = [leaves]
    while len(row := levels[-1]) > 1:
        pairs = [_parent(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        levels.append([*pairs, row[-1]] if len(row) % 2 else pairs)
    return levels


def path_of(tree: Sequence[Sequence[bytes]], place: int) -> str:
    """Return the path of the leaf at that place: of each level its side, `0` or `1`, and the hash beside it, if any."""
    path = ""
    for row in tree[:-1]:
        if place ^ 1 < len(row):
            path += f"{place % 2}{row[place ^ 1].hex()}"
        place //= 2
    return path


def root_of(leaf: bytes, path: str) -> bytes:
    """Return the root to which the path leads."""
    for at in range(0, len(path), 1 + HASH_CHARS):
        side, beside = path[at], bytes.fromhex(path[at + 1 : at + 1 + HASH_CHARS])
        leaf = _parent(beside, leaf) if side == "1" else _parent(leaf, beside)
    return leaf


def signed_root(root: bytes) -> bytes:
    """Return the message that the signature of a group signs."""
    return f"referee records {VERSION} {root.hex()}".encode("ascii")
