"""Whose seat it is, and what a seat says about draws: the same in a stream and in a call."""

from engines.api import Seat
from referee.app.answers import Done
from referee.app.referee import Referee
from referee.app.refusals import BadField
from referee.core.errors import NoDraw, NoSuchSeat
from referee.core.match import Match
from referee.transport.refused import NoDrawOffered, NoDrawsHere, NotYours


def seats_of(match: Match, bot: str) -> list[Seat]:
    return [seat for seat, player in enumerate(match.players) if bot and player.bot == bot]


def held_seat(match: Match, bot: str, seat: Seat | None) -> Seat:
    """The seat that the bot means; None: its only one. Raises NoSuchSeat, NotYours or BadField."""
    if seat is None:
        mine = seats_of(match, bot)
        if len(mine) > 1:
            raise BadField("seat", f"this bot holds seats {', '.join(map(str, mine))}; which one?")
        if not mine:
            raise NotYours("it: the bot holds no seat there")
        return mine[0]
    if not 0 <= seat < len(match.players):
        raise NoSuchSeat(seat, len(match.players))
    if not bot or match.players[seat].bot != bot:
        raise NotYours(f"seat {seat}")
    return seat


async def offer_draw(referee: Referee, match_id: str, seat: Seat, request_id: str = "") -> Done:
    try:
        return await referee.offer_draw(match_id, seat, request_id)
    except NoDraw as why:
        game = (await referee.standing(match_id)).match.setup.game
        raise NoDrawsHere(game, str(why)) from None


async def answer_draw(referee: Referee, match_id: str, seat: Seat, accept: bool, request_id: str = "") -> Done:
    try:
        return await (referee.accept_draw if accept else referee.decline_draw)(match_id, seat, request_id)
    except NoDraw:
        raise NoDrawOffered(match_id) from None
