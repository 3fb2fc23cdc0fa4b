"""Results of answers and requests: accepted, repeated or rejected."""

from collections.abc import Sequence
from dataclasses import dataclass

from engines.api import Seat
from engines.refusals import Refusal, shortened
from referee.live.ports import EngineFault
from referee.match.clock_charge import ClockCharge
from referee.match.events import Event, FlagFell, MovePlayed, MoveRefused, MoveSource, PlayEnded
from referee.match.match_errors import ClockExpired
from referee.match.result import Result


@dataclass(frozen=True, slots=True)
class RequestAccepted:
    """A request was accepted."""

    number: int
    """Number of the last entry of the match after the request."""
    result: Result | None
    """Result of the match. None: it is not over."""


@dataclass(frozen=True, slots=True)
class MoveAccepted:
    """A move was accepted."""

    event: MovePlayed
    number: int
    """Number of the entry that holds the move."""
    ply: int
    """Ply of the move, from 0."""
    result: Result | None
    """Result of the match, if the move ended it."""
    repeated: bool
    """Whether the same answer was given before; this is its original verdict."""


class AttemptRefused(Refusal):
    """The move is malformed or illegal. The attempt counts."""

    def __init__(self, event: MoveRefused, ply: int, repeated: bool = False) -> None:
        """`repeated`: the same answer was given before."""
        details = {"move": event.move, "ply": str(ply), "attempts_left": str(event.attempts_left)}
        if event.reason == "ILLEGAL_MOVE":
            super().__init__(event.sentence, rule=event.rule, why=event.sentence, **details)
        else:
            super().__init__(event.sentence, right=event.sentence, **details)
        self.reason = event.reason
        """MALFORMED_MOVE or ILLEGAL_MOVE."""
        self.attempts_left = event.attempts_left
        self.repeated = repeated


class LateAnswer(ClockExpired):
    """The flag fell before the answer arrived; `row` proves it."""

    def __init__(self, match_id: str, event: FlagFell, ply: int, repeated: bool = False) -> None:
        super().__init__({"match_id": match_id, "seat": str(event.seat), "ply": str(ply), **event.row.texts()})
        self.row: ClockCharge = event.row
        self.repeated = repeated


def seat_of(token: str) -> Seat | None:
    """Return the seat that a turn token names; None: it is not a token."""
    seat, _, rest = token.partition(".")
    return int(seat) if rest and seat.isascii() and seat.isdigit() and len(seat) < 4 else None


def verdict_of(match_id: str, number: int, events: Sequence[Event], ply: int, repeated: bool = False) -> MoveAccepted:
    """Return the verdict on an answer, given the events that followed from it: entry `number`, and those after it.

    `ply` is the number of moves made before. Raises AttemptRefused, LateAnswer or EngineFault.
    """
    event = events[0]
    if isinstance(event, MoveRefused):
        raise AttemptRefused(event, ply, repeated)
    if isinstance(event, FlagFell):
        raise LateAnswer(match_id, event, ply, repeated)
    if isinstance(event, PlayEnded):
        raise EngineFault(match_id)
    assert isinstance(event, MovePlayed)
    return MoveAccepted(event, number, ply, _result_of(events), repeated)


def _result_of(events: Sequence[Event]) -> Result | None:
    """Return the result if the match ended in the decision that began with the first of these events, or None."""
    first, *rest = events
    for event in rest:
        if event.at_us != first.at_us or (isinstance(event, MovePlayed) and event.source is MoveSource.BOT):
            return None
        if isinstance(event, PlayEnded):
            return event.result
    return None


def is_verdict_on(event: Event, token: str, move: str) -> bool:
    """Return whether the event is the verdict on exactly that answer."""
    assert isinstance(event, MovePlayed | MoveRefused | FlagFell)
    return event.token == token and (isinstance(event, FlagFell) or shortened(event.move) == shortened(move))
