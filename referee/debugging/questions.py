"""What one seat was asked in a match that a record tells, and what it answered."""

from collections.abc import Iterator
from dataclasses import dataclass

from engines.api import Seat
from referee.app.ports import Entry
from referee.app.story import Step, Story
from referee.app.turns import TurnDue, seat_clocks
from referee.core.events import FlagFell, MovePlayed, MoveRefused, Opened
from referee.core.match import Match, Turn
from referee.core.row import ClockRow
from referee.storage.record import story as record

Answer = MovePlayed | MoveRefused | FlagFell


@dataclass(frozen=True, slots=True)
class Question:
    """One attempt at one turn: each has a token of its own."""

    due: TurnDue
    """As it stood when the turn came up, clocks included.

    Where seats choose at the same time, others may have chosen, unseen, before the turn was on its way.
    """
    answer: Answer | None
    """What came of it. None: the match ended under it, or the seat dropped out."""

    @property
    def row(self) -> ClockRow | None:
        """What it did to the clock. None: nothing did, as with a refused attempt, which does not stop it."""
        return None if isinstance(self.answer, MoveRefused) or self.answer is None else self.answer.row


def questions(tale: record.Story, seat: Seat) -> Iterator[Question]:
    """In order. A turn that was asked again, after a break or for an offer of a draw, is one question."""
    told = Story(Step(Entry("", 1, 0, Opened(0, tale.first.setup)), None, tale.first))
    asked: TurnDue | None = None
    answer: Answer | None = None
    for step in tale.steps:
        told.goes_on([Step(step.entry, step.before, step.after)])
        turn, event = step.after.turns[seat], step.entry.event
        if asked and isinstance(event, Answer) and event.token == asked.turn.token:
            answer = event  # A flag that fell leaves the turn where it is until its forfeit is told.
        if asked and (turn is None or turn.token != asked.turn.token):
            yield Question(asked, answer)
            asked = answer = None
        if turn and asked is None:
            asked = _due(step.after, turn, told)
    if asked:
        yield Question(asked, answer)


def _due(match: Match, turn: Turn, told: Story) -> TurnDue:
    clocks = seat_clocks(match, match.at_us, (0,) * len(match.players))
    return TurnDue(match, turn, told.moves, told.last_move_of.get(turn.seat, 0), clocks, again=False)
