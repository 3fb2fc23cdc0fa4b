"""Sends the turns of a record to a bot again, and compares its answers with the recorded ones."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from google.rpc.code_pb2 import Code
from referee_api.v1 import play_pb2

from engines.api import Seat
from engines.refusals import Refusal
from referee.conformance.bot_match import MAX_LEGAL_MOVES
from referee.conformance.bot_session import BotSession
from referee.conformance.kit_server import KitServer
from referee.debugging.seat_turns import SeatTurn
from referee.live.match_history import MatchStatus
from referee.match.events import MovePlayed, MoveRefused
from referee.match.state import Match
from referee.wire.error_mapping import WireError, error_detail_of
from referee.wire.matches import MatchContext, match_of, read_turn_options, turn_of


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """The recorded and the new answer to one turn."""

    question: SeatTurn
    then: str
    """The recorded move; empty if there was none."""
    now: str

    @property
    def same(self) -> bool:
        """Whether the answers are equal; also true if the turn was not answered."""
        return self.then in ("", self.now)

    @property
    def wrong(self) -> str:
        """Why the new answer is illegal; empty if it is legal."""
        try:
            self.question.due.match.require_position().play(self.question.due.seat, self.now)
        except Refusal as why:
            return str(why)
        return ""


async def rerun_turns(
    kit: KitServer, first: Match, asked: Iterable[SeatTurn], seat: Seat
) -> AsyncIterator[ComparedTurn]:
    """Send the turns and yield the comparisons. The match always continues as recorded.

    Raises ClauseFailed if the bot does not answer.
    """
    await kit.start_clause()
    session = await kit.session()
    started = match_of(MatchStatus(first, 0, None, None), MatchContext(lambda _: True), seat)
    session.send(match_started=play_pb2.MatchStarted(match=started, seat=seat))
    options = read_turn_options((await session.hello()).turn_options, MAX_LEGAL_MOVES)
    for question in asked:
        turn = turn_of(question.due, options)
        session.send(turn=turn)
        compared = ComparedTurn(question, _then(question), (await session.answer_to(turn)).move)
        _judge(session, turn, compared)
        yield compared


def _then(question: SeatTurn) -> str:
    answer = question.answer
    by_policy = isinstance(answer, MovePlayed) and answer.source.value != "bot"
    return "" if answer is None or by_policy else answer.move


def _judge(session: BotSession, turn: play_pb2.Turn, compared: ComparedTurn) -> None:
    """Send the recorded verdict if the answer is the same, otherwise `stale`."""
    verdict = play_pb2.Verdict(match_id=turn.match_id, turn_token=turn.turn_token)
    answer = compared.question.answer
    if compared.then == compared.now and isinstance(answer, MoveRefused):
        said = WireError(answer.reason, Code.FAILED_PRECONDITION, answer.sentence, {"move": answer.move})
        verdict.rejected.CopyFrom(play_pb2.Rejection(error=error_detail_of(said), attempts_left=answer.attempts_left))
    elif compared.then == compared.now:
        verdict.accepted.CopyFrom(play_pb2.Acceptance(ply=turn.ply + 1))
    else:
        verdict.stale.CopyFrom(play_pb2.StaleAnswer())
    session.send(verdict=verdict)
