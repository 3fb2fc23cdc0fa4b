"""What somebody wishes a match to be."""

from collections.abc import Mapping

from referee_api.v1.match_service_pb2 import CreateMatchRequest

from engines.api import Game
from referee.app.names import check_words
from referee.app.refusals import BadField
from referee.app.wish import LADDER, MAKER, REQUEST_ID, TITLE, MatchWish
from referee.core.clock import MS
from referee.core.row import NetworkCredit
from referee.core.setup import SEED_BYTES, Player
from referee.transport.convert.controls import read_controls, read_credit
from referee.transport.convert.policies import read_policies, read_visibility
from referee.transport.convert.rules import read_opening, read_rules
from referee.transport.refused import BadSeats

TITLE_CHARS = 200


def read_wish(
    games: Mapping[str, Game], request: CreateMatchRequest, maker: str, usual_credit: NetworkCredit
) -> MatchWish:
    """Raises a refusal of whatever cannot be."""
    terms = request.terms
    game, settings = read_rules(games, terms.rules)
    seats = len(game.table(settings).seats)
    if request.seats and len(request.seats) != seats:
        raise BadSeats("seats", len(request.seats), seats)
    if request.seed and len(request.seed) != SEED_BYTES:
        raise BadField("seed", f"it has {len(request.seed)} bytes; {SEED_BYTES} are right")
    check_words("title", request.title, TITLE_CHARS)
    labels = {MAKER: maker, REQUEST_ID: request.request_id, TITLE: request.title, LADDER: request.ladder}
    return MatchWish(
        game.name,
        dict(terms.rules.options),
        terms.rules.preset or None,
        tuple(Player(seat.bot, seat.version) for seat in request.seats),
        read_controls(terms.time_control, seats),
        read_credit(terms.time_control, usual_credit),
        read_policies(terms.policies),
        read_visibility(terms.visibility),
        request.seed or None,
        terms.seats_by_lot,
        terms.nonce_within_ms * MS,
        terms.start_within_ms * MS,
        read_opening(request.opening),
        {name: text for name, text in labels.items() if text},
    )
