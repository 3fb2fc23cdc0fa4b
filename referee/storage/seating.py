"""Which bot has which seat, as far as an event says it."""

from collections.abc import Sequence

from engines.api import Seat
from referee.core.events import Event, Opened, PlayBegan, SeatTaken
from referee.core.setup import Player


def seated_by(event: Event) -> dict[Seat, str]:
    """Return the bot of each seat that the event fills, or opens; of an open seat it is empty."""
    if isinstance(event, SeatTaken):
        return {event.seat: event.player.bot}
    if isinstance(event, Opened):
        return _bots(event.setup.players)
    return _bots(event.seated) if isinstance(event, PlayBegan) else {}


def _bots(players: Sequence[Player]) -> dict[Seat, str]:
    return {seat: player.bot for seat, player in enumerate(players)}
