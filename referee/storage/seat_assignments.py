"""Extracts from one event which bots get or leave which seats."""

from collections.abc import Sequence

from engines.api import Seat
from referee.match.events import Event, MatchCreated, PlayStarted, SeatTaken
from referee.match.setup import Player


def seated_bots(event: Event) -> dict[Seat, str]:
    """Return the bot of each seat that the event fills or opens; the bot of an open seat is empty."""
    if isinstance(event, SeatTaken):
        return {event.seat: event.player.bot}
    if isinstance(event, MatchCreated):
        return _bots(event.setup.players)
    return _bots(event.seated) if isinstance(event, PlayStarted) else {}


def _bots(players: Sequence[Player]) -> dict[Seat, str]:
    return {seat: player.bot for seat, player in enumerate(players)}
