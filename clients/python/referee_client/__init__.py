"""Python client: bots, and organisers of matches. It depends on the contract only, not on the referee.

import random
from referee_client import Turn, run

def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)

if __name__ == "__main__":
    run(choose)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from referee_values import Clock, Match, MatchEnded, Result, SeatMove

from referee_client import results
from referee_client.answers import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Answer, Choice
from referee_client.bot import Bot
from referee_client.errors import (
    Misconfigured,
    NotAllowed,
    NotServed,
    RefereeError,
    Refusal,
    Refused,
    TakenOver,
    Unreachable,
)
from referee_client.playing import play, run
from referee_client.turn import Turn

if TYPE_CHECKING:
    from referee_client.organiser import AsyncOrganiser, Organiser, Terms

LAZY = {
    "AsyncOrganiser": "referee_client.organiser",
    "Organiser": "referee_client.organiser",
    "Terms": "referee_client.organiser",
}
"""Names whose modules are imported when they are first used, since a bot starts sooner without them."""

__all__ = [
    "ACCEPT_DRAW",
    "CLAIM_DRAW",
    "RESIGN",
    "Answer",
    "AsyncOrganiser",
    "Bot",
    "Choice",
    "Clock",
    "Match",
    "MatchEnded",
    "Misconfigured",
    "NotAllowed",
    "NotServed",
    "Organiser",
    "RefereeError",
    "Refusal",
    "Refused",
    "Result",
    "SeatMove",
    "TakenOver",
    "Terms",
    "Turn",
    "Unreachable",
    "play",
    "results",
    "run",
]


def __getattr__(name: str) -> object:
    if name in LAZY:
        return getattr(import_module(LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
