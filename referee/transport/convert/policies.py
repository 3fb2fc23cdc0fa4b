"""Policies and visibility."""

from referee_api.v1 import policy_pb2

from referee.core.clock import MS
from referee.core.policy import Dropout, Gone, Illegal, Late, Policies
from referee.core.setup import Shown, Visibility
from referee.transport.convert.times import ms_down
from referee.transport.convert.words import chosen, word

ATTEMPTS = Policies().attempts

ILLEGAL = {
    policy_pb2.ILLEGAL_ACTION_REFUSE_THEN_FORFEIT: Illegal.REFUSE_THEN_FORFEIT,
    policy_pb2.ILLEGAL_ACTION_FORFEIT: Illegal.FORFEIT,
    policy_pb2.ILLEGAL_ACTION_RANDOM_MOVE: Illegal.RANDOM_MOVE,
}
LATE = {
    policy_pb2.LATE_ACTION_FORFEIT: Late.FORFEIT,
    policy_pb2.LATE_ACTION_RANDOM_MOVE: Late.RANDOM_MOVE,
    policy_pb2.LATE_ACTION_DEFAULT_MOVE: Late.DEFAULT_MOVE,
}
GONE = {
    policy_pb2.GONE_ACTION_CLOCK_DECIDES: Gone.CLOCK_DECIDES,
    policy_pb2.GONE_ACTION_FORFEIT_AFTER_GRACE: Gone.FORFEIT_AFTER_GRACE,
}
FORFEIT = {
    policy_pb2.FORFEIT_EFFECT_ENDS_MATCH: Dropout.ENDS_MATCH,
    policy_pb2.FORFEIT_EFFECT_RANDOM_MOVES: Dropout.RANDOM_MOVES,
    policy_pb2.FORFEIT_EFFECT_DEFAULT_MOVES: Dropout.DEFAULT_MOVES,
}
SHOWN = {
    policy_pb2.VISIBILITY_KIND_LIVE: Shown.LIVE,
    policy_pb2.VISIBILITY_KIND_DELAYED: Shown.DELAYED,
    policy_pb2.VISIBILITY_KIND_AFTER_END: Shown.AFTER_END,
}
"""Where nothing is said, the first of each holds."""


def read_policies(given: policy_pb2.Policies) -> Policies:
    """Raises BadSetup, or BadField for a choice that this release does not know."""
    return Policies(
        chosen(ILLEGAL, given.illegal.action, "policies.illegal.action"),
        given.illegal.attempts or ATTEMPTS,
        chosen(LATE, given.late, "policies.late"),
        chosen(GONE, given.gone.action, "policies.gone.action"),
        given.gone.grace_ms * MS,
        chosen(FORFEIT, given.forfeit, "policies.forfeit"),
    )


def policies_of(policies: Policies) -> policy_pb2.Policies:
    return policy_pb2.Policies(
        illegal=policy_pb2.IllegalPolicy(action=word(ILLEGAL, policies.illegal), attempts=policies.attempts),
        late=word(LATE, policies.late),
        gone=policy_pb2.GonePolicy(action=word(GONE, policies.gone), grace_ms=ms_down(policies.grace_us)),
        forfeit=word(FORFEIT, policies.dropout),
    )


def read_visibility(given: policy_pb2.Visibility) -> Visibility:
    return Visibility(chosen(SHOWN, given.kind, "visibility.kind"), given.delay_plies)


def visibility_of(visibility: Visibility) -> policy_pb2.Visibility:
    return policy_pb2.Visibility(kind=word(SHOWN, visibility.shown), delay_plies=visibility.delay_plies)
