"""Seats of the calling bot, and draw offers, shared by the Play stream and the unary calls."""

from engines.api import Seat
from referee.accounts.account_errors import BadField
from referee.live.referee import Referee
from referee.live.verdict import RequestAccepted
from referee.match.match_errors import NoDraw, NoSuchSeat
from referee.match.state import Match
from referee.wire.wire_errors import NoDrawOffered, NoDrawsHere, NotYours


def seats_of(match: Match, bot: str) -> list[Seat]:
    return [seat for seat, player in enumerate(match.players) if bot and player.bot == bot]


def held_seat(match: Match, bot: str, seat: Seat | None) -> Seat:
    """Return the seat if the bot holds it; for None, its only seat. Raises NoSuchSeat, NotYours or BadField."""
    if seat is None:
        own = seats_of(match, bot)
        if len(own) > 1:
            raise BadField("seat", f"it is required, because the bot holds seats {', '.join(map(str, own))}")
        if not own:
            raise NotYours("it: the bot holds no seat in this match")
        return own[0]
    if not 0 <= seat < len(match.players):
        raise NoSuchSeat(seat, len(match.players))
    if not bot or match.players[seat].bot != bot:
        raise NotYours(f"seat {seat}")
    return seat


async def offer_draw(referee: Referee, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
    """Offer a draw. Raises NoDrawsHere if the game has no draws by agreement."""
    try:
        return await referee.offer_draw(match_id, seat, request_id)
    except NoDraw as why:
        game = (await referee.status(match_id)).match.setup.game
        raise NoDrawsHere(game, str(why)) from None


async def answer_draw(
    referee: Referee, match_id: str, seat: Seat, accept: bool, request_id: str = ""
) -> RequestAccepted:
    """Accept or decline a draw. Raises NoDrawOffered."""
    try:
        return await (referee.accept_draw if accept else referee.decline_draw)(match_id, seat, request_id)
    except NoDraw:
        raise NoDrawOffered(match_id) from None
