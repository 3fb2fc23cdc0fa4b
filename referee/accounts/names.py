"""Checks of names and texts that callers choose."""

import re

from referee.accounts.account_errors import BadField, BadName

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
NAME_RULE = "a name has 1 to 40 lower-case letters (a-z), digits and hyphens, the first a letter"

DESCRIPTION_CHARS = 1000
"""Limit of a description, a note, or an explanation."""


def check_name(name: str) -> None:
    """Check the form of a name. Raises BadName."""
    if not NAME.fullmatch(name):
        raise BadName(name, NAME_RULE)


def check_words(field: str, words: str, limit: int, at_least: int = 0) -> None:
    """Check for one printable line of `at_least` to `limit` characters. Raises BadField."""
    if not at_least <= len(words) <= limit:
        raise BadField(field, f"it has {len(words)} characters, but must have {at_least} to {limit}")
    if not words.isprintable():
        raise BadField(field, "it must not contain unprintable characters")


def check_text(field: str, text: str, limit: int = DESCRIPTION_CHARS) -> None:
    """Check for printable lines of up to `limit` characters in total. Raises BadField."""
    check_words(field, text.replace("\n", " "), limit)


def natural_key(name: str) -> list[str | int]:
    """Return a key for sorting by which the numbers in names sort as numbers: team-2 before team-10."""
    parts = re.split("([0-9]+)", name)  # Texts and numbers alternate, so keys can be compared.
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]
