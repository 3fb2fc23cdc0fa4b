"""Decides the events that follow from a command, here for seats, nonces, sessions, and ends declared from outside.

`decide` is pure: time and measurements are arguments. It raises an error, which changes nothing, or returns the events
and the state after them. `ALLOWED` lists the commands of each phase. The commands that a seat gives in play are handled
in `moves`.
"""

from collections.abc import Callable
from typing import Any

from engines.game_errors import shortened
from referee.match.adjudication import ADJUDICATION_REASONS
from referee.match.clock import MS, Micros
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
    WithdrawBot,
)
from referee.match.decision import Decision, DecisionBuilder
from referee.match.events import (
    NonceAdded,
    PlayStarted,
    RefereeRecovered,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatTaken,
    SeatVacated,
)
from referee.match.match_errors import (
    BadSetup,
    BadVerdict,
    MatchError,
    MatchOver,
    NonceRefused,
    NoSuchSeat,
    NotAllowedNow,
    NotWithdrawable,
    SeatHeld,
    SeatsOpen,
    TooLateToAbort,
)
from referee.match.match_terms import forfeits_if_gone
from referee.match.moves import (
    accept_draw,
    check_not_dropped,
    claim_draw,
    decline_draw,
    fall_flag,
    offer_draw,
    resign,
    submit_move,
)
from referee.match.result import VOID_CAUSES, EndCause, EndKind, result_by_rank, void_result
from referee.match.setup import MAX_NONCE_BYTES, Player, draw_seats, match_chance
from referee.match.state import Match, MatchPhase

ALLOWED: dict[MatchPhase, frozenset[type]] = {
    MatchPhase.WAITING: frozenset(
        {
            TakeSeat,
            WithdrawBot,
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
            WithdrawBot,
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
    kind, seat = type(command), getattr(command, "seat", None)
    if kind not in ALLOWED[match.phase] or (seat is not None and not 0 <= seat < len(match.players)):
        raise _refusal(match, command)
    builder = DecisionBuilder(match, now_us)
    try:
        HANDLERS[kind](builder, command)
    except MatchError:
        raise
    except Exception as fault:
        # A failure of the engine is never the fault of a bot, nor is an engine that rejects its own moves.
        builder = DecisionBuilder(match, now_us)
        builder.end(void_result(EndCause.ENGINE_FAULT, _reason_of(fault)))
        return Decision(builder.events, builder.states, builder.match, fault)
    return Decision(builder.events, builder.states, builder.match)


def _reason_of(fault: Exception) -> str:
    """Return the reason of a void match, on one line."""
    return f"{type(fault).__name__}: {shortened(str(fault)).partition(chr(10))[0]}"


def _refusal(match: Match, command: Command) -> MatchError:
    """Return the error of a command for a seat that does not exist, or that the phase of the match does not allow."""
    seat = getattr(command, "seat", None)
    if seat is not None and not 0 <= seat < len(match.table.seats):
        return NoSuchSeat(seat, len(match.table.seats))
    if match.result:
        return MatchOver(str(match.result))
    return NotAllowedNow(type(command).__name__, match.phase.value)


def _take_seat(builder: DecisionBuilder, command: TakeSeat) -> None:
    held, player = builder.match.players[command.seat], command.player
    if not player.bot:
        raise BadSetup("player", "must have a name; a seat without one is open")
    if player == held:
        return
    # A bot that was assigned without a version may take the seat with any version.
    if held.bot and held != Player(player.bot):
        raise SeatHeld(command.seat, held.bot)
    builder.add(SeatTaken(builder.now_us, command.seat, player))


def _add_nonce(builder: DecisionBuilder, command: AddNonce) -> None:
    match = builder.match
    given = match.nonces[command.seat]
    if not match.terms.nonce_timeout_us:
        raise NonceRefused("the match uses no nonces")
    if len(command.nonce) > MAX_NONCE_BYTES:
        raise NonceRefused(f"it has more than {MAX_NONCE_BYTES} bytes")
    if given is not None and given != command.nonce:
        raise NonceRefused("the seat has already added a different one")
    if given is None:
        builder.add(NonceAdded(builder.now_us, command.seat, command.nonce))


def _start_play(builder: DecisionBuilder, _: StartPlay) -> None:
    match = builder.match
    still_open = tuple(seat for seat, player in enumerate(match.players) if not player.bot)
    if still_open:
        raise SeatsOpen(still_open)
    seated = match.players
    if match.terms.random_seats:
        seated = draw_seats(match_chance(match.setup.seed, [n or b"" for n in match.nonces]), seated)
    builder.add(PlayStarted(builder.now_us, seated))
    builder.settle()


def _withdraw_bot(builder: DecisionBuilder, command: WithdrawBot) -> None:
    match = builder.match
    seats = [seat for seat, player in enumerate(match.players) if player.bot and player.bot == command.bot]
    if not seats:
        raise NotWithdrawable(command.bot, "it holds no seat in this match")
    if match.phase is MatchPhase.WAITING:
        for seat in seats:
            builder.add(SeatVacated(builder.now_us, seat))
        return
    if match.dropped_seats.issuperset(seats):
        raise NotWithdrawable(command.bot, "it has dropped out of the match")
    for seat in seats:
        if builder.match.phase is MatchPhase.PLAYING and seat not in builder.match.dropped_seats:
            builder.drop_seat(SeatForfeited(builder.now_us, seat, "withdrawn"))


def _disconnect_seat(builder: DecisionBuilder, command: DisconnectSeat) -> None:
    if builder.match.phase is MatchPhase.PLAYING and builder.match.gone_us[command.seat] is None:
        builder.add(SeatDisconnected(builder.now_us, command.seat))


def _reconnect_seat(builder: DecisionBuilder, command: ReconnectSeat) -> None:
    if builder.match.phase is MatchPhase.PLAYING and builder.match.gone_us[command.seat] is not None:
        builder.add(SeatReconnected(builder.now_us, command.seat))


def _end_grace_period(builder: DecisionBuilder, command: EndGracePeriod) -> None:
    policies = builder.match.terms.policies
    turn, gone_us = builder.match.turns[command.seat], builder.match.gone_us[command.seat]
    if not forfeits_if_gone(policies) or turn is None or gone_us is None:
        return
    if builder.now_us - max(gone_us, turn.asked_us) >= policies.disconnect.grace_period_ms * MS:
        builder.drop_seat(SeatForfeited(builder.now_us, command.seat, "disconnected"))


def _resume_match(builder: DecisionBuilder, command: ResumeMatch) -> None:
    if builder.match.phase is not MatchPhase.OVER:
        builder.add(RefereeRecovered(builder.now_us, command.down_ms))


def _abort_match(builder: DecisionBuilder, command: AbortMatch) -> None:
    if command.seat is not None:
        check_not_dropped(builder.match, command.seat)
        if builder.match.moves_made[command.seat]:
            raise TooLateToAbort
    builder.end(void_result(EndCause.ABORTED))


def _void_match(builder: DecisionBuilder, command: VoidMatch) -> None:
    if command.cause not in VOID_CAUSES:
        raise BadVerdict(f"{command.cause.value} is no cause for a void match")
    builder.end(void_result(command.cause, command.reason))


def _adjudicate_match(builder: DecisionBuilder, command: AdjudicateMatch) -> None:
    match = builder.match
    ranks = command.side_ranks
    if command.reason in ADJUDICATION_REASONS:
        raise BadVerdict(f"{command.reason!r} is the reason of an end by the terms of a match; give another one")
    if len(ranks) != len(match.table.sides):
        raise BadVerdict(f"it must have one rank for each of the {len(match.table.sides)} sides")
    # Normalise to standard competition ranks: 1 is best, and ties leave the following ranks out.
    side_ranks = tuple(1 + sum(rank < mine for rank in ranks) for mine in ranks)
    builder.end(
        result_by_rank(match.table, EndKind.PLAYED, EndCause.ADJUDICATION, side_ranks, command.reason, match.forfeits)
    )


HANDLERS: dict[type, Callable[[DecisionBuilder, Any], None]] = {
    TakeSeat: _take_seat,
    AddNonce: _add_nonce,
    StartPlay: _start_play,
    SubmitMove: submit_move,
    FallFlag: fall_flag,
    DisconnectSeat: _disconnect_seat,
    ReconnectSeat: _reconnect_seat,
    EndGracePeriod: _end_grace_period,
    ResumeMatch: _resume_match,
    Resign: resign,
    WithdrawBot: _withdraw_bot,
    OfferDraw: offer_draw,
    AcceptDraw: accept_draw,
    DeclineDraw: decline_draw,
    ClaimDraw: claim_draw,
    AbortMatch: _abort_match,
    VoidMatch: _void_match,
    AdjudicateMatch: _adjudicate_match,
}
