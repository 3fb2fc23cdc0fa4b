"""The random seed of a match, which no single party can choose.

The referee commits to its seed by `SHA-256(seed)` before the match; the seats, which know only that,
may add a nonce each; the seed is revealed at the end. The seed of the match is

    HMAC-SHA-256(key = seed, message = for each seat in order: length of its nonce as one byte, nonce)

and every draw uses a fork of it (see `engines.chance`): `seats` to draw seats, `game` for the game itself,
`policy PLY SEAT` for a random move by policy.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

from engines.api import Position, Seat
from engines.chance import Chance

T = TypeVar("T")

MAX_NONCE_BYTES = 64


def match_chance(seed: bytes, nonces: Sequence[bytes]) -> Chance:
    """Return the random generator of a match."""
    message = b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
    return Chance(hmac.new(seed, message, hashlib.sha256).digest())


def draw_seats(chance: Chance, players: Sequence[T]) -> tuple[T, ...]:
    """Return the players in the order of the seats drawn for them."""
    seated, _ = chance.fork("seats").shuffled(players)
    return seated


def game_seed(chance: Chance) -> bytes:
    return chance.fork("game").seed


def draw_move(chance: Chance, position: Position, seat: Seat, ply: int) -> str:
    """Return a legal move of the seat, drawn uniformly."""
    moves = position.moves(seat)
    pick, _ = chance.fork(f"policy {ply} {seat}").below(len(moves))
    return moves[pick]
