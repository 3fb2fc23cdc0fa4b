"""The turns of one seat in a record, with its answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from engines.api import Seat
from referee.live.match_history import MatchHistory
from referee.live.turns import TurnDue, clocks_at_entry
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MovePlayed, MoveRejected
from referee.match.state import Match, Turn
from referee.records.record_reader import RecordHistory

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
