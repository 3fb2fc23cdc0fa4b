"""Digest of the moves of a match, by which repeated games are found.

Bots without randomness play the same game again from the same start. Such games are one piece of evidence, so
statistics count them once.
"""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from engines.api import Seat
from referee.match.events import Event, MatchCreated, MovePlayed
from referee.match.setup import Setup

DIGEST_CHARS = 32
_encode = msgspec.json.Encoder().encode


def digest_moves(setup: Setup, moves: Iterable[tuple[Seat, str]]) -> str:
    """Return the digest of the rules, the first position and all moves. Empty if no move was played.

    The seed is left out: without hidden information and dice it has no effect on the game, and with them, equal moves
    from different deals are as good as impossible.
    """
    played = list(moves)
    if not played:
        return ""
    start = (setup.terms.game, setup.terms.settings.values, setup.opening)
    return hashlib.sha256(_encode((start, played))).hexdigest()[:DIGEST_CHARS]


def digest_of_events(events: Sequence[Event]) -> str:
    """Return the digest of the moves in all events of a match. Empty if there are none."""
    moves = [(event.seat, event.move) for event in events if type(event) is MovePlayed]
    return next((digest_moves(event.setup, moves) for event in events if isinstance(event, MatchCreated)), "")
