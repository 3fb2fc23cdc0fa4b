"""Decides the events that follow from a command.

`decide` is pure: time and measurements are arguments. It raises an error, which changes nothing, or returns the events
and the state after them. `ALLOWED` lists the commands of each phase.
"""

from collections.abc import Callable
from typing import Any

from engines.refusals import shortened
from referee.match.clock import Micros
from referee.match.commands import (
    AbortMatch,
    AcceptDraw,
    AddNonce,
    AdjudicateMatch,
    ClaimDraw,
    Command,
    DeclineDraw,
    DisconnectSeat,
    EndGracePeriod,
    FallFlag,
    OfferDraw,
    ReconnectSeat,
    Resign,
    ResumeMatch,
    StartPlay,
    SubmitMove,
    TakeSeat,
    VoidMatch,
)
from referee.match.decision import Decision, DecisionBuilder
from referee.match.endings import (
    abort_match,
    accept_draw,
    adjudicate_match,
    claim_draw,
    decline_draw,
    offer_draw,
    resign,
    void_match,
)
from referee.match.match_errors import MatchError, MatchOver, NoSuchSeat, NotAllowedNow
from referee.match.moves import fall_flag, submit_move
from referee.match.presence import (
    add_nonce,
    disconnect_seat,
    end_grace_period,
    reconnect_seat,
    resume_match,
    start_play,
    take_seat,
)
from referee.match.result import EndCause, void_result
from referee.match.state import Match, MatchPhase

ALLOWED: dict[MatchPhase, frozenset[type]] = {
    MatchPhase.WAITING: frozenset(
        {
            TakeSeat,
            AddNonce,
            StartPlay,
            ResumeMatch,
            AbortMatch,
            VoidMatch,
            FallFlag,
            EndGracePeriod,
            DisconnectSeat,
            ReconnectSeat,
        }
    ),
    MatchPhase.PLAYING: frozenset(
        {
            SubmitMove,
            FallFlag,
            Resign,
            OfferDraw,
            AcceptDraw,
            DeclineDraw,
            ClaimDraw,
            DisconnectSeat,
            ReconnectSeat,
            EndGracePeriod,
            ResumeMatch,
            AbortMatch,
            VoidMatch,
            AdjudicateMatch,
        }
    ),
    # A repeated answer gets its original verdict, and a late timer is not an error.
    MatchPhase.OVER: frozenset({SubmitMove, FallFlag, EndGracePeriod, DisconnectSeat, ReconnectSeat, ResumeMatch}),
}


def decide(match: Match, command: Command, now_us: Micros) -> Decision:
    """Return the events that follow if `command` arrives at match time `now_us`.

    If the engine fails, the match ends as void, and `fault` is the exception. Raises MatchError.
    """
    _check_allowed(match, command)
    builder = DecisionBuilder(match, now_us)
    try:
        HANDLERS[type(command)](builder, command)
    except MatchError:
        raise
    except Exception as fault:
        # A failure of the engine is never the fault of a bot, nor is an engine that rejects its own moves.
        builder = DecisionBuilder(match, now_us)
        builder.end(void_result(EndCause.ENGINE_FAULT, f"{type(fault).__name__}: {shortened(str(fault))}"))
        return Decision(tuple(builder.events), builder.match, fault)
    return Decision(tuple(builder.events), builder.match)


def _check_allowed(match: Match, command: Command) -> None:
    seat = getattr(command, "seat", None)
    if seat is not None and not 0 <= seat < len(match.table.seats):
        raise NoSuchSeat(seat, len(match.table.seats))
    if type(command) in ALLOWED[match.phase]:
        return
    if match.result:
        raise MatchOver(str(match.result))
    raise NotAllowedNow(type(command).__name__, match.phase.value)


HANDLERS: dict[type, Callable[[DecisionBuilder, Any], None]] = {
    TakeSeat: take_seat,
    AddNonce: add_nonce,
    StartPlay: start_play,
    SubmitMove: submit_move,
    FallFlag: fall_flag,
    DisconnectSeat: disconnect_seat,
    ReconnectSeat: reconnect_seat,
    EndGracePeriod: end_grace_period,
    ResumeMatch: resume_match,
    Resign: resign,
    OfferDraw: offer_draw,
    AcceptDraw: accept_draw,
    DeclineDraw: decline_draw,
    ClaimDraw: claim_draw,
    AbortMatch: abort_match,
    VoidMatch: void_match,
    AdjudicateMatch: adjudicate_match,
}
