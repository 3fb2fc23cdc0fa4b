"""Clauses of the protocol, and how the check of one ends: passed, failed or not applicable."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

ClauseFunction = Callable[..., Awaitable[None]]
"""Checks a program; its only argument is the kit: a `KitServer` for bots, an `OrganiserKit` for organisers."""


class ClauseFailed(Exception):
    """The program violates the clause. `str()` says what was expected and what was received."""


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

    async def run(self, kit: Any) -> "ClauseResult":
        """Check the program of a kit."""
        try:
            await self.check(kit)
        except ClauseNotApplicable as why:
            return ClauseResult(self, True, str(why))
        except ClauseFailed as why:
            return ClauseResult(self, False, str(why))
        return ClauseResult(self, True)


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
