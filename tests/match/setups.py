"""Setups from flat fields: tests name a field of the terms as they name one of the setup."""

from typing import Any

from msgspec.structs import fields, replace

from referee.match.match_terms import MatchTerms
from referee.match.setup import Setup

OF_TERMS = frozenset(field.name for field in fields(MatchTerms))


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the terms, and the others."""
    terms = {name: field for name, field in given.items() if name in OF_TERMS}
    return terms, {name: field for name, field in given.items() if name not in OF_TERMS}


def make_setup(**given: Any) -> Setup:
    terms, others = split(given)
    return Setup(terms=MatchTerms(**terms), **others)


def change_setup(setup: Setup, **given: Any) -> Setup:
    terms, others = split(given)
    return replace(setup, terms=replace(setup.terms, **terms), **others)
