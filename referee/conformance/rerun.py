"""The recorded turns of a seat, sent to a bot again."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from engines.api import Seat
from engines.game_errors import GameError
from referee.conformance.bot_match import MAX_LEGAL_MOVES
from referee.conformance.kit_server import KitServer
from referee.live.match_history import MatchStatus
from referee.match.events import MovePlayed, MoveRejected
from referee.match.state import Match
from referee.records.seat_turns import SeatTurn
from referee.transport.wire.error_mapping import WireError
from referee.transport.wire.matches import MatchContext, match_of, read_turn_options, turn_of
from referee.transport.wire.wire_errors import FAILED


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
        except GameError as why:
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
    session.send_started(started, seat)
    options = read_turn_options((await session.hello()).turn_options, MAX_LEGAL_MOVES)
    for question in asked:
        turn = turn_of(question.due, options)
        session.send(turn=turn)
        compared = ComparedTurn(question, _then(question), (await session.answer_to(turn)).move)
        if compared.then != compared.now:
            session.declare_stale(turn)
        elif isinstance(question.answer, MoveRejected):
            session.reject(turn, _recorded_error(question.answer), question.answer.attempts_left)
        else:
            session.accept(turn)
        yield compared


def _then(question: SeatTurn) -> str:
    answer = question.answer
    by_policy = isinstance(answer, MovePlayed) and answer.source.value != "bot"
    return "" if answer is None or by_policy else answer.move


def _recorded_error(rejected: MoveRejected) -> WireError:
    return WireError(rejected.reason, FAILED, rejected.sentence, {"move": rejected.move})
