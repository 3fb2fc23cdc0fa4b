"""Carries out the items of a Play stream that concern a match, whichever node the stream is connected to."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from engines.api import Seat
from referee.accounts.account_errors import BadField
from referee.live.loop_lag import MessageArrival
from referee.live.outbox import MoveAccepted, RequestAccepted
from referee.live.referee import Referee
from referee.live.sessions import Session
from referee.live.submit import seat_of
from referee.match.commands import MAX_MOVE_CHARS
from referee.transport.services.bot_requests import answer_draw, held_seat, offer_draw
from referee.transport.wire.matches import score_of


class ReceivedItem(Struct, frozen=True, gc=False):
    """The parts of a received item that its verdict refers to."""

    item_id: int
    match_id: str = ""
    token: str = ""
    move: str = ""


def received_move(item: Any) -> ReceivedItem:
    move = item.move
    return ReceivedItem(item.item_id, move.match_id, move.turn_token, move.move[: MAX_MOVE_CHARS + 1])


async def submit_move(
    referee: Referee, session: Session, received: ReceivedItem, move: Any, arrival: MessageArrival
) -> MoveAccepted:
    """Submit the move of an item (`play_pb2.Move`)."""
    match = await referee.match(received.match_id)
    seat = seat_of(received.token)
    if seat is None:
        raise BadField("turn_token", "it is not a valid turn token")
    held_seat(match, session.player.bot, seat)
    return await referee.submit(
        received.match_id, seat, received.token, received.move, "", move.offer_draw, arrival, score_of(move)
    )


async def carry_out_request(referee: Referee, session: Session, kind: str, request: Any) -> RequestAccepted:
    """Carry out the request in this field of an item."""
    if kind == "nonce":
        session.nonce_given()
    seat = request.seat if kind == "nonce" or request.HasField("seat") else None
    seat = held_seat(await referee.match(request.match_id), session.player.bot, seat)
    return await REQUEST_HANDLERS[kind](referee, request, seat)


REQUEST_HANDLERS: dict[str, Callable[[Referee, Any, Seat], Awaitable[RequestAccepted]]] = {
    "resignation": lambda referee, item, seat: referee.resign(item.match_id, seat),
    "draw_offer": lambda referee, item, seat: offer_draw(referee, item.match_id, seat),
    "draw_answer": lambda referee, item, seat: answer_draw(referee, item.match_id, seat, item.accept),
    "draw_claim": lambda referee, item, seat: referee.claim_draw(item.match_id, seat),
    "nonce": lambda referee, item, seat: referee.give_nonce(item.match_id, seat, item.nonce),
}
"""Handler of each item that refers to a match, by the name of its field."""
