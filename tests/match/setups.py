"""Setups from flat fields: tests name a field of the terms as they name one of the setup."""

from typing import Any

from msgspec.structs import fields, replace
from referee_values import DisconnectPolicy

from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE, MatchTerms, filled
from referee.match.setup import Setup

OF_TERMS = frozenset(field.name for field in fields(MatchTerms))


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the terms, and the others."""
    terms = {name: field for name, field in given.items() if name in OF_TERMS}
    return terms, {name: field for name, field in given.items() if name not in OF_TERMS}


def complete(terms: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with the default of each policy that is not set."""
    usual = {"policies": DEFAULT_POLICIES, "visibility": SHOWN_LIVE}
    return terms | {name: filled(terms[name], usual[name]) for name in terms.keys() & usual.keys()}


def forfeits_after(grace_period_ms: int) -> DisconnectPolicy:
    return DisconnectPolicy(action="forfeit_after_grace_period", grace_period_ms=grace_period_ms)


def make_setup(**given: Any) -> Setup:
    terms, others = split(given)
    return Setup(terms=MatchTerms(**complete(terms)), **others)


def change_setup(setup: Setup, **given: Any) -> Setup:
    terms, others = split(given)
    return replace(setup, terms=replace(setup.terms, **complete(terms)), **others)
