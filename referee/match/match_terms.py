"""Terms of a match: what its creator decides. They are the same for all matches of a contest."""

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace
from referee_values import (
    Adjudication,
    DisconnectPolicy,
    IllegalMovePolicy,
    NetworkCredit,
    Policies,
    TimeControl,
    Value,
    Visibility,
)

from engines.api import Game, Table
from engines.options import Settings
from referee.match.adjudication import check_adjudication, check_sides
from referee.match.clock import MAX_TIME_US, MS, Hourglass, Micros, complete_time, controls_of
from referee.match.clock_charge import check_credit
from referee.match.match_errors import BadSetup

V = TypeVar("V", bound=Value)

MAX_ATTEMPTS = 1000
DEFAULT_POLICIES = Policies(
    illegal_move=IllegalMovePolicy(action="retry_then_forfeit", max_attempts=3),
    timeout="forfeit",
    disconnect=DisconnectPolicy(action="clock_decides"),
    forfeit_effect="ends_match",
)
SHOWN_LIVE = Visibility(kind="live")


def filled(given: V, usual: V) -> V:
    """Return the value with the content of `usual` in every field that is not set."""
    contents = {}
    for name, unset in zip(given.__struct_fields__, given.__struct_defaults__, strict=True):
        content = getattr(given, name)
        if content == unset:
            content = getattr(usual, name)
        elif isinstance(content, Value) and getattr(usual, name) is not None:
            content = filled(content, getattr(usual, name))
        contents[name] = content
    return type(given)(**contents)


def attempts_a_turn(policies: Policies) -> int:
    """Return the number of malformed or illegal moves in one turn after which the policy applies."""
    policy = policies.illegal_move
    return policy.max_attempts if policy.action == "retry_then_forfeit" else 1


def forfeits_if_gone(policies: Policies) -> bool:
    return policies.disconnect.action == "forfeit_after_grace_period"


def check_time(field: str, time_us: Micros) -> None:
    """Raises BadSetup."""
    if not 0 <= time_us <= MAX_TIME_US:
        raise BadSetup(field, "must be from 0 to ten years")


def check_policies(policies: Policies) -> None:
    """Raises BadSetup."""
    if not 1 <= policies.illegal_move.max_attempts <= MAX_ATTEMPTS:
        raise BadSetup("policies.illegal_move.max_attempts", f"must be from 1 to {MAX_ATTEMPTS}")
    grace_period_ms = policies.disconnect.grace_period_ms
    check_time("policies.disconnect.grace_period_ms", grace_period_ms * MS)
    if forfeits_if_gone(policies) and not grace_period_ms:
        raise BadSetup("policies.disconnect.grace_period_ms", "must be greater than 0 if absent bots forfeit")


def check_visibility(visibility: Visibility) -> None:
    """Raises BadSetup."""
    if visibility.kind == "delayed" and visibility.delay_plies < 1:
        raise BadSetup("visibility.delay_plies", "must be at least 1 if the match is shown with a delay")


NO_CREDIT = NetworkCredit()


class MatchTerms(Struct, frozen=True, gc=False):
    game: str
    settings: Settings
    time_control: TimeControl = TimeControl()
    policies: Policies = DEFAULT_POLICIES
    visibility: Visibility = SHOWN_LIVE
    random_seats: bool = False
    nonce_timeout_us: Micros = 0
    """Time in which each seat may add a nonce to the seed. 0 means that nonces are not used."""
    start_timeout_us: Micros = 0
    """Time for which the match waits for its seats and their bots before it is void.

    0 means the default of the server in a request or contest, and without limit in a match.
    """
    adjudication: Adjudication | None = None
    """When the match ends although its game is not over. None: never."""

    def __post_init__(self) -> None:
        for field in ("nonce_timeout_us", "start_timeout_us"):
            check_time(field, getattr(self, field))

    @property
    def network_credit(self) -> NetworkCredit:
        return self.time_control.network_credit or NO_CREDIT

    def with_defaults(self, game: Game, start_timeout_us: Micros) -> "MatchTerms":
        """Return the terms of one match, with every default filled in.

        Raises an error of the game.
        """
        settings = game.settings(dict(self.settings.values))
        start_timeout_us = self.start_timeout_us or start_timeout_us
        return replace(
            self,
            settings=settings,
            time_control=complete_time(self.time_control, NO_CREDIT),
            policies=filled(self.policies, DEFAULT_POLICIES),
            visibility=filled(self.visibility, SHOWN_LIVE),
            start_timeout_us=start_timeout_us,
        )

    def check(self, game: Game) -> Table:
        """Validate the terms of one match and return its table. Raises a MatchError or an error of the game."""
        if self.settings != game.settings(dict(self.settings.values)):
            raise BadSetup("settings", f"must be all the options of {game.name}, in their order")
        table = game.table(self.settings)
        controls = controls_of(self.time_control, len(table.seats))
        if len({isinstance(control, Hourglass) for control in controls}) > 1:
            raise BadSetup("hourglass", "must be the clock of all seats or of none")
        check_credit(self.network_credit)
        check_policies(self.policies)
        check_visibility(self.visibility)
        if self.adjudication:
            check_adjudication(self.adjudication)
            check_sides(self.adjudication, table)
        return table
