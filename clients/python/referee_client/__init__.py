"""Python client: bots, and organisers of matches. It depends on the contract only, not on the referee.

import random
from referee_client import Turn, run

def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)

if __name__ == "__main__":
    run(choose)
"""

from referee_client.answers import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Answer, Choice
from referee_client.bot import Bot
from referee_client.clocks import Clock
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
from referee_client.matches import End
from referee_client.organiser import AsyncOrganiser, Organiser, Terms
from referee_client.playing import play, run
from referee_client.turn import Played, Turn
from referee_client.values import Match, Result

__all__ = [
    "ACCEPT_DRAW",
    "CLAIM_DRAW",
    "RESIGN",
    "Answer",
    "AsyncOrganiser",
    "Bot",
    "Choice",
    "Clock",
    "End",
    "Match",
    "Misconfigured",
    "NotAllowed",
    "NotServed",
    "Organiser",
    "Played",
    "RefereeError",
    "Refusal",
    "Refused",
    "Result",
    "TakenOver",
    "Terms",
    "Turn",
    "Unreachable",
    "play",
    "run",
]
