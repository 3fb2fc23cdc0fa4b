"""A command that waits for a decision, and the error of a runner that decides no more."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from referee.live.ports import Request
from referee.match.clock import Micros
from referee.match.commands import Command
from referee.match.decision import Decision


class MatchMoving(Exception):
    """The runner has stopped, since the server shuts down or the match has failed here."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not run here any more")
        self.match_id = match_id


DecisionCallback: TypeAlias = Callable[[Decision | Exception], None]
"""Called once with the stored decision on a command, or with the error because of which nothing has changed."""


class QueuedCommand(NamedTuple):
    """A command that waits until the runner is idle."""

    command: Command
    done: DecisionCallback
    request: Request | None
    """Stored with the answer, so that a repeated request finds it."""
    holder: str
    """The holder on whose behalf it is decided."""
    since_us: Micros | None
    """When the reported event happened, in monotonic time; None: now."""
