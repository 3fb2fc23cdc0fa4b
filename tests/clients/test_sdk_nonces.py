"""The nonces of bots of the Python SDK, and what it reports if the referee did not use them; without a connection."""

import hashlib
import logging

import pytest
from referee_api.v1 import play_pb2, seed_pb2
from referee_client.nonces import MAX_NONCE_BYTES, NONCE_BYTES, Nonces

SEED = bytes(range(32))
COMMITMENT = hashlib.sha256(SEED).digest()
OTHER = hashlib.sha256(b"other").digest()


def request(seat: int = 0, commitment: bytes = COMMITMENT) -> play_pb2.NonceRequest:
    return play_pb2.NonceRequest(match_id="m", seat=seat, commitment=commitment)


def published(*nonces: bytes, commitment: bytes = COMMITMENT, seed: bytes = SEED) -> seed_pb2.SeedCommitment:
    listed = [seed_pb2.SeatNonce(seat=seat, nonce=nonce) for seat, nonce in enumerate(nonces)]
    return seed_pb2.SeedCommitment(commitment=commitment, nonces=listed, seed=seed)


def test_each_request_gets_a_random_nonce_and_a_repeated_one_the_same_again() -> None:
    nonces = Nonces()
    first, again, other = (nonces.on_request(request(seat)).nonce for seat in (1, 1, 0))
    assert (first.match_id, first.seat, len(first.nonce)) == ("m", 1, NONCE_BYTES)
    assert again == first
    assert other.nonce != first.nonce


@pytest.mark.parametrize(
    ("end", "reported"),
    [
        (published(b"mine", b""), []),
        (published(b"mine", b"", seed=b""), []),
        (seed_pb2.SeedCommitment(), []),
        (published(b"mine", b"", seed=b"x"), ["match m: the seed of the referee does not match its commitment"]),
        (
            published(b"mine", commitment=hashlib.sha256(b"x").digest(), seed=b"x"),
            [
                "match m: the referee has replaced its commitment to the seed",
                "match m: the seed of the referee does not match its commitment",
            ],
        ),
        (
            published(b"", b"theirs"),
            ["match m: the seed was made without the nonce of seat 0: it was late, or the referee ignored it"],
        ),
        (
            published(),
            ["match m: the seed was made without the nonce of seat 0: it was late, or the referee ignored it"],
        ),
        (
            published(b"theirs", b"mine"),
            ["match m: the seed was made with another nonce of seat 0 than the one that was sent"],
        ),
    ],
)
def test_a_seed_that_does_not_fit_is_reported_once_at_the_end(
    caplog: pytest.LogCaptureFixture, end: seed_pb2.SeedCommitment, reported: list[str]
) -> None:
    nonces = Nonces(lambda _match_id, _seat: b"mine")
    nonces.on_request(request())
    nonces.on_match_started("m", published(commitment=COMMITMENT, seed=b""))
    nonces.on_match_ended("m", end)
    nonces.on_match_ended("m", end)
    assert caplog.messages == reported


def test_the_seed_of_a_match_without_nonces_is_checked_too(caplog: pytest.LogCaptureFixture) -> None:
    nonces = Nonces()
    nonces.on_match_started("m", published(seed=b""))
    nonces.on_match_ended("m", published(seed=b"x"))
    assert caplog.messages == ["match m: the seed of the referee does not match its commitment"]


def test_a_commitment_that_changes_before_the_start_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    nonces = Nonces()
    nonces.on_request(request())
    nonces.on_match_started("m", published(commitment=OTHER, seed=b""))
    assert caplog.messages == ["match m: the referee has replaced its commitment to the seed"]


@pytest.mark.parametrize("invalid", [b"x" * (MAX_NONCE_BYTES + 1), "text", None])
def test_a_random_nonce_replaces_an_invalid_one_of_the_bot(caplog: pytest.LogCaptureFixture, invalid: object) -> None:
    nonces = Nonces(lambda _match_id, _seat: invalid)  # type: ignore[arg-type, return-value]  # Bots are not typed.
    assert len(nonces.on_request(request()).nonce.nonce) == NONCE_BYTES
    assert "a random one is sent" in caplog.text


def test_a_random_nonce_replaces_one_that_the_bot_fails_to_choose(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_match_id: str, _seat: int) -> bytes:
        raise KeyError("oops")

    caplog.set_level(logging.ERROR)
    assert len(Nonces(fail).on_request(request()).nonce.nonce) == NONCE_BYTES
    assert "oops" in caplog.text
