"""Read match terms: every field that the contract has. A clock is text in the notation of the SDK, or a table.

60+1                                 a minute plus a second per move (see referee_client.organiser)
{japanese_byo_yomi = {main_ms = 60000, period_ms = 5000, periods = 3}}
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from referee_api.conversion import to_message
from referee_api.v1 import clock_pb2, game_pb2, match_pb2, policy_pb2
from referee_client.organiser import clock_text
from referee_client.organiser.terms import read_visibility
from referee_values import Adjudication, ClockRule, DisconnectPolicy, NetworkCredit, Policies, TimeControl, Visibility

from engines.api import Game, Table
from engines.game_errors import DetailedError, quoted
from engines.options import Settings as GameSettings
from engines.registry import find
from referee.hosting.contest_terms import with_nonces
from referee.local.toml_validation import BadPlan, count, fill, value, whole
from referee.match.adjudication import check_adjudication, check_sides
from referee.match.clock import MS, complete_rule, complete_time, control_of
from referee.match.clock_charge import check_credit
from referee.match.match_errors import BadTimeControl
from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE, MatchTerms, filled, forfeits_if_gone
from referee.server.settings import Settings
from referee.transport.wire.basic_types import read_value
from referee.transport.wire.rules import rules_of

OF_EVERY_GAME = (
    "clock",
    "odds",
    "network_credit",
    "policies",
    "visibility",
    "start_timeout_ms",
    "random_seats",
    "nonce_timeout_ms",
    "adjudication",
)
"""Keys that a plan of several games can also have at its top level, for all of them."""
OF_A_MATCH = ("game", "options", "preset", *OF_EVERY_GAME)
MAX_MS = 315_360_000_000
"""Ten years, the limit of the server."""
DEFAULT_CLOCK = "60+1"
CLOCK_RULE = "cannot be read; write for example 60+1, 60 byoyomi 3x10, 5/move or none"

LOCAL_DISCONNECT = DisconnectPolicy(action="forfeit_after_grace_period", grace_period_ms=5_000)
LOCAL_POLICIES = replace(DEFAULT_POLICIES, disconnect=LOCAL_DISCONNECT)
"""Policies of local matches: a crashed process does not return, so its clock need not run out."""
LOCAL_CREDIT = NetworkCredit(per_move_ms=Settings().credit_per_move_ms, per_match_ms=Settings().credit_per_match_ms)
"""Network credit of local matches, as a server has it by default."""


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
        terms = terms_of(rules_of(game.name, game.version, settings), control, policies_in(given, usual))
        _fill_more(terms, given, game.table(settings))
        return terms
    except DetailedError as error:
        raise BadPlan(where, str(error)) if where else error from None


def local_terms(game: Game, settings: GameSettings, given: Mapping[str, Any]) -> MatchTerms:
    """Read the terms of matches on a server of this process, where bots crash and do not return. Raises BadPlan."""
    message = match_terms("", given, LOCAL_POLICIES)
    terms = MatchTerms(
        game.name,
        settings,
        complete_time(read_value(message.time_control, TimeControl), LOCAL_CREDIT),
        filled(read_value(message.policies, Policies), DEFAULT_POLICIES),
        filled(read_value(message.visibility, Visibility), SHOWN_LIVE),
        nonce_timeout_us=message.nonce_timeout_ms * MS,
        start_timeout_us=message.start_timeout_ms * MS,
        adjudication=_adjudication(message, game.table(settings)),
    )
    check_credit(terms.network_credit)
    return terms if "nonce_timeout_ms" in given else with_nonces(terms, game, in_sets=False)


def _fill_more(terms: match_pb2.MatchTerms, given: Mapping[str, Any], table: Table) -> None:
    """Fill the fields that most plans leave at their defaults. Raises BadPlan, BadClock or BadSetup."""
    seats = len(table.seats)
    for seat, clock in value("odds", given, dict, {}).items():
        if seat not in map(str, range(seats)):
            raise BadPlan("odds", f"there is no seat {quoted(seat)}; seats are 0 to {seats - 1}")
        terms.time_control.odds.add(seat=int(seat), rule=to_message(read_clock(clock), clock_pb2.ClockRule))
    if "network_credit" in given:
        terms.time_control.network_credit.SetInParent()
        fill("network_credit", value("network_credit", given, dict, {}), terms.time_control.network_credit)
    if "visibility" in given:
        terms.visibility.CopyFrom(_visibility(given["visibility"]))
    terms.start_timeout_ms = count("start_timeout_ms", given, 0, MAX_MS)
    if "nonce_timeout_ms" in given:
        terms.nonce_timeout_ms = whole("nonce_timeout_ms", given, MAX_MS)
        terms.without_nonces = not terms.nonce_timeout_ms
    terms.random_seats = value("random_seats", given, bool, False)
    if "adjudication" in given:
        fill("adjudication", value("adjudication", given, dict, {}), terms.adjudication)
        _adjudication(terms, table)


def _adjudication(terms: match_pb2.MatchTerms, table: Table) -> Adjudication | None:
    """Raises BadSetup."""
    if not terms.adjudication.ListFields():
        return None
    adjudication = read_value(terms.adjudication, Adjudication)
    check_adjudication(adjudication)
    check_sides(adjudication, table)
    return adjudication


def _visibility(given: object) -> policy_pb2.Visibility:
    try:
        return to_message(read_visibility(str(given)), policy_pb2.Visibility)
    except ValueError as wrong:
        raise BadPlan("visibility", str(wrong)) from None


def read_opening(where: str, given: object) -> game_pb2.Opening:
    """Parse an opening: a position as text, or a table with a position and moves. Raises BadPlan."""
    if isinstance(given, str):
        return game_pb2.Opening(position=given)
    if not isinstance(given, dict):
        raise BadPlan(where, f"expected a position or a table with position and moves, not {quoted(given)}")
    opening = game_pb2.Opening()
    fill(where, given, opening)
    return opening


def terms_of(rules: Any, rule: ClockRule, policies: policy_pb2.Policies) -> match_pb2.MatchTerms:
    time = to_message(TimeControl(rule=rule), clock_pb2.TimeControl)
    return match_pb2.MatchTerms(rules=rules, time_control=time, policies=policies)


def policies_in(given: Mapping[str, Any], usual: Policies) -> policy_pb2.Policies:
    """Read the table `policies`; without `disconnect`, the default policy applies. Raises BadPlan."""
    table = value("policies", given, dict, {})
    message = policy_pb2.Policies()
    fill("policies", table, message)
    if "disconnect" not in table and forfeits_if_gone(usual):
        message.disconnect.CopyFrom(to_message(usual.disconnect, policy_pb2.DisconnectPolicy))
    return message


def read_clock(given: object) -> ClockRule:
    """Parse the rule of a clock from text or a table. Raises BadClock."""
    try:
        rule = _clock_of_table(given) if isinstance(given, Mapping) else _clock_of_text(str(given))
        control_of(rule)
        return complete_rule(rule)
    except BadTimeControl as wrong:
        raise BadClock(given, f"is invalid: {wrong.details['field']} {wrong.details['why']}") from None


def _clock_of_text(text: str) -> ClockRule:
    try:
        return read_value(to_message(clock_text.clock(text), clock_pb2.ClockRule), ClockRule)
    except clock_text.BadClock:
        raise BadClock(text, CLOCK_RULE) from None


def _clock_of_table(given: Mapping[str, object]) -> ClockRule:
    rule = clock_pb2.ClockRule()
    try:
        fill("clock", given, rule)
    except BadPlan as wrong:
        raise BadClock(given, f"is invalid: {wrong}") from None
    return read_value(rule, ClockRule)
