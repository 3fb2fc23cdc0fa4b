"""Short forms of plans and command lines: text or a list in place of a table of the contract."""

from collections.abc import Callable
from typing import Any, NamedTuple

from referee_client.organiser import clock_text
from referee_client.organiser.terms import read_visibility
from referee_values import ClockRule, ForbiddenPair, Opening, Visibility

from engines.game_errors import DetailedError, quoted
from referee.match.clock import complete_rule, control_of
from referee.match.match_errors import BadTimeControl

DEFAULT_CLOCK = "60+1"
CLOCK_RULE = "cannot be read; write for example 60+1, 60 byoyomi 3x10, 5/move or none"


class BadClock(DetailedError):
    """Invalid text of a clock."""

    def __init__(self, given: object, wrong: str) -> None:
        super().__init__(f"the clock {quoted(given)} {wrong}", given=str(given), wrong=wrong)


def read_clock(given: object) -> ClockRule:
    """Parse the rule of a clock from text, or from a number of seconds. Raises BadClock."""
    try:
        rule = clock_text.clock(str(given))
        control_of(rule)
        return complete_rule(rule)
    except clock_text.BadClock:
        raise BadClock(given, CLOCK_RULE) from None
    except BadTimeControl as wrong:
        raise BadClock(given, f"is invalid: {wrong.details['field']} {wrong.details['wrong']}") from None


class ShortForm(NamedTuple):
    given: type | tuple[type, ...]
    """What TOML has for it."""
    example: str
    expand: Callable[[Any], Any]
    """Returns the value, or its table. Raises ValueError, which says what is wrong."""


def _pair(given: list[Any]) -> dict[str, Any]:
    if len(given) != 2:
        raise ValueError(f"expected two entrants, not {quoted(given)}")
    return {"first": given[0], "second": given[1]}


SHORT_FORMS: dict[type, ShortForm] = {
    ClockRule: ShortForm((str, int, float), '"60+1"', read_clock),
    Visibility: ShortForm(str, '"delayed 4"', read_visibility),
    Opening: ShortForm(str, "a position", lambda text: {"position": text}),
    ForbiddenPair: ShortForm(list, '["anna", "bert"]', _pair),
}
