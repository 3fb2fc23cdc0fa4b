"""Read match terms from TOML: game, options, clock and policies, as a message of the contract."""

from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format
from referee_api.v1 import clock_pb2, match_pb2, policy_pb2

from engines.refusals import Refusal
from engines.registry import find
from referee.local.clock_notation import read_clock
from referee.local.local_errors import BadPlan
from referee.local.plan import DEFAULT_CLOCK
from referee.local.toml_validation import value
from referee.match.clock import TimeControl
from referee.match.setup import DisconnectPolicy, Policies
from referee.wire.clocks import rule_of
from referee.wire.rules import rules_of
from referee.wire.terms import policies_of

OF_A_MATCH = ("game", "options", "preset", "clock", "policies")


def match_terms(where: str, given: Mapping[str, Any], usual: Policies) -> match_pb2.MatchTerms:
    """Read match terms. Raises BadPlan."""
    try:
        game = find(value("game", given, str, ""))
        settings = game.settings(value("options", given, dict, {}), value("preset", given, str, None))
        control = read_clock(given.get("clock", DEFAULT_CLOCK))
        return terms_of(rules_of(game.name, game.version, settings), control, policies_in(given, usual))
    except Refusal as refusal:
        raise BadPlan(where, str(refusal)) if where else refusal from None


def terms_of(rules: Any, control: TimeControl, policies: policy_pb2.Policies) -> match_pb2.MatchTerms:
    return match_pb2.MatchTerms(
        rules=rules, time_control=clock_pb2.TimeControl(rule=rule_of(control)), policies=policies
    )


def policies_in(given: Mapping[str, Any], usual: Policies) -> policy_pb2.Policies:
    """Read the table `policies`; without `disconnect`, the default policy applies. Raises BadPlan."""
    table = value("policies", given, dict, {})
    try:
        message = json_format.ParseDict(table, policy_pb2.Policies())
    except json_format.ParseError as error:
        raise BadPlan("policies", f"invalid Policies: {error}") from None
    if "disconnect" not in table and usual.gone is DisconnectPolicy.FORFEIT_AFTER_GRACE:
        message.disconnect.CopyFrom(policies_of(usual).disconnect)
    return message
