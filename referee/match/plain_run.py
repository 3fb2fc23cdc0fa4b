"""Runs of plain moves: one seat owes a move, plays a legal one in time, and then one seat owes the next.

Nearly all moves of a match are plain. A run makes their events one by one, but the state of the match only when it is
asked for, because a copy of the state for each move takes as long as the rules of a game. It is for callers that need
no state between two moves. What is not plain is left to `decide`, and for plain moves the events and the state are
those of `decide`. A run also follows the moves of a log, and then its state is that of `evolve`.
"""

from msgspec import structs

from engines.api import Position, Seat
from referee.match.clock import Hourglass
from referee.match.clock_charge import ClockCharge, TurnMeasurement, charge
from referee.match.events import MovePlayed
from referee.match.state import BY_BOT, Match, MatchPhase, Turn, Verdict, new_turn


class PlainRun:
    __slots__ = ("_before", "_clocks", "_controls", "_moves_made", "_verdicts", "position", "turn")

    def __init__(self, match: Match, turn: Turn) -> None:
        self.position: Position = match.require_position()
        self.turn = turn
        """The only turn that is due."""
        self._before = match
        self._controls = match.controls
        self._clocks = list(match.clocks)
        self._verdicts: list[Verdict | None] = list(match.verdicts)
        self._moves_made = list(match.moves_made)

    def play(self, move: str, measured: TurnMeasurement) -> MovePlayed | None:
        """Play a move of the seat whose turn it is. Return None, and change nothing, if the move is not plain."""
        turn = self.turn
        seat = turn.seat
        row = charge(self._controls[seat], self._clocks[seat], turn.asked_us, measured, 0)
        if row.late or measured.network_us:
            return None
        try:
            position = self.position.play(seat, move)
            owing = position.owing
        except Exception:  # Whether the move or the engine is wrong is what `decide` decides.
            return None
        if len(owing) != 1:
            return None
        now_us = measured.arrived_us
        event = MovePlayed(now_us, seat, turn.token, move, BY_BOT, row)
        self._advance(event, row, position, owing[0])
        return event

    def follow(self, event: MovePlayed) -> bool:
        """Apply the event of a move. Return False, and change nothing, if the move is not plain."""
        seat, row = event.seat, event.row
        if seat != self.turn.seat or row is None or row.network_credit_us or event.source is not BY_BOT:
            return False
        try:
            position = self.position.play(seat, event.move)
            owing = position.owing
        except Exception:  # `evolve` raises it again.
            return False
        if len(owing) != 1:
            return False
        self._advance(event, row, position, owing[0])
        return True

    def _advance(self, event: MovePlayed, row: ClockCharge, position: Position, following: Seat) -> None:
        seat = event.seat
        self.position = position
        self.turn = new_turn(following, self.turn.ply + 1, event.at_us)
        self._clocks[seat] = row.after
        self._verdicts[seat] = event
        self._moves_made[seat] += 1

    def match(self) -> Match:
        """Return the state after the moves so far."""
        before, turn = self._before, self.turn
        moves = turn.ply - before.ply
        if not moves:
            return before
        turns: list[Turn | None] = [None] * len(before.turns)
        turns[turn.seat] = turn
        return structs.replace(
            before,
            clocks=tuple(self._clocks),
            turns=tuple(turns),
            verdicts=tuple(self._verdicts),
            moves_made=tuple(self._moves_made),
            number=before.number + moves,
            at_us=turn.asked_us,
            ply=turn.ply,
            position=self.position,
        )


def plain_run(match: Match) -> PlainRun | None:
    """Return a run that begins in this state; None if its next move has consequences that only `decide` knows."""
    if match.phase is not MatchPhase.PLAYING or match.offers or match.dropped_seats or match.terms.adjudication:
        return None
    owing = match.owing
    shared = type(match.controls[0]) is Hourglass  # Of all seats or of none.
    # A turn that is older than the position was pending together with others.
    return None if shared or len(owing) != 1 or owing[0].ply != match.ply else PlainRun(match, owing[0])
