"""Decides the events that follow from a command.

`decide` is pure: time and measurements are arguments. It raises an error, which changes nothing, or returns the events
and the state after them. `ALLOWED` lists the commands of each phase. Answers to turns may be late, illegal or repeated.
"""

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from engines.api import Seat
from engines.game_errors import IllegalMove, MalformedMove, shortened
from referee.match.adjudication import ADJUDICATION_REASONS
from referee.match.clock import MS, Micros
from referee.match.clock_charge import ClockCharge
from referee.match.commands import (
    MAX_MOVE_CHARS,
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
from referee.match.decision import Decision, DecisionBuilder, charge_turn, draw_result, is_draw_agreed
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    FlagFell,
    MovePlayed,
    MoveRejected,
    MoveSource,
    NonceAdded,
    PlayStarted,
    RefereeRecovered,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatResigned,
    SeatTaken,
    SeatVacated,
)
from referee.match.match_errors import (
    BadSetup,
    BadVerdict,
    ClockExpired,
    DrawNotClaimable,
    DrawOfferedBefore,
    MatchError,
    MatchOver,
    NonceRefused,
    NoSuchSeat,
    NotAllowedNow,
    NotWithdrawable,
    RequestIdReused,
    SeatHeld,
    SeatOut,
    SeatsOpen,
    StaleTurn,
    TooLateToAbort,
)
from referee.match.match_terms import attempts_a_turn, forfeits_if_gone
from referee.match.result import VOID_CAUSES, EndCause, EndKind, result_by_rank, void_result
from referee.match.setup import MAX_NONCE_BYTES, Player, draw_seats, match_chance
from referee.match.state import BY_BOT, Match, MatchPhase, Turn, Verdict, move_played

MAX_SENTENCE_CHARS = 1_000
"""Limit of the sentence with which an engine rejects a move, since it is stored in the log."""

ALWAYS = {FallFlag, EndGracePeriod, DisconnectSeat, ReconnectSeat, ResumeMatch}  # A late timer is not an error.
BEFORE_THE_END = {WithdrawBot, AbortMatch, VoidMatch}
BY_SEATS_IN_PLAY = {Resign, OfferDraw, AcceptDraw, DeclineDraw, ClaimDraw}
ALLOWED: dict[MatchPhase, frozenset[type]] = {
    MatchPhase.WAITING: frozenset({TakeSeat, AddNonce, StartPlay, *BEFORE_THE_END, *ALWAYS}),
    MatchPhase.PLAYING: frozenset({SubmitMove, AdjudicateMatch, *BY_SEATS_IN_PLAY, *BEFORE_THE_END, *ALWAYS}),
    MatchPhase.OVER: frozenset({SubmitMove, *ALWAYS}),  # A repeated answer gets its original verdict.
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
    return NotAllowedNow(type(command).__name__, match.phase.value, ", ".join(map(str, _open_seats(match))))


def _open_seats(match: Match) -> tuple[int, ...]:
    return tuple(seat for seat, player in enumerate(match.players) if not player.bot)


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
    if still_open := _open_seats(match):
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


def submit_move(builder: DecisionBuilder, command: SubmitMove) -> None:
    match, seat, token, move = builder.match, command.seat, command.token, command.move
    verdict, turn, position = match.verdicts[seat], match.turns[seat], match.position
    if verdict and (verdict.token == token or command.request_id) and _is_repeated(verdict, command):
        return
    if match.result:
        raise MatchOver(str(match.result))
    if turn is None or turn.token != token:
        raise StaleTurn(shortened(token), turn.token if turn else "")
    row = charge_turn(match, turn, command.measured)
    if row.late:
        # Checked before the move itself: a late move loses on time even if it is illegal.
        builder.apply_late_policy(turn, row, command)
        return
    assert position is not None
    try:
        if len(move) > MAX_MOVE_CHARS:
            raise MalformedMove(move, f"it has {len(move)} characters; {MAX_MOVE_CHARS} are the most")
        position = position.play(seat, move)
    except (MalformedMove, IllegalMove) as refusal:
        _refuse(builder, turn, row, command, refusal)
        return
    score = UNSET if command.score is None else command.score
    event = MovePlayed(builder.now_us, seat, token, move, BY_BOT, row, command.request_id, score)
    builder.match = after = move_played(match, event, position)
    builder.events, builder.states = (event,), (after,)
    if command.offers_draw and match.game.draws_by_agreement and position.outcome is None:
        builder.add(DrawOffered(builder.now_us, seat))
    if position.outcome or match.resigned or match.forfeits or match.terms.adjudication:
        builder.settle()


def _is_repeated(verdict: Verdict, command: SubmitMove) -> bool:
    """Return whether this answer already has its verdict, given the last one of its seat.

    Raises ClockExpired or RequestIdReused if its token or request id was used for another answer.
    """
    if command.token == verdict.token:
        if isinstance(verdict, FlagFell):
            raise ClockExpired(verdict.row.texts())
        if shortened(command.move) == shortened(verdict.move):
            return True
    if command.request_id and command.request_id == verdict.request_id:
        raise RequestIdReused(command.request_id)
    return False


def _refuse(
    builder: DecisionBuilder, turn: Turn, row: ClockCharge, command: SubmitMove, refusal: MalformedMove | IllegalMove
) -> None:
    """Count a failed attempt, and apply the policy after the last one."""
    policies = builder.match.terms.policies
    left = attempts_a_turn(policies) - turn.attempt
    illegal = isinstance(refusal, IllegalMove)
    builder.add(
        MoveRejected(
            builder.now_us,
            command.seat,
            turn.token,
            shortened(command.move),
            "ILLEGAL_MOVE" if illegal else "MALFORMED_MOVE",
            refusal.details["rule"] if illegal else "",
            str(refusal)[:MAX_SENTENCE_CHARS],
            left,
            command.request_id,
        )
    )
    if left > 0:
        return
    if policies.illegal_move.action == "random_move":
        builder.play_policy_move(turn, MoveSource.RANDOM, row)
        builder.settle()
    else:
        builder.drop_seat(SeatForfeited(builder.now_us, command.seat, "illegal_move"))


def fall_flag(builder: DecisionBuilder, command: FallFlag) -> None:
    turn = builder.match.turns[command.seat]
    if turn is None:
        return
    row = charge_turn(builder.match, turn, command.measured)
    if row.late:
        builder.apply_late_policy(turn, row)


def resign(builder: DecisionBuilder, command: Resign) -> None:
    check_not_dropped(builder.match, command.seat)
    builder.drop_seat(SeatResigned(builder.now_us, command.seat))


def offer_draw(builder: DecisionBuilder, command: OfferDraw | AcceptDraw) -> None:
    match = builder.match
    check_not_dropped(match, command.seat)
    if not match.game.draws_by_agreement:
        raise DrawNotClaimable(f"{match.game.title} has no draw by agreement")
    if command.seat in match.offers:
        raise DrawOfferedBefore("the offer is still open")
    accepts = _others_offer(match, command.seat)
    if not accepts and match.offered_ply[command.seat] == match.ply:
        raise DrawOfferedBefore("it was declined in this position")
    builder.add(DrawOffered(builder.now_us, command.seat))
    if is_draw_agreed(builder.match):
        builder.end(draw_result(builder.match, EndCause.DRAW_AGREED))


def accept_draw(builder: DecisionBuilder, command: AcceptDraw) -> None:
    _check_offered(builder.match, command.seat)
    offer_draw(builder, command)


def decline_draw(builder: DecisionBuilder, command: DeclineDraw) -> None:
    _check_offered(builder.match, command.seat)
    builder.add(DrawDeclined(builder.now_us, command.seat))


def claim_draw(builder: DecisionBuilder, command: ClaimDraw) -> None:
    reason = builder.match.require_position().claimable
    if reason is None or builder.match.turns[command.seat] is None:
        raise DrawNotClaimable("the rules allow this seat no claim in this position")
    builder.end(draw_result(builder.match, EndCause.DRAW_CLAIMED, reason))


def _check_offered(match: Match, seat: Seat) -> None:
    check_not_dropped(match, seat)
    if not _others_offer(match, seat):
        raise DrawNotClaimable("no other seat has offered one")


def _others_offer(match: Match, seat: Seat) -> bool:
    """Return whether another side has offered a draw."""
    return any(match.side_of(other) != match.side_of(seat) for other in match.offers)


def check_not_dropped(match: Match, seat: Seat) -> None:
    if seat in match.dropped_seats:
        raise SeatOut(seat)


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
