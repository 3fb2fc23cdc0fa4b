"""A command on its way through a runner, and how it may miss its match."""

import asyncio
from typing import NamedTuple

from engines.refusals import Refusal, quoted, shortened
from referee.app.ports import Request
from referee.core.clock import Micros
from referee.core.commands import Command
from referee.core.deciding import Decided


class NotRunHere(Exception):
    """This runner has stopped. If the match is not over, another one runs it, now or soon."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"match {match_id} is not run here any more")
        self.match_id = match_id


class UnknownMatch(Refusal):
    def __init__(self, match_id: str) -> None:
        super().__init__(f"there is no match {quoted(match_id)}", match_id=shortened(match_id))


class Asked(NamedTuple):
    """A command, and who waits for what follows from it."""

    command: Command
    caller: asyncio.Future[Decided]
    request: Request | None = None
    """By which the answer is to be found again."""
    holder: str = ""
    """On whose behalf it is decided."""
    since_us: Micros | None = None
    """When what it tells of happened, by the machine; None: now."""

    def answer(self, decided: Decided) -> None:
        if not self.caller.done():  # It is, if the caller has hung up.
            self.caller.set_result(decided)

    def refuse(self, why: Exception) -> None:
        if not self.caller.done():
            self.caller.set_exception(why)
