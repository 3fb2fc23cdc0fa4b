"""Converts the terms of matches, policies and visibility among them, and requests to create matches."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import UNSET, UnsetType, structs
from referee_api.v1 import match_pb2, policy_pb2
from referee_api.v1.match_service_pb2 import CreateMatchRequest

from engines.api import Game, Table
from referee.accounts.account_errors import BadField
from referee.accounts.names import check_words
from referee.hosting.contest_terms import with_nonces
from referee.live.match_request import LADDER, MAKER, REQUEST_ID, TITLE, LiveLimits, MatchRequest, find_game
from referee.match.adjudication import Adjudication
from referee.match.clock import MS
from referee.match.clock_charge import NetworkCredit
from referee.match.match_terms import (
    DisconnectPolicy,
    DropoutPolicy,
    IllegalMovePolicy,
    LatePolicy,
    MatchTerms,
    Policies,
    Visibility,
    VisibilityMode,
)
from referee.match.setup import SEED_BYTES, Player
from referee.wire.basic_types import enum_value, ms_down, parse_enum_or_default
from referee.wire.clocks import read_controls, read_credit, time_control_of
from referee.wire.rules import read_opening, read_rules, rules_of
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
        if terms.nonce_timeout_ms and terms.without_nonces:
            raise BadField("nonce_timeout_ms", "it must be 0 if without_nonces is true")
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
            read_adjudication(terms.adjudication),
        )

    def with_nonces(self, read: MatchTerms, terms: match_pb2.MatchTerms, *, in_sets: bool) -> MatchTerms:
        """Return what was read from the terms of a contest, which uses nonces by default."""
        if terms.nonce_timeout_ms or terms.without_nonces:
            return read
        return with_nonces(read, self.games[read.game], in_sets=in_sets)

    def table(self, terms: MatchTerms) -> Table:
        return self.games[terms.game].table(terms.settings)

    def message_of(self, terms: MatchTerms) -> match_pb2.MatchTerms:
        """Convert the terms, with every default filled in."""
        game = find_game(self.games, terms.game)
        return terms_of(terms.with_defaults(game, self.limits.start_timeout_us), game.version)


def terms_of(terms: MatchTerms, game_version: int) -> match_pb2.MatchTerms:
    return match_pb2.MatchTerms(
        rules=rules_of(terms.game, game_version, terms.settings),
        time_control=time_control_of(terms.controls, terms.credit),
        policies=policies_of(terms.policies),
        visibility=visibility_of(terms.visibility),
        start_timeout_ms=ms_down(terms.start_timeout_us),
        random_seats=terms.random_seats,
        nonce_timeout_ms=ms_down(terms.nonce_timeout_us),
        without_nonces=not terms.nonce_timeout_us,
        adjudication=adjudication_of(terms.adjudication),
    )


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
    return MatchRequest(
        terms,
        tuple(Player(seat.bot, seat.version) for seat in request.seats),
        request.seed or None,
        read_opening(request.opening),
        {name: text for name, text in labels.items() if text},
    )


DEFAULT_ATTEMPTS = Policies().max_attempts

ILLEGAL_MOVE = {
    policy_pb2.ILLEGAL_MOVE_ACTION_RETRY_THEN_FORFEIT: IllegalMovePolicy.RETRY_THEN_FORFEIT,
    policy_pb2.ILLEGAL_MOVE_ACTION_FORFEIT: IllegalMovePolicy.FORFEIT,
    policy_pb2.ILLEGAL_MOVE_ACTION_RANDOM_MOVE: IllegalMovePolicy.RANDOM_MOVE,
}
TIMEOUT = {
    policy_pb2.TIMEOUT_ACTION_FORFEIT: LatePolicy.FORFEIT,
    policy_pb2.TIMEOUT_ACTION_RANDOM_MOVE: LatePolicy.RANDOM_MOVE,
    policy_pb2.TIMEOUT_ACTION_DEFAULT_MOVE: LatePolicy.DEFAULT_MOVE,
}
DISCONNECT = {
    policy_pb2.DISCONNECT_ACTION_CLOCK_DECIDES: DisconnectPolicy.CLOCK_DECIDES,
    policy_pb2.DISCONNECT_ACTION_FORFEIT_AFTER_GRACE_PERIOD: DisconnectPolicy.FORFEIT_AFTER_GRACE_PERIOD,
}
FORFEIT_EFFECT = {
    policy_pb2.FORFEIT_EFFECT_ENDS_MATCH: DropoutPolicy.ENDS_MATCH,
    policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES: DropoutPolicy.RANDOM_MOVES,
    policy_pb2.FORFEIT_EFFECT_DEFAULT_MOVES: DropoutPolicy.DEFAULT_MOVES,
}
VISIBILITY = {
    policy_pb2.VISIBILITY_KIND_LIVE: VisibilityMode.LIVE,
    policy_pb2.VISIBILITY_KIND_DELAYED: VisibilityMode.DELAYED,
    policy_pb2.VISIBILITY_KIND_AFTER_END: VisibilityMode.AFTER_END,
}
"""The first of each is the default."""


def read_policies(given: policy_pb2.Policies) -> Policies:
    """Raises BadSetup, or BadField for an unknown value of an enum."""
    return Policies(
        parse_enum_or_default(ILLEGAL_MOVE, given.illegal_move.action, "policies.illegal_move.action"),
        given.illegal_move.max_attempts or DEFAULT_ATTEMPTS,
        parse_enum_or_default(TIMEOUT, given.timeout, "policies.timeout"),
        parse_enum_or_default(DISCONNECT, given.disconnect.action, "policies.disconnect.action"),
        given.disconnect.grace_period_ms * MS,
        parse_enum_or_default(FORFEIT_EFFECT, given.forfeit_effect, "policies.forfeit_effect"),
    )


def policies_of(policies: Policies) -> policy_pb2.Policies:
    return policy_pb2.Policies(
        illegal_move=policy_pb2.IllegalMovePolicy(
            action=enum_value(ILLEGAL_MOVE, policies.illegal), max_attempts=policies.max_attempts
        ),
        timeout=enum_value(TIMEOUT, policies.late),
        disconnect=policy_pb2.DisconnectPolicy(
            action=enum_value(DISCONNECT, policies.gone), grace_period_ms=ms_down(policies.grace_period_us)
        ),
        forfeit_effect=enum_value(FORFEIT_EFFECT, policies.dropout),
    )


def read_adjudication(given: policy_pb2.Adjudication) -> Adjudication | UnsetType:
    """Raises BadSetup."""
    adjudication = Adjudication(*(getattr(given, name) for name in Adjudication.__struct_fields__))
    return UNSET if adjudication == Adjudication() else adjudication


def adjudication_of(adjudication: Adjudication | UnsetType) -> policy_pb2.Adjudication | None:
    return policy_pb2.Adjudication(**structs.asdict(adjudication)) if adjudication else None


def read_visibility(given: policy_pb2.Visibility) -> Visibility:
    return Visibility(parse_enum_or_default(VISIBILITY, given.kind, "visibility.kind"), given.delay_plies)


def visibility_of(visibility: Visibility) -> policy_pb2.Visibility:
    return policy_pb2.Visibility(kind=enum_value(VISIBILITY, visibility.shown), delay_plies=visibility.delay_plies)
