"""What became of what a seat said: taken, taken before, or refused."""

from collections.abc import Sequence
from dataclasses import dataclass

from engines.api import Seat
from engines.refusals import Refusal, shortened
from referee.app.faults import fault_id
from referee.core.errors import ClockExpired
from referee.core.events import Event, FlagFell, MovePlayed, MoveRefused, PlayEnded, Source
from referee.core.result import Result
from referee.core.row import ClockRow


@dataclass(frozen=True, slots=True)
class Done:
    """It was taken."""

    number: int
    """Of the match after it."""
    result: Result | None
    """How the match ended, if this ended it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A move was accepted."""

    event: MovePlayed
    number: int
    """Of the entry that holds it."""
    ply: int
    """That was played, from 0."""
    result: Result | None
    """How the match ended, if the move ended it."""
    again: bool
    """This very answer had been given before, and this is its first verdict again."""


class AttemptRefused(Refusal):
    """A move that cannot be read, or not be played here. The attempt counts."""

    def __init__(self, event: MoveRefused, ply: int, again: bool = False) -> None:
        """`again`: this very answer had been given before."""
        details = {"move": event.move, "ply": str(ply), "attempts_left": str(event.attempts_left)}
        if event.reason == "ILLEGAL_MOVE":
            super().__init__(event.sentence, rule=event.rule, why=event.sentence, **details)
        else:
            super().__init__(event.sentence, right=event.sentence, **details)
        self.reason = event.reason
        """MALFORMED_MOVE or ILLEGAL_MOVE."""
        self.attempts_left = event.attempts_left
        self.again = again


class LateAnswer(ClockExpired):
    """The flag had fallen before the answer arrived, and `row` proves it."""

    def __init__(self, match_id: str, event: FlagFell, ply: int, again: bool = False) -> None:
        super().__init__({"match_id": match_id, "seat": str(event.seat), "ply": str(ply), **event.row.texts()})
        self.row: ClockRow = event.row
        self.again = again


class EngineFault(Refusal):
    """The rules of the game broke down over this; the match is void."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"the rules of the game broke down; match {match_id} is void",
            match_id=match_id,
            fault_id=fault_id(match_id),
        )


def seat_of(token: str) -> Seat | None:
    """The seat that a turn's token names; None: this is no token."""
    seat, _, rest = token.partition(".")
    return int(seat) if rest and seat.isascii() and seat.isdigit() and len(seat) < 4 else None


def answered(match_id: str, number: int, events: Sequence[Event], ply: int, again: bool = False) -> Answered:
    """The verdict on an answer, from what followed from it: entry `number`, and those after it.

    `ply` is how many moves had been played before. Raises AttemptRefused, LateAnswer or EngineFault.
    """
    event = events[0]
    if isinstance(event, MoveRefused):
        raise AttemptRefused(event, ply, again)
    if isinstance(event, FlagFell):
        raise LateAnswer(match_id, event, ply, again)
    if isinstance(event, PlayEnded):
        raise EngineFault(match_id)
    assert isinstance(event, MovePlayed)
    return Answered(event, number, ply, _ended_with(events), again)


def _ended_with(events: Sequence[Event]) -> Result | None:
    """The result, if the match ended in the very decision that began with the first of these events."""
    first, *rest = events
    for event in rest:
        if event.at_us != first.at_us or (isinstance(event, MovePlayed) and event.source is Source.BOT):
            return None
        if isinstance(event, PlayEnded):
            return event.result
    return None


def is_verdict_on(event: Event, token: str, move: str) -> bool:
    """Was this the verdict on that very answer?"""
    assert isinstance(event, MovePlayed | MoveRefused | FlagFell)
    return event.token == token and (isinstance(event, FlagFell) or shortened(event.move) == shortened(move))
