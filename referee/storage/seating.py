"""Which seats a bot has by an event: those whose matches it is to hear the end of."""

from collections.abc import Iterable

from engines.api import Seat
from referee.core.events import Event, Opened, PlayBegan, SeatTaken
from referee.core.setup import Player


def seated_by(event: Event) -> dict[Seat, str]:
    """The bot of each seat, as far as the event says it anew."""
    if isinstance(event, Opened):
        return _named(enumerate(event.setup.players))
    if isinstance(event, SeatTaken):
        return _named([(event.seat, event.player)])
    return _named(enumerate(event.seated)) if isinstance(event, PlayBegan) else {}


def _named(players: Iterable[tuple[Seat, Player]]) -> dict[Seat, str]:
    return {seat: player.bot for seat, player in players if player.bot}
