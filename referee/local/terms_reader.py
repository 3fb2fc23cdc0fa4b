"""Read match terms: game, options, clock and policies. A clock is text in the notation of the SDK, or a table.

60+1                                 a minute plus a second per move (see referee_client.organiser)
{japanese_byo_yomi = {main_ms = 60000, period_ms = 5000, periods = 3}}
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format
from referee_api.v1 import clock_pb2, match_pb2, policy_pb2
from referee_client.organiser import clock_text

from engines.game_errors import DetailedError, quoted
from engines.registry import find
from referee.local.toml_validation import BadPlan, value
from referee.match.clock import SECOND, TimeControl
from referee.match.match_errors import BadTimeControl
from referee.match.match_terms import DisconnectPolicy, Policies
from referee.wire.clocks import read_rule, rule_of
from referee.wire.rules import rules_of
from referee.wire.terms import policies_of

OF_A_MATCH = ("game", "options", "preset", "clock", "policies")
DEFAULT_CLOCK = "60+1"
CLOCK_RULE = "cannot be read; write for example 60+1, 60 byoyomi 3x10, 5/move or none"

LOCAL_POLICIES = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_period_us=5 * SECOND)
"""Policies of local matches: a crashed process does not return, so its clock need not run out."""


class BadClock(DetailedError):
    """Invalid time control."""

    def __init__(self, given: object, wrong: str) -> None:
        super().__init__(f"the clock {quoted(given)} {wrong}", given=str(given), wrong=wrong)


def match_terms(where: str, given: Mapping[str, Any], usual: Policies) -> match_pb2.MatchTerms:
    """Read match terms. Raises BadPlan."""
    try:
        game = find(value("game", given, str, ""))
        settings = game.settings(value("options", given, dict, {}), value("preset", given, str, None))
        control = read_clock(given.get("clock", DEFAULT_CLOCK))
        return terms_of(rules_of(game.name, game.version, settings), control, policies_in(given, usual))
    except DetailedError as error:
        raise BadPlan(where, str(error)) if where else error from None


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


def read_clock(given: object) -> TimeControl:
    """Parse a time control from text or a table. Raises BadClock."""
    try:
        return _clock_of_table(given) if isinstance(given, Mapping) else _clock_of_text(str(given))
    except BadTimeControl as wrong:
        raise BadClock(given, f"is invalid: {wrong.details['field']} {wrong.details['why']}") from None


def _clock_of_text(text: str) -> TimeControl:
    try:
        return read_rule(clock_text.clock(text))
    except clock_text.BadClock:
        raise BadClock(text, CLOCK_RULE) from None


def _clock_of_table(given: Mapping[str, object]) -> TimeControl:
    try:
        return read_rule(json_format.ParseDict(dict(given), clock_pb2.ClockRule()))
    except json_format.ParseError as error:
        known = ", ".join(field.name for field in clock_pb2.ClockRule.DESCRIPTOR.fields)
        raise BadClock(given, f"is not a valid ClockRule ({error}); known: {known}") from None
