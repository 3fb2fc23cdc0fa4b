"""Complete and check the terms of matches that a plan has."""

from collections.abc import Mapping
from typing import Any

import referee_values as values
from msgspec.structs import replace
from referee_values import DisconnectPolicy, NetworkCredit, Policies

from engines.api import Game
from engines.game_errors import DetailedError
from engines.options import Settings as GameSettings
from engines.registry import find
from referee.hosting.given_terms import TermsReader
from referee.local.short_forms import DEFAULT_CLOCK, read_clock
from referee.local.toml_validation import BadPlan, keys_of, read
from referee.match.match_terms import DEFAULT_POLICIES, MatchTerms
from referee.server.settings import Settings

OF_A_MATCH = keys_of(values.MatchTerms)
OF_EVERY_GAME = tuple(key for key in OF_A_MATCH if key not in keys_of(values.Rules))
"""Keys that a plan of several games can also have at its top level, for all of them."""

LOCAL_DISCONNECT = DisconnectPolicy(action="forfeit_after_grace_period", grace_period_ms=5_000)
LOCAL_POLICIES = replace(DEFAULT_POLICIES, disconnect=LOCAL_DISCONNECT)
"""Policies of local matches: a crashed process does not return, so its clock need not run out."""
LOCAL_CREDIT = NetworkCredit(per_move_ms=Settings().credit_per_move_ms, per_match_ms=Settings().credit_per_match_ms)
"""Network credit of local matches, as a server has it by default."""


def rules_of(game: Game, settings: GameSettings) -> values.Rules:
    return values.Rules(game=game.name, options=settings.texts(), version=game.version)


def game_of(rules: values.Rules) -> tuple[Game, GameSettings]:
    """Raises a DetailedError."""
    game = find(rules.game)
    return game, game.settings(dict(rules.options), rules.preset or None)


def complete_match_terms(where: str, terms: values.MatchTerms, usual: Policies) -> values.MatchTerms:
    """Return the terms with all options, a clock, and what the author says nothing about if bots go away.

    Raises BadPlan with `where`, or without it a DetailedError, if no match can be played by them.
    """
    if not terms.rules.game:
        raise BadPlan(where, "`game` is missing")
    try:
        game, settings = game_of(terms.rules)
        time, policies = terms.time_control, terms.policies
        if not time.rule.kind:
            time = replace(time, rule=read_clock(DEFAULT_CLOCK))
        if policies.disconnect == DisconnectPolicy():
            policies = replace(policies, disconnect=usual.disconnect)
        terms = replace(terms, rules=rules_of(game, settings), time_control=time, policies=policies)
        _reader_of(game).match_terms(terms).check(game)
    except DetailedError as error:
        raise BadPlan(where, str(error)) if where else error from None
    return terms


def local_terms(given: Mapping[str, Any]) -> MatchTerms:
    """Read the terms of matches on a server of this process, where bots crash and do not return. Raises BadPlan."""
    terms = complete_match_terms("", read("", given, values.MatchTerms), LOCAL_POLICIES)
    reader = _reader_of(find(terms.rules.game))
    return reader.with_nonces(reader.match_terms(terms), terms, in_sets=False)


def _reader_of(game: Game) -> TermsReader:
    return TermsReader({game.name: game}, LOCAL_CREDIT)
