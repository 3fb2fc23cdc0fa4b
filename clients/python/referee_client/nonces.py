"""The bot's nonces, and the check at the end of each match that the referee used them.

Before a match the referee commits to its seed (SHA-256) and may ask for a nonce. At the end it publishes the seed and
the nonces that the draws follow from. If they do not fit what was said before, somebody has chosen the draws; the
author of the bot must know that, because nobody else can notice it.
"""

import hashlib
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from referee_api.v1 import play_pb2, seed_pb2

log = logging.getLogger("referee_client")

NONCE_BYTES = 32
MAX_NONCE_BYTES = 64

NonceFunction = Callable[[str, int], bytes]
"""Returns the nonce for a match id and a seat: up to 64 bytes that nobody can guess."""


def random_nonce(_match_id: str, _seat: int) -> bytes:
    return secrets.token_bytes(NONCE_BYTES)


@dataclass
class Contribution:
    """What is known about the seed of one match before its end."""

    commitment: bytes
    nonces: dict[int, bytes] = field(default_factory=dict)
    """The nonces of this bot, by the seat of the request."""


class Nonces:
    def __init__(self, choose: NonceFunction = random_nonce) -> None:
        self._choose = choose
        self._matches: dict[str, Contribution] = {}

    def on_request(self, request: play_pb2.NonceRequest) -> play_pb2.BotItem:
        """Return the nonce. A repeated request gets the same one, since the referee may have it already."""
        known = self._keep_commitment(request.match_id, request.commitment)
        if request.seat not in known.nonces:
            known.nonces[request.seat] = self._chosen(request)
        nonce = known.nonces[request.seat]
        return play_pb2.BotItem(nonce=play_pb2.Nonce(match_id=request.match_id, seat=request.seat, nonce=nonce))

    def on_match_started(self, match_id: str, announced: seed_pb2.SeedCommitment) -> None:
        self._keep_commitment(match_id, announced.commitment)

    def on_match_ended(self, match_id: str, published: seed_pb2.SeedCommitment) -> None:
        """Check the seed, once for each match: a bot in several seats is told of the end for each of them."""
        known = self._matches.pop(match_id, None)
        if known and published.commitment:
            for problem in find_problems(known, published):
                log.error("match %s: %s", match_id, problem)

    def _keep_commitment(self, match_id: str, commitment: bytes) -> Contribution:
        """Return what is known about the match. The first commitment counts."""
        known = self._matches.setdefault(match_id, Contribution(commitment))
        if known.commitment != commitment:
            log.error("match %s: the referee has replaced its commitment to the seed", match_id)
        return known

    def _chosen(self, request: play_pb2.NonceRequest) -> bytes:
        try:
            nonce: object = self._choose(request.match_id, request.seat)
            if isinstance(nonce, bytes) and len(nonce) <= MAX_NONCE_BYTES:
                return nonce
            log.error("a nonce must be at most %d bytes, not %.200r; a random one is sent", MAX_NONCE_BYTES, nonce)
        except Exception:
            log.exception("the bot failed to choose a nonce; a random one is sent")
        return random_nonce(request.match_id, request.seat)


def find_problems(known: Contribution, published: seed_pb2.SeedCommitment) -> list[str]:
    """Return what does not fit, in sentences. The seed is checked if it is published, which a set may delay."""
    problems = []
    if published.commitment != known.commitment:
        problems.append("the referee has replaced its commitment to the seed")
    if published.seed and hashlib.sha256(published.seed).digest() != known.commitment:
        problems.append("the seed of the referee does not match its commitment")
    used = {nonce.seat: nonce.nonce for nonce in published.nonces}
    for seat, nonce in known.nonces.items():
        if used.get(seat, b"") == b"" != nonce:
            problems.append(
                f"the seed was made without the nonce of seat {seat}: it was late, or the referee ignored it"
            )
        elif used.get(seat, b"") != nonce:
            problems.append(f"the seed was made with another nonce of seat {seat} than the one that was sent")
    return problems
