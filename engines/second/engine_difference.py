"""Errors of two engines that run beside each other.

The first line of their text is the headline, which shows nothing that is hidden from anybody. The lines below are for
the log, the record and the organiser: they have positions with all hidden parts.
"""

from collections.abc import Sequence

from engines.api import Seat

MAX_DETAIL_CHARS = 4_000
"""Limit of each line below the headline."""


class SecondEngineError(Exception):
    """The engines differ, or the second one has failed. Neither is the fault of a bot."""

    def __init__(self, headline: str, details: Sequence[str], last: tuple[Seat, str] | None = None) -> None:
        """`last` is the move at which it happened; None: it was the first position."""
        lines = (line if len(line) <= MAX_DETAIL_CHARS else f"{line[:MAX_DETAIL_CHARS]}..." for line in details)
        self.last = last
        super().__init__("\n".join((headline, *(line.replace("\n", " ") for line in lines))))


class EngineDifference(SecondEngineError):
    """Two engines give different answers."""


class SecondEngineFailed(SecondEngineError):
    """The second engine has raised an exception."""


class SecondEngineSlow(SecondEngineError):
    """The second engine needs more CPU time for one position than it may."""
