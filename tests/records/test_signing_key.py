"""The signing key of the referee: created once, kept private, identified by its public half."""

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from referee.records import signing_key as keys
from referee.records.signing_key import (
    KeyUnusable,
    fingerprint,
    is_signature_valid,
    load_or_create,
    public_hex,
    read_public_key,
)
from tests.records.forgery import KEY, OTHER_KEY

OTHER_KIND = generate_private_key(SECP256R1())
PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def test_a_key_is_created_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "referee.pem"
    made = load_or_create(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----")
    assert public_hex(load_or_create(path)) == public_hex(made)
    assert list(tmp_path.iterdir()) == [path]


def test_a_key_that_another_process_creates_meanwhile_is_used(tmp_path: Path) -> None:
    path = tmp_path / "referee.pem"
    made = load_or_create(path)
    keys._create(path)
    assert public_hex(load_or_create(path)) == public_hex(made)
    assert list(tmp_path.iterdir()) == [path]


def test_a_public_key_can_be_given_as_digits_as_pem_or_as_a_file(tmp_path: Path) -> None:
    digits, pem = tmp_path / "digits", tmp_path / "public.pem"
    digits.write_text(f"{public_hex(KEY).upper()}\n")
    pem.write_bytes(PEM)
    named = (public_hex(KEY), public_hex(KEY).upper(), str(digits), str(pem))
    assert {read_public_key(name) for name in named} == {public_hex(KEY)}
    assert public_hex(KEY.public_key()) == public_hex(KEY)


def test_a_fingerprint_is_the_first_half_of_a_hash_in_eight_groups() -> None:
    assert fingerprint(public_hex(KEY)) == "5647-5aa7-5463-474c-0285-df5d-bf2b-cab7"
    assert fingerprint(public_hex(OTHER_KEY)) != fingerprint(public_hex(KEY))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "holds no private key in PEM without a password"),
        (PEM, "holds no private key in PEM without a password"),
        (
            KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")),
            "holds no private key in PEM without a password",
        ),
        (
            OTHER_KIND.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            "holds a private key, but none of Ed25519",
        ),
    ],
    ids=["empty", "public", "encrypted", "other kind"],
)
def test_a_file_without_a_usable_private_key_is_an_error_and_is_not_changed(
    data: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "referee.pem"
    path.write_bytes(data)
    with pytest.raises(KeyUnusable, match=words):
        load_or_create(path)
    assert path.read_bytes() == data


def test_the_error_names_the_folder_where_no_key_can_be_created(tmp_path: Path) -> None:
    with pytest.raises(KeyUnusable, match=r"cannot use the key .*nowhere/referee.pem: No such file or directory"):
        load_or_create(tmp_path / "nowhere" / "referee.pem")
    with pytest.raises(KeyUnusable, match="Is a directory"):
        load_or_create(tmp_path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"junk \xff", "holds no public key: neither 64 hexadecimal digits nor PEM"),
        (KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), "holds no public key"),
        (
            OTHER_KIND.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            "holds a public key, but none of Ed25519",
        ),
    ],
    ids=["junk", "private", "other kind"],
)
def test_a_file_without_a_public_key_is_an_error(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(data)
    with pytest.raises(KeyUnusable, match=words):
        read_public_key(str(path))


def test_a_text_that_is_neither_a_key_nor_a_file_is_an_error() -> None:
    with pytest.raises(KeyUnusable, match="abc is neither 64 hexadecimal digits nor a file: No such file"):
        read_public_key("abc")


def test_a_signature_is_valid_only_for_its_key_and_message() -> None:
    signature = KEY.sign(b"message").hex()
    assert is_signature_valid(public_hex(KEY), signature, b"message")
    assert not is_signature_valid(public_hex(KEY), signature, b"massage")
    assert not is_signature_valid(public_hex(OTHER_KEY), signature, b"message")
    assert not is_signature_valid("ff" * 32, signature, b"message")
