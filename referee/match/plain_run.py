"""Runs of plain moves: one seat owes a move, plays a legal one in time, and then one seat owes the next.

Nearly all moves of a match are plain. A run judges them one by one, but makes their events and the state of the match
only when they are asked for, because to do so for each move takes longer than the rules of a game. It is for callers
that need no state between two moves. What is not plain is left to `decide`, and for plain moves the events and the
state are those of `decide`. A run also follows the moves of a log, and then its state is that of `evolve`.
"""

from msgspec import Struct, structs

from engines.api import Position, Seat
from referee.match.clock import Clock, Hourglass, Micros, TimeControl
from referee.match.clock_charge import TurnMeasurement, charge, thinking_us
from referee.match.events import Event, MovePlayed
from referee.match.state import BY_BOT, Match, MatchPhase, Turn, Verdict, new_turn


class PlainMove(Struct, frozen=True, gc=False):
    """A plain move as it was played."""

    seat: Seat
    ply: int
    attempt: int
    move: str
    asked_us: Micros
    at_us: Micros
    stall_us: Micros
    control: TimeControl
    before: Clock
    position: Position
    """The position after it."""

    @property
    def event(self) -> MovePlayed:
        measured = TurnMeasurement(self.at_us, 0, self.stall_us)
        row = charge(self.control, self.before, self.asked_us, measured, 0)
        token = new_turn(self.seat, self.ply, self.asked_us, self.attempt).token
        return MovePlayed(self.at_us, self.seat, token, self.move, BY_BOT, row)

    @property
    def after(self) -> Clock:
        """The clock of the seat after it."""
        return self.control.after(self.before, thinking_us(self.asked_us, self.at_us, self.stall_us))


LoggedItem = Event | PlainMove
"""What a log keeps: an event, or a plain move, of which the event is made when it is asked for."""


class PlainRun:
    __slots__ = (
        "_before",
        "_clocks",
        "_controls",
        "_last",
        "_moves_made",
        "asked_us",
        "attempt",
        "ply",
        "position",
        "seat",
    )

    def __init__(self, match: Match, turn: Turn) -> None:
        self.position: Position = match.require_position()
        self.seat, self.ply, self.attempt, self.asked_us = turn.seat, turn.ply, turn.attempt, turn.asked_us
        """Those of the only turn that is due."""
        self._before = match
        self._controls = match.controls
        self._clocks = list(match.clocks)
        self._last: list[PlainMove | MovePlayed | None] = [None] * len(self._clocks)
        """The last move of each seat."""
        self._moves_made = list(match.moves_made)

    @property
    def turn(self) -> Turn:
        """The only turn that is due."""
        return new_turn(self.seat, self.ply, self.asked_us, self.attempt)

    def step(self, move: str, at_us: Micros, stall_us: Micros) -> PlainMove | None:
        """Play a move of the seat whose turn it is. Return None, and change nothing, if the move is not plain."""
        seat, ply, asked_us = self.seat, self.ply, self.asked_us
        control, before = self._controls[seat], self._clocks[seat]
        charged_us = thinking_us(asked_us, at_us, stall_us)
        limit_us = control.limit_us(before)
        if limit_us is not None and charged_us > limit_us:
            return None
        try:
            position = self.position.play(seat, move)
            owing = position.owing
        except Exception:  # Whether the move or the engine is wrong is what `decide` decides.
            return None
        if len(owing) != 1:
            return None
        played = PlainMove(seat, ply, self.attempt, move, asked_us, at_us, stall_us, control, before, position)
        self._advance(played, control.after(before, charged_us), position, owing[0])
        return played

    def follow(self, event: MovePlayed) -> bool:
        """Apply the event of a move. Return False, and change nothing, if the move is not plain."""
        seat, row = event.seat, event.row
        if seat != self.seat or row is None or row.network_credit_us or event.source is not BY_BOT:
            return False
        try:
            position = self.position.play(seat, event.move)
            owing = position.owing
        except Exception:  # `evolve` raises it again.
            return False
        if len(owing) != 1:
            return False
        self._advance(event, row.after, position, owing[0])
        return True

    def _advance(self, played: PlainMove | MovePlayed, after: Clock, position: Position, following: Seat) -> None:
        seat = self.seat
        self.position = position
        self.seat, self.ply, self.attempt, self.asked_us = following, self.ply + 1, 1, played.at_us
        self._clocks[seat] = after
        self._last[seat] = played
        self._moves_made[seat] += 1

    def match(self) -> Match:
        """Return the state after the moves so far."""
        before = self._before
        moves = self.ply - before.ply
        if not moves:
            return before
        turns: list[Turn | None] = [None] * len(before.turns)
        turns[self.seat] = self.turn
        verdicts: list[Verdict | None] = [
            played.event if isinstance(played, PlainMove) else played or verdict
            for played, verdict in zip(self._last, before.verdicts, strict=True)
        ]
        return structs.replace(
            before,
            clocks=tuple(self._clocks),
            turns=tuple(turns),
            verdicts=tuple(verdicts),
            moves_made=tuple(self._moves_made),
            number=before.number + moves,
            at_us=self.asked_us,
            ply=self.ply,
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
