"""Converts the terms of matches, policies and visibility among them, and requests to create matches."""

from dataclasses import dataclass

import referee_values as values
from referee_api.conversion import to_message
from referee_api.v1 import match_pb2, policy_pb2
from referee_api.v1.match_service_pb2 import CreateMatchRequest
from referee_values import Opening

from referee.accounts.account_errors import BadField, BadSeats
from referee.accounts.names import check_words
from referee.hosting.given_terms import TermsReader
from referee.live.match_request import LADDER, MAKER, REQUEST_ID, TITLE, LiveLimits, MatchRequest, find_game
from referee.match.match_terms import MatchTerms
from referee.match.setup import SEED_BYTES, Player
from referee.transport.wire.basic_types import ms_down, read_value
from referee.transport.wire.clocks import time_control_of
from referee.transport.wire.rules import rules_of

TITLE_CHARS = 200


@dataclass(frozen=True, slots=True)
class TermsConverter:
    """Writes terms as messages, with every default of this server filled in."""

    reader: TermsReader
    limits: LiveLimits

    def message_of(self, terms: MatchTerms) -> match_pb2.MatchTerms:
        game = find_game(self.reader.games, terms.game)
        return terms_of(terms.with_defaults(game, self.limits.start_timeout_us), game.version)


def terms_of(terms: MatchTerms, game_version: int) -> match_pb2.MatchTerms:
    return match_pb2.MatchTerms(
        rules=rules_of(terms.game, game_version, terms.settings),
        time_control=time_control_of(terms.time_control),
        policies=to_message(terms.policies, policy_pb2.Policies),
        visibility=to_message(terms.visibility, policy_pb2.Visibility),
        start_timeout_ms=ms_down(terms.start_timeout_us),
        random_seats=terms.random_seats,
        nonce_timeout_ms=ms_down(terms.nonce_timeout_us),
        without_nonces=not terms.nonce_timeout_us,
        adjudication=to_message(terms.adjudication, policy_pb2.Adjudication) if terms.adjudication else None,
    )


def read_match_request(request: CreateMatchRequest, maker: str, converter: TermsConverter) -> MatchRequest:
    """Return the request to create a match. Raises the error of the first invalid field."""
    terms = converter.reader.match_terms(read_value(request.terms, values.MatchTerms))
    seats = len(converter.reader.table(terms).seats)
    if request.seats and len(request.seats) != seats:
        raise BadSeats("seats", len(request.seats), seats)
    if request.seed and len(request.seed) != SEED_BYTES:
        raise BadField("seed", f"it has {len(request.seed)} bytes, but must have {SEED_BYTES}")
    check_words("title", request.title, TITLE_CHARS)
    labels = {MAKER: maker, REQUEST_ID: request.request_id, TITLE: request.title, LADDER: request.ladder}
    return MatchRequest(
        terms,
        tuple(Player(seat.bot, seat.version) for seat in request.seats),
        request.seed or None,
        read_value(request.opening, Opening),
        {name: text for name, text in labels.items() if text},
    )
