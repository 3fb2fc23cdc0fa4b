"""Converts policies and visibility."""

from referee_api.v1 import policy_pb2

from referee.match.clock import MS
from referee.match.setup import (
    DisconnectPolicy,
    DropoutPolicy,
    IllegalMovePolicy,
    LatePolicy,
    Policies,
    Visibility,
    VisibilityMode,
)
from referee.wire.basic_types import enum_value, ms_down, parse_enum_or_default

DEFAULT_ATTEMPTS = Policies().attempts

ILLEGAL_MOVE = {
    policy_pb2.ILLEGAL_MOVE_ACTION_RETRY_THEN_FORFEIT: IllegalMovePolicy.REFUSE_THEN_FORFEIT,
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
    policy_pb2.DISCONNECT_ACTION_FORFEIT_AFTER_GRACE_PERIOD: DisconnectPolicy.FORFEIT_AFTER_GRACE,
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
            action=enum_value(ILLEGAL_MOVE, policies.illegal), max_attempts=policies.attempts
        ),
        timeout=enum_value(TIMEOUT, policies.late),
        disconnect=policy_pb2.DisconnectPolicy(
            action=enum_value(DISCONNECT, policies.gone), grace_period_ms=ms_down(policies.grace_us)
        ),
        forfeit_effect=enum_value(FORFEIT_EFFECT, policies.dropout),
    )


def read_visibility(given: policy_pb2.Visibility) -> Visibility:
    return Visibility(parse_enum_or_default(VISIBILITY, given.kind, "visibility.kind"), given.delay_plies)


def visibility_of(visibility: Visibility) -> policy_pb2.Visibility:
    return policy_pb2.Visibility(kind=enum_value(VISIBILITY, visibility.shown), delay_plies=visibility.delay_plies)
