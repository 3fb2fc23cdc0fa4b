"""Answers to turns: each is one move, however often and over whatever way it comes.

The runner of a match knows the last verdict on each seat. An answer that was given under a request id is
found again for ever, also after a restart: the log holds the request ids.
"""

import asyncio
from dataclasses import dataclass, replace

from engines.api import Seat
from referee.app.answers import Answered, answered, is_verdict_on
from referee.app.asked import NotRunHere
from referee.app.floor import Floor
from referee.app.lag import Arrival
from referee.app.runner import MatchRunner
from referee.app.story import Story, Verdict
from referee.core.commands import SubmitMove
from referee.core.deciding import Decided, decide
from referee.core.errors import ClockExpired, MatchOver, RequestIdReused
from referee.core.events import Event, MovePlayed, MoveRefused


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat says to a turn."""

    match_id: str
    seat: Seat
    token: str
    move: str
    request_id: str = ""
    offers_draw: bool = False
    arrival: Arrival | None = None
    """When it was read; None: now."""

    def arriving(self, runner: MatchRunner) -> SubmitMove:
        measured = runner.measured(self.seat, self.arrival)
        return SubmitMove(self.seat, self.token, self.move, measured, self.request_id, self.offers_draw)


ENTRIES_AT_ONCE = 2
"""Most often the verdict is decided alone, and the one after it shows that."""
JUDGED_BEFORE = (ClockExpired, MatchOver, NotRunHere)
"""So says who decides where there is nothing to decide. The log says whether this very answer had its verdict."""


class Answering:
    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def submit(self, answer: Answer) -> Answered:
        """See `Referee.submit`."""
        story = await self._floor.archive.story(answer.match_id)
        if answer.request_id and await self._floor.requests.first(answer.match_id, answer.seat, answer.request_id):
            raise RequestIdReused(answer.request_id)
        if story.match.result or (answer.seat, answer.request_id) in story.requests:
            return await self._again(answer, MatchOver(str(story.match.result)))
        runner = await self._floor.runner(answer.match_id)
        try:
            decision = runner.submit(answer.arriving(runner))
        except NotRunHere as why:
            return await self._again(answer, why)
        return await self.conclude(answer, decision)

    def begin(self, answer: Answer, bot: str) -> asyncio.Future[Decided] | None:
        """See `Referee.begin`."""
        board = self._floor.boards.find(answer.match_id)
        if board is None or board.runner is None or not board.holds(bot, answer.seat):
            return None
        try:
            return board.runner.submit(answer.arriving(board.runner))
        except NotRunHere:
            return None

    async def conclude(self, answer: Answer, decision: asyncio.Future[Decided]) -> Answered:
        """See `Referee.conclude`."""
        try:
            decided = await decision
        except JUDGED_BEFORE as why:
            return await self._again(answer, why)
        if not decided.events:
            return await self._again(answer, NotRunHere(answer.match_id))
        return _judged(answer.match_id, decided, decided.events)

    async def validate(self, answer: Answer) -> int:
        """See `Referee.validate`."""
        runner = await self._floor.runner(answer.match_id)
        try:
            decided = decide(runner.match, answer.arriving(runner), runner.match_now())
        except JUDGED_BEFORE as why:
            await self._again(answer, why)
        else:
            if decided.events:
                _judged(answer.match_id, decided, _uncounted(decided.events))
            else:
                await self._again(answer, NotRunHere(answer.match_id))
        return runner.match.number

    async def _again(self, answer: Answer, otherwise: Exception) -> Answered:
        """The first verdict on this answer, or what is to be said if there was none."""
        story = await self._floor.archive.story(answer.match_id)
        verdict = _verdict(story, answer)
        if verdict is None:
            raise otherwise
        events = await self._from(answer.match_id, verdict.number)
        if not is_verdict_on(events[0], answer.token, answer.move):
            raise RequestIdReused(answer.request_id)
        return answered(answer.match_id, verdict.number, events, verdict.ply, again=True)

    async def _from(self, match_id: str, number: int) -> list[Event]:
        """The entry of that number, and those decided with it. Not the whole log: it costs nothing to ask again."""
        events: list[Event] = []
        while not events or events[-1].at_us == events[0].at_us:
            entries = await self._floor.desk.log.read(match_id, number - 1 + len(events), ENTRIES_AT_ONCE)
            if not entries:
                break
            events += [entry.event for entry in entries]
        return events


def _verdict(story: Story, answer: Answer) -> Verdict | None:
    """That on this request, or else on this turn, if it was the seat's last."""
    verdict = story.requests.get((answer.seat, answer.request_id))
    if verdict is None and 0 <= answer.seat < len(story.match.verdicts):
        last = story.match.verdicts[answer.seat]
        verdict = story.last_verdict[answer.seat] if last and last.token == answer.token else None
    return verdict


def outcome(answer: Answer, decision: asyncio.Future[Decided]) -> Answered | Exception | None:
    """See `Referee.outcome`."""
    try:
        decided = decision.result()
        return _judged(answer.match_id, decided, decided.events) if decided.events else None
    except JUDGED_BEFORE:
        return None
    except Exception as why:
        return why


def _judged(match_id: str, decided: Decided, events: tuple[Event, ...]) -> Answered:
    moves = sum(isinstance(event, MovePlayed) for event in events)
    return answered(match_id, decided.match.number - len(events) + 1, events, decided.match.ply - moves)


def _uncounted(events: tuple[Event, ...]) -> tuple[Event, ...]:
    first, *rest = events
    if isinstance(first, MoveRefused):
        first = replace(first, attempts_left=first.attempts_left + 1)
    return (first, *rest)
