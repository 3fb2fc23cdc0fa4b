"""The course of one decision: the events so far, the match as they leave it, and what follows by itself."""

from engines.api import Position
from engines.refusals import shortened
from referee.core import fair
from referee.core.clock import Micros
from referee.core.commands import SubmitMove
from referee.core.ending import dropped_out, ended_by_rules
from referee.core.events import Event, FlagFell, MovePlayed, PlayEnded, SeatForfeited, SeatResigned, Source
from referee.core.match import Match, Turn, evolve
from referee.core.policy import Dropout, Late
from referee.core.result import Fault, Result
from referee.core.row import ClockRow, Measured, charge


class Course:
    """The events so far of one decision, and the match as they leave it."""

    def __init__(self, match: Match, now_us: Micros) -> None:
        self.match = match
        self.now_us = now_us
        self.events: list[Event] = []

    def happens(self, event: Event, position: Position | None = None) -> None:
        self.events.append(event)
        self.match = evolve(self.match, event, position)

    def end(self, result: Result) -> None:
        self.happens(PlayEnded(self.now_us, result, self.match.setup.seed))

    def settle(self) -> None:
        """End the game if its rules say so; else play for the seats that dropped out, until one is asked."""
        while True:
            outcome = self.match.at_play().outcome
            if outcome:
                self.end(ended_by_rules(self.match, outcome))
                return
            out = self.match.out
            turn = next((turn for turn in self.match.owing if turn.seat in out), None)
            if turn is None:
                return
            random = self.match.setup.policies.dropout is Dropout.RANDOM_MOVES
            self.play_for(turn, Source.RANDOM if random else Source.DEFAULT)

    def play_for(self, turn: Turn, source: Source, row: ClockRow | None = None) -> None:
        """The policy's move for a seat."""
        match, position = self.match, self.match.at_play()
        if source is Source.RANDOM:
            move = fair.drawn_move(match.luck(), position, turn.seat, match.ply)
        else:
            move = position.default(turn.seat)
        self.happens(MovePlayed(self.now_us, turn.seat, turn.token, move, source, row))

    def drop(self, event: SeatResigned | SeatForfeited) -> None:
        """A seat drops out; the match ends, or goes on without it."""
        self.happens(event)
        result = dropped_out(self.match)
        if result:
            self.end(result)
        else:
            self.settle()

    def row(self, turn: Turn, measured: Measured) -> ClockRow:
        match, seat = self.match, turn.seat
        credit = min(match.setup.credit.per_move_us, match.credit_us[seat])
        return charge(match.setup.controls[seat], match.clocks[seat], turn.asked_us, measured, credit)

    def flag(self, turn: Turn, row: ClockRow, answer: SubmitMove | None = None) -> None:
        """The flag of a seat falls, and the policy says what follows."""
        move, request_id = (shortened(answer.move), answer.request_id) if answer else ("", "")
        self.happens(FlagFell(self.now_us, turn.seat, turn.token, row, move, request_id))
        late = self.match.setup.policies.late
        if late is Late.FORFEIT:
            self.drop(SeatForfeited(self.now_us, turn.seat, Fault.TIME))
        else:
            self.play_for(turn, Source.RANDOM if late is Late.RANDOM_MOVE else Source.DEFAULT)
            self.settle()
