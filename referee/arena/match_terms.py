"""Terms of matches as a TOML file gives them: a game, its options, a clock, policies; in the words of the contract."""

from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format
from referee_api.v1 import clock_pb2, match_pb2, policy_pb2

from engines.refusals import Refusal
from engines.registry import find
from referee.arena.clocks import read_clock
from referee.arena.keys import value
from referee.arena.plan import USUAL_CLOCK
from referee.arena.refusals import BadPlan
from referee.core.clock import TimeControl
from referee.core.policy import Gone, Policies
from referee.transport.convert.controls import rule_of
from referee.transport.convert.policies import policies_of
from referee.transport.convert.rules import rules_of

OF_A_MATCH = ("game", "options", "preset", "clock", "policies")


def match_terms(where: str, given: Mapping[str, Any], usual: Policies) -> match_pb2.MatchTerms:
    """Raises BadPlan."""
    try:
        game = find(value("game", given, str, ""))
        settings = game.settings(value("options", given, dict, {}), value("preset", given, str, None))
        control = read_clock(given.get("clock", USUAL_CLOCK))
        return terms_of(rules_of(game.name, game.version, settings), control, policies_in(given, usual))
    except Refusal as refusal:
        raise BadPlan(where, str(refusal)) if where else refusal from None


def terms_of(rules: Any, control: TimeControl, policies: policy_pb2.Policies) -> match_pb2.MatchTerms:
    return match_pb2.MatchTerms(
        rules=rules, time_control=clock_pb2.TimeControl(rule=rule_of(control)), policies=policies
    )


def policies_in(given: Mapping[str, Any], usual: Policies) -> policy_pb2.Policies:
    """Those of the table `policies`; who is gone is treated as usual if it does not say so. Raises BadPlan."""
    table = value("policies", given, dict, {})
    try:
        message = json_format.ParseDict(table, policy_pb2.Policies())
    except json_format.ParseError as error:
        raise BadPlan("policies", f"these are no Policies of the contract: {error}") from None
    if "gone" not in table and usual.gone is Gone.FORFEIT_AFTER_GRACE:
        message.gone.CopyFrom(policies_of(usual).gone)
    return message
