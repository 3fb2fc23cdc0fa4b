"""The turns of one seat in a record, with its answers; and the same turns, sent to a bot again."""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass

from engines.api import Seat
from engines.game_errors import GameError
from referee.conformance.bot_match import MAX_LEGAL_MOVES
from referee.conformance.kit_server import KitServer
from referee.live.match_history import MatchHistory, MatchStatus
from referee.live.turns import TurnDue, clocks_at_entry
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MovePlayed, MoveRejected
from referee.match.state import Match, Turn
from referee.records.record_reader import RecordHistory
from referee.wire.error_mapping import WireError
from referee.wire.matches import MatchContext, match_of, read_turn_options, turn_of
from referee.wire.wire_errors import FAILED

SeatAnswer = MovePlayed | MoveRejected | FlagFell


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """One attempt at a turn, which has its own turn token."""

    due: TurnDue
    """The turn, with the position and clocks at the time at which it was due.

    In simultaneous turns, others may have chosen before it was sent.
    """
    answer: SeatAnswer | None
    """The answer, or None if the match ended or the seat dropped out before it."""

    @property
    def row(self) -> ClockCharge | None:
        """The clock charge; None without an answer, and for a rejected attempt, which does not stop the clock."""
        return None if isinstance(self.answer, MoveRejected) or self.answer is None else self.answer.row


def seat_turns(history: RecordHistory, seat: Seat) -> Iterator[SeatTurn]:
    """Yield the turns of a seat in order. A repeated turn is yielded once."""
    first, *steps = history.steps
    match_history = MatchHistory(first)
    pending: TurnDue | None = None
    answer: SeatAnswer | None = None
    for step in steps:
        match_history.extend([step])
        turn, event = step.state.turns[seat], step.entry.event
        if pending and isinstance(event, SeatAnswer) and event.token == pending.turn.token:
            answer = event  # After a flag fall the turn stays due until the forfeit event.
        if pending and (turn is None or turn.token != pending.turn.token):
            yield SeatTurn(pending, answer)
            pending = answer = None
        if turn and pending is None:
            pending = _due(step.state, turn, match_history)
    if pending:
        yield SeatTurn(pending, answer)


def _due(match: Match, turn: Turn, match_history: MatchHistory) -> TurnDue:
    since = match_history.last_move_of.get(turn.seat, 0)
    return TurnDue(match, turn, match_history.moves, since, clocks_at_entry(match), repeated=False)


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
