"""What somebody wishes a match to be."""

from referee_api.v1.match_service_pb2 import CreateMatchRequest

from referee.app.names import check_words
from referee.app.refusals import BadField
from referee.app.wish import LADDER, MAKER, REQUEST_ID, TITLE, MatchWish
from referee.core.setup import SEED_BYTES, Player
from referee.transport.convert.rules import read_opening
from referee.transport.convert.terms import Customs
from referee.transport.refused import BadSeats

TITLE_CHARS = 200


def read_wish(request: CreateMatchRequest, maker: str, customs: Customs) -> MatchWish:
    """Raises a refusal of whatever cannot be."""
    terms = customs.read(request.terms)
    seats = len(customs.table(terms).seats)
    if request.seats and len(request.seats) != seats:
        raise BadSeats("seats", len(request.seats), seats)
    if request.seed and len(request.seed) != SEED_BYTES:
        raise BadField("seed", f"it has {len(request.seed)} bytes; {SEED_BYTES} are right")
    check_words("title", request.title, TITLE_CHARS)
    labels = {MAKER: maker, REQUEST_ID: request.request_id, TITLE: request.title, LADDER: request.ladder}
    return terms.wish(
        tuple(Player(seat.bot, seat.version) for seat in request.seats),
        {name: text for name, text in labels.items() if text},
        request.seed or None,
        read_opening(request.opening),
    )
