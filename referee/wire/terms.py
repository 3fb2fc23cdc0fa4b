"""Converts the terms of matches, with the defaults of the server filled in, and requests to create matches."""

from collections.abc import Mapping
from dataclasses import dataclass

from referee_api.v1 import match_pb2
from referee_api.v1.match_service_pb2 import CreateMatchRequest

from engines.api import Game, Table
from referee.accounts.account_errors import BadField
from referee.accounts.names import check_words
from referee.hosting.contest_terms import MatchTerms
from referee.live.match_request import LADDER, MAKER, REQUEST_ID, TITLE, LiveLimits, MatchRequest
from referee.match.clock import MS
from referee.match.clock_charge import NetworkCredit
from referee.match.setup import SEED_BYTES, Player
from referee.wire.clocks import read_controls, read_credit
from referee.wire.matches import terms_of
from referee.wire.policies import read_policies, read_visibility
from referee.wire.rules import read_opening, read_rules
from referee.wire.wire_errors import BadSeats

TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class TermsConverter:
    """Reads and writes terms with the games, the network credit and the limits of this server."""

    games: Mapping[str, Game]
    credit: NetworkCredit
    limits: LiveLimits

    def read(self, terms: match_pb2.MatchTerms) -> MatchTerms:
        """Raises the error of the first invalid field. Whether a contest can be played by the terms is not checked."""
        game, settings = read_rules(self.games, terms.rules)
        seats = len(game.table(settings).seats)
        return MatchTerms(
            game.name,
            settings,
            read_controls(terms.time_control, seats),
            read_credit(terms.time_control, self.credit),
            read_policies(terms.policies),
            read_visibility(terms.visibility),
            terms.random_seats,
            terms.nonce_timeout_ms * MS,
            terms.start_timeout_ms * MS,
        )

    def table(self, terms: MatchTerms) -> Table:
        return self.games[terms.game].table(terms.settings)

    def message_of(self, terms: MatchTerms) -> match_pb2.MatchTerms:
        """Convert the terms, with every default filled in."""
        return terms_of(terms.match_request((), {}).setup("", bytes(SEED_BYTES), self.games, self.limits))


def read_match_request(request: CreateMatchRequest, maker: str, converter: TermsConverter) -> MatchRequest:
    """Return the request to create a match. Raises the error of the first invalid field."""
    terms = converter.read(request.terms)
    seats = len(converter.table(terms).seats)
    if request.seats and len(request.seats) != seats:
        raise BadSeats("seats", len(request.seats), seats)
    if request.seed and len(request.seed) != SEED_BYTES:
        raise BadField("seed", f"it has {len(request.seed)} bytes, but must have {SEED_BYTES}")
    check_words("title", request.title, TITLE_CHARS)
    labels = {MAKER: maker, REQUEST_ID: request.request_id, TITLE: request.title, LADDER: request.ladder}
    return terms.match_request(
        tuple(Player(seat.bot, seat.version) for seat in request.seats),
        {name: text for name, text in labels.items() if text},
        request.seed or None,
        read_opening(request.opening),
    )
