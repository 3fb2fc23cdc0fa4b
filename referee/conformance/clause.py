"""Clauses of the protocol, and how the check of one ends: passed, failed or not applicable."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

ClauseFunction = Callable[..., Awaitable[None]]
"""Checks a bot; its only argument is the `KitServer`."""


class ClauseFailed(Exception):
    """The bot violates the clause. `str()` says what was expected and what was received."""


class ClauseNotApplicable(Exception):
    """The clause needs something that the bot does not support, such as a game."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One promise of the protocol, with the function that checks it."""

    check: ClauseFunction

    @property
    def name(self) -> str:
        return self.check.__name__.replace("_", "-")

    @property
    def promise(self) -> str:
        """The promise in one sentence: the docstring of the function."""
        return " ".join((self.check.__doc__ or "").split())


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """The result of one clause."""

    clause: Clause
    passed: bool
    why: str = ""
    """Why it failed or, if it passed, why it was skipped."""


def require(fact: bool, message: str) -> None:
    """Raise ClauseFailed with the message unless `fact` is true."""
    if not fact:
        raise ClauseFailed(message)
