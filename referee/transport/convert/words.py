"""Words of the contract, and what they stand for here."""

from enum import Enum
from typing import TypeVar

from referee.app.refusals import BadField

Ours = TypeVar("Ours", bound=Enum)
Word = TypeVar("Word", bound=int)


def named(words: dict[Word, Ours], given: int, field: str) -> Ours:
    """What a word of the contract stands for. Raises BadField."""
    known: dict[int, Ours] = {int(one): ours for one, ours in words.items()}
    if given not in known:
        raise BadField(field, f"{given} is unknown; known: {', '.join(map(str, known))}")
    return known[given]


def chosen(words: dict[Word, Ours], given: int, field: str) -> Ours:
    """The same where 0 is the default, the first of the words. Raises BadField."""
    return named(words, given or next(iter(words)), field)


def word(words: dict[Word, Ours], ours: Ours) -> Word:
    return next(one for one, meaning in words.items() if meaning is ours)
