"""Client for organisers: bots, matches, watching, records, ladders and tournaments."""

from referee_client.organiser.async_organiser import AsyncOrganiser
from referee_client.organiser.clock_text import BadClock
from referee_client.organiser.organiser import Organiser
from referee_client.organiser.responses import (
    DrainState,
    NewInvitation,
    NewToken,
    PositionReading,
    SubmittedMove,
    TournamentTable,
)
from referee_client.organiser.terms import Terms

__all__ = [
    "AsyncOrganiser",
    "BadClock",
    "DrainState",
    "NewInvitation",
    "NewToken",
    "Organiser",
    "PositionReading",
    "SubmittedMove",
    "Terms",
    "TournamentTable",
]
