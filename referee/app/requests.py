"""What came of the requests that matches were asked beside moves.

Of matches on the floor it is at hand; of all others the log is asked, which is the truth about both.
"""

from collections.abc import Sequence
from typing import TypeAlias

from referee.app.answers import Done
from referee.app.ports import Entry, EventLog, Request
from referee.core.events import PlayEnded

Answers: TypeAlias = dict[tuple[int | str, str], tuple[Request, Done]]
"""By who asked and the request's id."""


class Requests:
    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._at_hand: dict[str, Answers] = {}

    def note(self, entries: Sequence[Entry]) -> None:
        """These follow in the log of a match that is on the floor. All of its entries come here."""
        self._at_hand.setdefault(entries[0].match_id, {}).update(_answers(entries))

    def forget(self, match_id: str) -> None:
        """It leaves the floor."""
        self._at_hand.pop(match_id, None)

    async def first(self, match_id: str, by: int | str, request_id: str) -> tuple[Request, Done] | None:
        """The request that had this id, and what came of it. Raises LogUnavailable."""
        answers = self._at_hand.get(match_id)
        if answers is None:
            answers = _answers(await self._log.read(match_id))
        return answers.get((by, request_id))


def _answers(entries: Sequence[Entry]) -> Answers:
    return {(entry.request.by, entry.request.id): (entry.request, _done(entry)) for entry in entries if entry.request}


def _done(entry: Entry) -> Done:
    return Done(entry.number, entry.event.result if isinstance(entry.event, PlayEnded) else None)
