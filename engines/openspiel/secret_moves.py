"""Which moves the other seats do not see: OpenSpiel says what a seat knows, and not which moves are public."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

Secret: TypeAlias = Callable[[Any, str], bool]
"""Tells whether a move is hidden from the other seats; takes the state in which it is played, and its text."""

HEARTS_DEAL = 1 + 52
"""The pass direction, and the cards."""
HEARTS_PASSES = 4 * 3


def nothing(state: Any, move: str) -> bool:
    return False


def everything(state: Any, move: str) -> bool:
    return True


def matching(pattern: str) -> Secret:
    """Return what tells whether a move begins with a pattern."""
    form = re.compile(pattern)
    return lambda state, move: bool(form.match(move))


def in_phase(name: str) -> Secret:
    """Return what tells whether the state is in a phase of this name."""
    return lambda state, move: name in str(state.current_phase())


def passed_hearts(state: Any, move: str) -> bool:
    """Return whether a card is passed, which follows the deal unless the direction is 0."""
    history = state.history()
    direction: int = history[0]
    return direction != 0 and len(history) < HEARTS_DEAL + HEARTS_PASSES


def discarded_skat(state: Any, move: str) -> bool:
    """Return whether a card is put into the skat."""
    return "Phase: discarding" in str(state)
