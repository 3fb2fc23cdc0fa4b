"""Parses the full text of a position of OpenSpiel, and reports what is wrong with it."""

import re
from typing import Final

from engines.chance import Chance
from engines.game_errors import MalformedPosition
from engines.openspiel.position import HIDDEN, NO_CHOICES, NO_HISTORY, OPEN, SpielPosition, Unplayable, replayed
from engines.openspiel.rules import SpielRules

GRAMMAR: Final = """\
history                  OpenSpiel's actions from the beginning, separated by commas; - if there are none
seed/drawn history       in games with chance: the seed in hexadecimal digits, and how many numbers were drawn
history choices          where seats choose at the same time: by seat its action, or - ; . after the end
Outcomes of chance are in the history, as actions. ? stands for what a viewer does not know; in games that hide
something, ? and the view as JSON are all that a seat gets.
"""

MAX_TEXT: Final = 60_000
"""Characters. The longest random games have some ten thousand."""

_ACTION: Final = "(?:0|[1-9][0-9]{0,8})"
_CHANCE: Final = f"(?P<seed>(?:[0-9a-f]{{2}})*)/(?P<drawn>{_ACTION}) "
_HISTORY: Final = f"(?P<history>-|{_ACTION}(?:,{_ACTION})*)"
_CHOICES: Final = rf" (?P<choices>\.|(?:-|{_ACTION})(?:,(?:-|{_ACTION}))*)"
_FORMS: Final = {
    (has_chance, is_simultaneous): re.compile(
        f"{_CHANCE if has_chance else ''}{_HISTORY}{_CHOICES if is_simultaneous else ''}", re.ASCII
    )
    for has_chance in (False, True)
    for is_simultaneous in (False, True)
}


def read_position(rules: SpielRules, text: str) -> SpielPosition:
    """Return the position that a full text describes. Raises MalformedPosition."""
    if len(text) > MAX_TEXT:
        raise MalformedPosition(text, f"it has more than {MAX_TEXT} characters")
    found = _FORMS[rules.has_chance, rules.is_simultaneous].fullmatch(text)
    if not found:
        seen = ", and it hides something" if text.startswith(HIDDEN) else ""
        raise MalformedPosition(text, f"it must be {_form_name(rules)}{seen}")
    chance = Chance(bytes.fromhex(found["seed"]), int(found["drawn"])) if rules.has_chance else None
    history = [] if found["history"] == NO_HISTORY else list(map(int, found["history"].split(",")))
    choices = _read_choices(found["choices"]) if rules.is_simultaneous else ()
    try:
        position = replayed(rules, chance, history, choices)
    except Unplayable as error:
        raise MalformedPosition(text, str(error)) from None
    if str(position) != text:
        raise MalformedPosition(text, f"it must end with {str(position)[-40:]!r}")
    return position


def _read_choices(text: str) -> tuple[int | None, ...]:
    if text == NO_CHOICES:
        return ()
    return tuple(None if choice == OPEN else int(choice) for choice in text.split(","))


def _form_name(rules: SpielRules) -> str:
    """Return the form of the texts of a game in words."""
    parts = ["seed/drawn"] * rules.has_chance + ["history"] + ["choices"] * rules.is_simultaneous
    return f"{' '.join(parts)}, where the history has OpenSpiel's actions, separated by commas"
