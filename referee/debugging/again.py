"""The turns of a record once more, for a bot of today: does it answer as it did?"""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from google.rpc.code_pb2 import Code
from referee_api.v1 import play_pb2

from engines.api import Seat
from engines.refusals import Refusal
from referee.app.story import Standing
from referee.conformance.board import LISTED_AT_MOST
from referee.conformance.stage import Stage
from referee.conformance.visit import Visit
from referee.core.events import MovePlayed, MoveRefused
from referee.core.match import Match
from referee.debugging.questions import Question
from referee.transport.convert.matches import Aside, match_of
from referee.transport.convert.turns import read_wishes, turn_of
from referee.transport.refusals import Said, refusal_of


@dataclass(frozen=True, slots=True)
class Compared:
    """One turn, then and now."""

    question: Question
    then: str
    """The move that was answered then; empty: none was."""
    now: str

    @property
    def same(self) -> bool:
        """Nothing can be said of a turn that was never answered."""
        return self.then in ("", self.now)

    @property
    def wrong(self) -> str:
        """Why the answer of now cannot be played; empty: it can."""
        try:
            self.question.due.match.at_play().play(self.question.due.seat, self.now)
        except Refusal as why:
            return str(why)
        return ""


async def again(stage: Stage, first: Match, asked: Iterable[Question], seat: Seat) -> AsyncIterator[Compared]:
    """Each is asked as it was then; the match goes on as it went then. Raises Failed if the bot does not answer."""
    await stage.begin()
    visit = await stage.visit()
    started = match_of(Standing(first, 0, None, None), Aside(lambda _: True), seat)
    visit.say(match_started=play_pb2.MatchStarted(match=started, seat=seat))
    wishes = read_wishes((await visit.hello()).wishes, LISTED_AT_MOST)
    for question in asked:
        turn = turn_of(question.due, wishes)
        visit.say(turn=turn)
        compared = Compared(question, _then(question), (await visit.answer(turn)).move)
        _judge(visit, turn, compared)
        yield compared


def _then(question: Question) -> str:
    answer = question.answer
    by_policy = isinstance(answer, MovePlayed) and answer.source.value != "bot"
    return "" if answer is None or by_policy else answer.move


def _judge(visit: Visit, turn: play_pb2.Turn, compared: Compared) -> None:
    """The verdict of then, where the answer is the same; what was not played then is stale now."""
    verdict = play_pb2.Verdict(match_id=turn.match_id, token=turn.token)
    answer = compared.question.answer
    if compared.then == compared.now and isinstance(answer, MoveRefused):
        said = Said(answer.reason, Code.FAILED_PRECONDITION, answer.sentence, {"move": answer.move})
        verdict.refused.CopyFrom(play_pb2.Refused(refusal=refusal_of(said), attempts_left=answer.attempts_left))
    elif compared.then == compared.now:
        verdict.accepted.CopyFrom(play_pb2.Accepted(ply=turn.ply + 1))
    else:
        verdict.stale.CopyFrom(play_pb2.Stale())
    visit.say(verdict=verdict)
