"""The signature of a group: each record has a path to its root, and no other has."""

from hashlib import sha256
from io import BytesIO

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.records import packed_format
from referee.records.group_signature import hash_tree, leaf_of, path_of, root_of, signed_root
from referee.records.packed_format import StoredRecord, encode_group, shorten_record
from referee.records.packed_reader import PackedFile
from tests.records.forgery import KEY, format_error, lines_of, record_of, rehashed, sealed_record
from tests.records.matches import short_match

RECORD = record_of(short_match())


@pytest.mark.parametrize("size", range(1, 10))
def test_each_leaf_and_no_other_has_a_path_to_the_root(size: int) -> None:
    leaves = [leaf_of(b"%d" % place) for place in range(size)]
    tree = hash_tree(leaves)
    (root,) = tree[-1]
    for place, leaf in enumerate(leaves):
        path = path_of(tree, place)
        assert root_of(leaf, path) == root
        assert root_of(leaf_of(b"another"), path) != root
        assert not path or root_of(leaf, path[65:]) != root


def test_a_hash_of_the_tree_is_that_of_the_two_below_it_and_no_leaf() -> None:
    left, right = leaf_of(b"a"), leaf_of(b"b")
    assert left == sha256(b"\0a").digest()
    assert hash_tree([left, right])[-1] == [sha256(b"\1" + left + right).digest()]
    assert signed_root(left) == b"referee records 1 " + left.hex().encode()


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_a_record_of_a_group_is_valid_outside_of_it_and_no_edited_one_is(size: int) -> None:
    sealed = sealed_record(RECORD, size)
    assert lines_of(sealed)[:-1] == lines_of(RECORD)[:-1]
    assert format_error(sealed) is None
    assert format_error(rehashed(lines_of(sealed.replace(b'"ada"', b'"eva"'))))
    assert format_error(rehashed(lines_of(sealed.replace(b'"path":"', b'"path":"0' + b"0" * 64))))


@pytest.mark.parametrize("key", [None, KEY], ids=["alone", "in a group"])
def test_records_that_are_too_small_together_keep_their_hashes_and_signatures(
    key: Ed25519PrivateKey | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_format, "ALWAYS_EXPANDED", 1)
    monkeypatch.setattr(packed_format, "MAX_EXPANSION", 4)
    short = shorten_record(RECORD) or b""
    stored = StoredRecord("nim-1", short.rpartition(b"\n")[0] if key else short, False, len(RECORD))
    group = PackedFile(BytesIO(encode_group([stored], key=key)))
    ((_, found),) = group.records()
    assert format_error(found) is None
    ((_, _, whole),) = next(group.groups()).index.records
    assert whole
