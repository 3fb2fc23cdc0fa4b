"""Digest of the moves of a match, by which repeated games are found.

Bots without randomness play the same game again from the same start. Such games are one piece of evidence, so
statistics count them once.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engines.api import Seat
from engines.options import Settings
from referee.match.events import Event, MatchCreated, MovePlayed
from referee.match.setup import Setup

DIGEST_CHARS = 32


def digest_moves(setup: Setup, moves: Iterable[tuple[Seat, str]]) -> str:
    """Return the digest of the rules, the first position and all moves. Empty if no move was played.

    The seed is left out: without hidden information and dice it has no effect on the game, and with them, equal moves
    from different deals are as good as impossible.
    """
    played = list(moves)
    if not played:
        return ""
    text = f"[{_start_text(setup.terms.game, setup.terms.settings, setup.opening)}, {_moves_text(played)}]"
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARS]


def digest_of_events(events: Sequence[Event]) -> str:
    """Return the digest of the moves in all events of a match. Empty if there are none."""
    moves = [(event.seat, event.move) for event in events if type(event) is MovePlayed]
    return next((digest_moves(event.setup, moves) for event in events if isinstance(event, MatchCreated)), "")


@lru_cache(maxsize=256)
def _start_text(game: str, settings: Settings, opening: str) -> str:
    return _ENCODER.encode((game, settings.texts(), opening))


def _moves_text(played: Sequence[tuple[Seat, str]]) -> str:
    """Return the moves as `json` writes them, in half the time."""
    text = ", ".join([f'[{seat}, "{move}"]' for seat, move in played])
    plain = text.isascii() and text.isprintable() and "\\" not in text and text.count('"') == 2 * len(played)
    return f"[{text}]" if plain else _ENCODER.encode(played)


_ENCODER = json.JSONEncoder(sort_keys=True)
