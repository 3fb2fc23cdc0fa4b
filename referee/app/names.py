"""Names and words that people give: what may stand in them."""

import re

from referee.app.refusals import BadField, BadName

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
NAME_RULE = "a name has 1 to 40 lower-case letters (a-z), digits and hyphens, the first a letter"

DESCRIPTION_CHARS = 1000
"""Of a description, a note, or a sentence that explains."""


def check_name(name: str) -> None:
    """Raises BadName."""
    if not NAME.fullmatch(name):
        raise BadName(name, NAME_RULE)


def check_words(field: str, words: str, at_most: int, at_least: int = 0) -> None:
    """One line of `at_least` to `at_most` characters. Raises BadField."""
    if not at_least <= len(words) <= at_most:
        raise BadField(field, f"it has {len(words)} characters; {at_least} to {at_most} are right")
    if not words.isprintable():
        raise BadField(field, "it has characters that cannot be printed")


def check_text(field: str, text: str, at_most: int = DESCRIPTION_CHARS) -> None:
    """Lines of up to `at_most` characters together. Raises BadField."""
    check_words(field, text.replace("\n", " "), at_most)
