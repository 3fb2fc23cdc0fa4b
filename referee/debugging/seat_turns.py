"""The turns of one seat in a record, with its answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from engines.api import Seat
from referee.live.log_history import LogStep
from referee.live.match_history import MatchHistory
from referee.live.ports import Entry
from referee.live.turn_view import TurnDue, seat_clocks
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MatchCreated, MovePlayed, MoveRefused
from referee.match.state import Match, Turn
from referee.records import record_history as record

SeatAnswer = MovePlayed | MoveRefused | FlagFell


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
        return None if isinstance(self.answer, MoveRefused) or self.answer is None else self.answer.row


def seat_turns(history: record.RecordHistory, seat: Seat) -> Iterator[SeatTurn]:
    """Yield the turns of a seat in order. A repeated turn is yielded once."""
    match_history = MatchHistory(LogStep(Entry("", 1, 0, MatchCreated(0, history.first.setup)), None, history.first))
    pending: TurnDue | None = None
    answer: SeatAnswer | None = None
    for step in history.steps:
        match_history.extend([LogStep(step.entry, step.before, step.after)])
        turn, event = step.after.turns[seat], step.entry.event
        if pending and isinstance(event, SeatAnswer) and event.token == pending.turn.token:
            answer = event  # After a flag fall the turn stays due until the forfeit event.
        if pending and (turn is None or turn.token != pending.turn.token):
            yield SeatTurn(pending, answer)
            pending = answer = None
        if turn and pending is None:
            pending = _due(step.after, turn, match_history)
    if pending:
        yield SeatTurn(pending, answer)


def _due(match: Match, turn: Turn, match_history: MatchHistory) -> TurnDue:
    clocks = seat_clocks(match, match.at_us, (0,) * len(match.players))
    return TurnDue(
        match, turn, match_history.moves, match_history.last_move_of.get(turn.seat, 0), clocks, repeated=False
    )
