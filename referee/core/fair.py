"""Chance that nobody can bend.

The referee commits to its seed by `SHA-256(seed)` before the match; the seats, which know only that,
may add a nonce each; the seed is revealed at the end. The seed of the match is

    HMAC-SHA-256(key = seed, message = for each seat in order: length of its nonce as one byte, nonce)

and everything that is drawn comes from a fork of it (see `engines.chance`): `seats` for the lot of
seats, `game` for the game's own chance, `policy PLY SEAT` for a move drawn for a seat.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

from engines.api import Position, Seat
from engines.chance import Chance

T = TypeVar("T")

NONCE_BYTES_AT_MOST = 64


def match_chance(seed: bytes, nonces: Sequence[bytes]) -> Chance:
    """The chance of a match, which no single party could choose."""
    message = b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
    return Chance(hmac.new(seed, message, hashlib.sha256).digest())


def drawn_seats(chance: Chance, players: Sequence[T]) -> tuple[T, ...]:
    """The players in the order of the seats that the lot gave them."""
    seated, _ = chance.fork("seats").shuffled(players)
    return seated


def game_seed(chance: Chance) -> bytes:
    return chance.fork("game").seed


def drawn_move(chance: Chance, position: Position, seat: Seat, ply: int) -> str:
    """A legal move for a seat that gives none, each as likely as the other."""
    moves = position.moves(seat)
    pick, _ = chance.fork(f"policy {ply} {seat}").below(len(moves))
    return moves[pick]
