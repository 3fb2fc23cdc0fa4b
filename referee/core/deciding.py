"""What happens next in a match: commands in, events out.

`decide` answers with the events that follow if a command arrives now, or raises a refusal, which
changes nothing. It does no I/O and asks nothing: time and measurements come with the command. What may
be asked in which phase is a table.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engines.refusals import shortened
from referee.core.clock import Micros
from referee.core.closing import (
    abort,
    accept_draw,
    adjudicate,
    claim_draw,
    declare_void,
    decline_draw,
    offer_draw,
    resign,
)
from referee.core.commands import (
    Abort,
    AcceptDraw,
    Adjudicate,
    Begin,
    ClaimDraw,
    Command,
    DeclineDraw,
    EndGrace,
    FallFlag,
    GiveNonce,
    Leave,
    OfferDraw,
    Resign,
    Resume,
    Return,
    SubmitMove,
    TakeSeat,
    Void,
)
from referee.core.course import Course
from referee.core.errors import MatchError, MatchOver, NoSuchSeat, NotAllowedNow
from referee.core.events import Event, PlayEnded
from referee.core.match import Match, Phase
from referee.core.moving import fall_flag, submit_move
from referee.core.rating import RatingChange
from referee.core.result import Cause, void
from referee.core.seating import begin, come_back, end_grace, give_nonce, leave, resume, take_seat

ALLOWED: dict[Phase, frozenset[type]] = {
    Phase.WAITING: frozenset({TakeSeat, GiveNonce, Begin, Resume, Abort, Void, FallFlag, EndGrace, Leave, Return}),
    Phase.PLAYING: frozenset(
        {
            SubmitMove,
            FallFlag,
            Resign,
            OfferDraw,
            AcceptDraw,
            DeclineDraw,
            ClaimDraw,
            Leave,
            Return,
            EndGrace,
            Resume,
            Abort,
            Void,
            Adjudicate,
        }
    ),
    # A repeated answer gets its first verdict, and a late timer is no error.
    Phase.OVER: frozenset({SubmitMove, FallFlag, EndGrace, Leave, Return, Resume}),
}


@dataclass(frozen=True, slots=True)
class Decided:
    """What follows from a command, and the match after it."""

    events: tuple[Event, ...]
    match: Match
    fault: Exception | None = None
    """What broke in the rules of the game, if that made the match void."""

    def rated(self, ratings: tuple[RatingChange, ...]) -> "Decided":
        """The same end of the match, with what it did to ratings."""
        *before, end = self.events
        assert isinstance(end, PlayEnded)
        events = (*before, replace(end, ratings=ratings))
        return replace(self, events=events, match=replace(self.match, ratings=ratings))


def decide(match: Match, command: Command, now_us: Micros) -> Decided:
    """The events that follow if `command` arrives at match time `now_us`. Raises a refusal."""
    _check_allowed(match, command)
    course = Course(match, now_us)
    try:
        DECIDE[type(command)](course, command)
    except MatchError:
        raise
    except Exception as fault:
        # Whatever breaks in the rules of a game is not the bots' doing; nor is it if a game refuses its own moves.
        course = Course(match, now_us)
        course.end(void(Cause.ENGINE_FAULT, f"{type(fault).__name__}: {shortened(str(fault))}"))
        return Decided(tuple(course.events), course.match, fault)
    return Decided(tuple(course.events), course.match)


def _check_allowed(match: Match, command: Command) -> None:
    seat = getattr(command, "seat", None)
    if seat is not None and not 0 <= seat < len(match.table.seats):
        raise NoSuchSeat(seat, len(match.table.seats))
    if type(command) in ALLOWED[match.phase]:
        return
    if match.result:
        raise MatchOver(str(match.result))
    raise NotAllowedNow(type(command).__name__, match.phase.value)


DECIDE: dict[type, Callable[[Course, Any], None]] = {
    TakeSeat: take_seat,
    GiveNonce: give_nonce,
    Begin: begin,
    SubmitMove: submit_move,
    FallFlag: fall_flag,
    Leave: leave,
    Return: come_back,
    EndGrace: end_grace,
    Resume: resume,
    Resign: resign,
    OfferDraw: offer_draw,
    AcceptDraw: accept_draw,
    DeclineDraw: decline_draw,
    ClaimDraw: claim_draw,
    Abort: abort,
    Void: declare_void,
    Adjudicate: adjudicate,
}
