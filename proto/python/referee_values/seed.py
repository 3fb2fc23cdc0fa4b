"""Verifiable randomness.

The server commits to its seed before the match, seats can add nonces that they choose after they see the commitment,
and the seed is revealed at the end. `docs/chance.md` describes how the game's seed is derived from both.
"""

from referee_values.value import Count, Value


class SeatNonce(Value, frozen=True, kw_only=True):
    """Contribution of a seat to the seed."""

    seat: Count = 0
    """The seat, from 0."""
    nonce: bytes = b""
    """The nonce. Empty if the seat sent none in time."""


class SeedCommitment(Value, frozen=True, kw_only=True):
    """Published facts about the seed of a match. Set by the server."""

    commitment: bytes = b""
    """SHA-256 of the server's seed: 32 bytes, published before the start."""
    nonces: tuple[SeatNonce, ...] = ()
    """Nonces of the seats, in seat order. Empty before the start, and if the match does not use nonces."""
    seed: bytes = b""
    """The server's seed. Empty until the match is over, and with duplicate play until its whole set is over."""
    seed_provided: bool = False
    """Whether the creator of the match provided the seed, and so knew it."""
